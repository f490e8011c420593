"""The first part of the demo web: five topics on special, mixed and noisy sites.

Generated before any strategy was tried on it, and not tuned to one. Beside its pages it has what
real webs have: robots.txt, a sitemap, feeds, redirects, dead links, copies, an endless calendar.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from random import Random
from xml.sax.saxutils import escape

from lycosa.testing import CannedResponse, data, links, redirect, status, text
from lycosa_lab.demo_web import drawing, prose, render
from lycosa_lab.demo_web.linking import Linker
from lycosa_lab.demo_web.part import DemoTopic, Part
from lycosa_lab.demo_web.plan import Draft, SitePlan, drafts, listings, sites
from lycosa_lab.demo_web.prose import TOPICS

START = ("http://www.allthings.test/", "http://www.morningledger.test/")
CALENDAR = "http://www.townhall.test/calendar"
MONTHS = range(2023 * 12, 2025 * 12)
"""The months of the calendar that are pages; those before and after are made when asked for."""
COPIES = "http://mirror.compendium-copy.test"

Pages = dict[str, CannedResponse]


def topics_part(random_seed: int) -> Part:
    """All pages, labels and topics of this part."""
    plans = sites()
    leaves = [leaf for site in plans for leaf in drafts(site, random_seed)]
    lists = [
        pair for site in plans for pair in listings(site, [leaf for leaf in leaves if leaf.site is site])
    ]
    linker = Linker(leaves, random_seed)
    pages: Pages = {}
    for listing, listed in lists:
        count = sum(other.section is listing.section for other, _ in lists)
        body = render.page(listing, linker.of_listing(listing, listed, count), Random(listing.url))
        pages[listing.url] = data(body, "text/html; charset=utf-8")
    for leaf in leaves:
        rng = Random(f"{random_seed} render {leaf.url}")
        pages[leaf.url] = data(render.page(leaf, linker.of_leaf(leaf), rng), "text/html; charset=utf-8")
    labels = [
        (draft.url, topic, grade)
        for draft in [*leaves, *(one for one, _ in lists)]
        for topic, grade in draft.labels
    ]
    copied, copy_labels = _copies(leaves)
    pages |= copied | _pictures(leaves, random_seed) | _surroundings(plans, leaves, random_seed)
    return Part(pages, tuple(labels + copy_labels), _topics(plans, leaves), START, beyond)


def _topics(plans: Sequence[SitePlan], leaves: Sequence[Draft]) -> dict[str, DemoTopic]:
    """Each topic with two seeds: a special site's home page, and an article of another one."""
    found: dict[str, DemoTopic] = {}
    for topic in TOPICS:
        words = prose.bank(topic)
        special = [site for site in plans if site.sections[0].source == f"{topic}.article"][:2]
        first = next(leaf.url for leaf in leaves if leaf.site is special[1])
        seeds = (special[0].home, first)
        found[topic] = DemoTopic(words["title"], tuple(words["keywords"]), words["query"], seeds)
    return found


def _copies(leaves: Sequence[Draft]) -> tuple[Pages, list[tuple[str, str, int]]]:
    """Print versions of the newspaper's pages on a topic, and a mirror of an encyclopaedia."""
    pages: Pages = {}
    labels: list[tuple[str, str, int]] = []
    mirrored: list[str] = []
    for leaf in leaves:
        url = leaf.print_url
        if leaf.site.host == "www.opencompendium.test" and leaf.topic and len(mirrored) < 12:
            url = leaf.url.replace("http://www.opencompendium.test", COPIES)
            mirrored.append(url)
        if not url:
            continue
        pages[url] = data(render.printed(leaf), "text/html; charset=utf-8")
        labels += [(url, topic, grade) for topic, grade in leaf.labels]
    pages[f"{COPIES}/"] = links(*mirrored, title="A copy of the Open Compendium")
    return pages, labels


def _pictures(leaves: Sequence[Draft], random_seed: int) -> Pages:
    """The image of every draft that has one."""
    pages: Pages = {}
    for leaf in leaves:
        if leaf.picture:
            url = f"http://{leaf.site.host}{leaf.picture}"
            pages[url] = data(drawing.picture(leaf.topic, Random(f"{random_seed} {url}")), "image/png")
    return pages


