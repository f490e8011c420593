"""Benchmarks: our CPU time as a ratio to other crawlers in the same run."""
