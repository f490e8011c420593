"""Addresses of strangers in our pages. In: any URL of a collection. Out: what may be in a link."""

from __future__ import annotations


def web_url(url: str) -> str:
    """An address that may be linked to: http or https, or nothing.

    >>> web_url("javascript:alert(1)"), web_url("http://a.test/")
    ('', 'http://a.test/')
    """
    return url if url.lower().startswith(("http://", "https://")) else ""
