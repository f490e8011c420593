"""Other records of robots.txt: Content-Signal (contentsignals.org) and Sitemap."""

from __future__ import annotations

from lycosa import urls
from lycosa.fetch.polite.robots_groups import TOKEN

SITEMAPS = 10
"""Maximum number read from one robots.txt."""


def content_signal(text: str) -> str:
    """Return the signal for this crawler, else the one for all; '' if there is none.

    >>> content_signal("User-agent: *\\nContent-Signal: search=yes, ai-train=no\\nDisallow: /x")
    'search=yes, ai-train=no'
    """
    agents = {"*"}  # of the current group: this crawler and `*`
    in_names = False
    found: dict[str, str] = {}
    for line in text.splitlines():
        name, _, value = (part.strip() for part in line.partition("#")[0].partition(":"))
        if name.lower() == "user-agent":
            agent = value.lower().partition("/")[0].strip()
            agents = (agents if in_names else set()) | ({agent} & {TOKEN, "*"})
        elif name.lower() == "content-signal":
            for agent in agents:
                found.setdefault(agent, value[:500])
        in_names = name.lower() == "user-agent" or (in_names and not name)
    return found.get(TOKEN) or found.get("*", "")


def sitemaps_in(text: str) -> tuple[str, ...]:
    """Return the sitemaps, for any crawler.

    >>> sitemaps_in("Sitemap: http://a.test/map.xml\\nDisallow: /x\\nsitemap: nonsense")
    ('http://a.test/map.xml',)
    """
    records = (line.partition(":") for line in text.splitlines())
    named = (
        urls.parse(value.partition(" #")[0].strip())
        for name, _, value in records
        if name.strip().lower() == "sitemap"
    )
    return tuple(dict.fromkeys(url for url in named if url and len(url) <= urls.URL_CHARS))[:SITEMAPS]
