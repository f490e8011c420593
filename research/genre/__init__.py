"""Labelled genre pages, and what the genre models reach on them."""
