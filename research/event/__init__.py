"""Measure the event method on a web of news."""
