"""From the bytes of a page to what it says: text, terms, links with their contexts, images, language.

In: a decoded body. Out: a lazy `Document` (in `document.py`), of which each part is computed at most once.
"""
