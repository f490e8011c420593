"""Fitting text classifiers from examples."""
