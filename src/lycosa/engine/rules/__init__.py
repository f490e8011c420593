"""Rules of a crawl: scope, traps, limits, what to follow and when to revisit."""
