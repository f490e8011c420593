"""Text of a page: main text, tokens, terms, language, near-duplicates."""
