"""Our own speed, as ratios to a peer in the same run."""
