"""Judges: whether a page is relevant, and with which probability."""
