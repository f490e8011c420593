"""Politeness for any live fetcher: robots.txt, rests, retries and limits per IP address.

Nothing here speaks HTTP, and no fetcher knows politeness, so that requests of a browser are polite too.
"""
