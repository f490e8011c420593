"""Parse a page into text, terms, links with their contexts, images and language.

The entry is the lazy `Document` (in `document.py`), which computes each part at most once.
"""
