"""Politeness around any live fetcher: robots.txt, rests, retries and limits per IP address.

Nothing in here speaks HTTP, and no fetcher below knows a rule of politeness: so a browser is as
polite as a plain request.
"""
