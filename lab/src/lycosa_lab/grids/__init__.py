"""Grids of runs: topics, seeds, strategies and settings, in parallel."""
