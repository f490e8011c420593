"""One run: protocol, what is given, simulated answers, oracles."""
