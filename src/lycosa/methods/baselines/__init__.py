"""The baselines that every method is compared with."""
