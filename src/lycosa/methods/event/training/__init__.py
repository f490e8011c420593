"""Fitting event models from labelled pages and links."""
