"""The publication date of a page."""
