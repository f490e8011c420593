"""Event crawling: what, where, when, and the importance of sources (Farag)."""