def _surroundings(plans: Sequence[SitePlan], leaves: Sequence[Draft], random_seed: int) -> Pages:
    """What surrounds pages: styles, logos, robots.txt, sitemap, feeds, redirects, the calendar."""
    pages: Pages = {}
    for site in plans:
        pages[f"{site.home}style.css"] = data(render.STYLE, "text/css")
        pages[f"{site.home}logo.svg"] = data(
            drawing.logo(site.title, Random(f"{random_seed} {site.host}")), "image/svg+xml"
        )
        pages[f"{site.home}robots.txt"] = text(_robots(site))
    pages |= dict(_calendar())
    for host in ("www.spanandarch.test", "www.cometlog.test", "www.morningledger.test"):
        of_host = [leaf for leaf in leaves if leaf.site.host == host and not leaf.hidden]
        pages[f"http://{host}/sitemap.xml"] = text(_sitemap(of_host), "application/xml")
        pages[f"http://{host}/feed.xml"] = text(_feed(of_host), "application/rss+xml")
    newest = max(
        (leaf for leaf in leaves if leaf.site.host == "www.cometlog.test"), key=lambda leaf: str(leaf.date)
    )
    pages["http://www.cometlog.test/latest"] = redirect(newest.url)
    pages["http://spanandarch.test/"] = redirect("http://www.spanandarch.test/", 301)
    pages["http://birdnotes.test/"] = redirect("http://www.birdnotes.test/", 301)
    pages["http://www.loafclub.test/guestbook.html"] = status(404)
    pages["http://www.bigbasket.test/basket"] = links("/", title="Your basket is empty")
    return pages


def _robots(site: SitePlan) -> str:
    closed = [f"/{path}/" for path in site.closed] + (["/basket"] if site.look == "shop" else [])
    rules = "".join(f"Disallow: {path}\n" for path in closed) or "Disallow:\n"
    sitemap = f"Sitemap: {site.home}sitemap.xml\n" if site.host == "www.spanandarch.test" else ""
    return f"User-agent: *\n{rules}{sitemap}"


def _sitemap(leaves: Sequence[Draft]) -> str:
    urls = "".join(
        f"<url><loc>{escape(leaf.url)}</loc><lastmod>{leaf.date}</lastmod></url>\n" for leaf in leaves
    )
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{urls}</urlset>\n'


def _feed(leaves: Sequence[Draft]) -> str:
    newest = sorted(leaves, key=lambda leaf: str(leaf.date), reverse=True)[:15]
    items = "".join(
        f"<item><title>{escape(leaf.text.title)}</title><link>{escape(leaf.url)}</link>"
        f"<description>{escape(leaf.teaser)}</description>"
        f"<pubDate>{leaf.date:%a, %d %b %Y} 08:00:00 GMT</pubDate></item>\n"
        for leaf in newest
    )
    site = leaves[0].site
    head = f"<title>{escape(site.title)}</title><link>{site.home}</link><description>News</description>"
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<rss version="2.0"><channel>{head}\n{items}</channel></rss>\n'


def _calendar() -> Iterator[tuple[str, CannedResponse]]:
    yield CALENDAR, _month(MONTHS[len(MONTHS) // 2])
    for month in MONTHS:
        yield f"{CALENDAR}?month={month // 12}-{month % 12 + 1:02}", _month(month)


def _month(month: int) -> CannedResponse:
    around = [f"{CALENDAR}?month={m // 12}-{m % 12 + 1:02}" for m in (month - 1, month + 1)]
    return links(
        *around, "http://www.townhall.test/", title=f"Events in month {month % 12 + 1} of {month // 12}"
    )


def beyond(url: str) -> CannedResponse | None:
    """The months of the calendar before and after those that are pages, without end.

    >>> beyond("http://www.townhall.test/calendar?month=2031-05").status
    200
    """
    asked = re.fullmatch(re.escape(CALENDAR) + r"\?month=(\d{1,6})-(\d\d)", url)
    return _month(int(asked[1]) * 12 + int(asked[2]) - 1) if asked and int(asked[2]) in range(1, 13) else None
