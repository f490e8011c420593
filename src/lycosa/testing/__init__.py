"""A local web for tests: HTTP/1.1 on loopback, under any number of host names.

with Site({"/": links("/a"), "/a": redirect("/b"), "/b": "<p>Hello"}) as site:
    ...  # crawl http://a.test/ with fetch.connect_to = site.connect_to
    assert site.hits("http://a.test/b") == 1
"""

from __future__ import annotations

from lycosa.testing.responses import (
    CannedResponse,
    Page,
    Raw,
    Request,
    Wire,
    data,
    html,
    links,
    redirect,
    status,
    text,
    with_etag,
)
from lycosa.testing.server import Pages, Site, SiteProcess, Web, serve

__all__ = [
    "CannedResponse",
    "Page",
    "Pages",
    "Raw",
    "Request",
    "Site",
    "SiteProcess",
    "Web",
    "Wire",
    "data",
    "html",
    "links",
    "redirect",
    "serve",
    "status",
    "text",
    "with_etag",
]
