"""Parse pages: text, terms, links with their contexts, images, dates, places and language."""
