"""A small web about two shootings and a bakery, over three hosts; one of the shootings is the event."""

from __future__ import annotations

EVENT = {
    "what": ["nightclub", "shooting", "gunman", "victims"],
    "where": ["Orlando, Florida"],
    "date": "2016-06-12",
}
STORIES = {
    "event": (
        "Gunman opens fire in Orlando nightclub",
        "2016-06-{day:02d}",
        "Police in Orlando, Florida, said that a gunman began a shooting in a nightclub. Victims of the "
        "shooting were taken to a hospital in Orlando. The gunman was shot. The nightclub in Orlando is closed.",
    ),
    "other": (
        "Gunman opens fire in Brussels nightclub",
        "2011-03-{day:02d}",
        "Police in Brussels, Belgium, said that a gunman began a shooting in a nightclub. Victims of the "
        "shooting were taken to a hospital in Brussels. The gunman was shot. The nightclub in Brussels is closed.",
    ),
    "bread": (
        "How to bake a loaf of rye bread",
        "2014-09-{day:02d}",
        "Rye flour, water and salt are all that a loaf of bread needs. Let the dough rest for a night. "
        "Bake the loaf for an hour until its crust is dark, and let it cool before you cut the bread.",
    ),
}
HOSTS = ("herald.test", "courier.test", "tribune.test")
PAGES_EACH = 6


def url_of(kind: str, number: int) -> str:
    """The URL of a page: its host, kind and number."""
    return f"http://{HOSTS[number % len(HOSTS)]}/{kind}/{number}"


def html_of(kind: str, number: int) -> str:
    """One page, which links to pages of its own kind and to the front page of its host."""
    title, date, text = STORIES[kind]
    day = date.format(day=12 + number)
    more = "".join(f'<li><a href="{url_of(kind, to)}">{title}</a>' for to in range(PAGES_EACH))
    return (
        f'<html lang=en><head><title>{title}</title><meta property="article:published_time" content="{day}">'
        f"</head><body><article><h1>{title}</h1><p>{text} Report {number}.</p></article>"
        f'<ul>{more}<li><a href="/">Front page</a></ul></body></html>'
    )


def event_web() -> dict[str | tuple[str, str], str]:
    """All pages by (host, path); every front page links to one page of each kind."""
    web: dict[str | tuple[str, str], str] = {}
    for at, host in enumerate(HOSTS):
        links = "".join(f'<li><a href="{url_of(kind, at)}">{STORIES[kind][0]}</a>' for kind in STORIES)
        web[host, "/"] = f"<html><title>{host}</title><body><h1>{host}</h1><ul>{links}</ul></body></html>"
    for kind in STORIES:
        for number in range(PAGES_EACH):
            web[HOSTS[number % len(HOSTS)], f"/{kind}/{number}"] = html_of(kind, number)
    return web
