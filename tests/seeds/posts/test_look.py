"""The kind of a seed by a look at its page."""

from __future__ import annotations

from lycosa.engine.start.post_seeds import look_at
from lycosa.seeds.posts.keywords import Keywords
from lycosa.seeds.posts.look import Look, SeedKind, look
from lycosa.spec.sections import FetchSpec
from lycosa.testing import Page, Site

FLOOD = Keywords(["flood"])


def test_share_buttons_and_own_links_make_no_hub():
    """Links that carry the page's own URL lead nowhere new."""
    links = [
        ("http://a.example/flood?page=2", "flood"),
        ("http://share.example/s?u=http://a.example/flood", "Share"),
        ("http://a.example/sports", "Sports"),
    ]
    seen = look("http://a.example/flood", "Flood!", "", links, FLOOD)
    assert seen == Look(SeedKind.AUTHORITY, relevant=True, links=2, relevant_links=0)


def test_an_anchor_can_be_what_makes_a_link_relevant():
    """Tokens of a link are those of its URL and its anchor text."""
    seen = look("http://a.example/x", "Sports", "a flood", [("http://a.example/1", "The flood")], FLOOD)
    assert seen.kind is SeedKind.TUNNEL


async def test_seeds_are_looked_at_through_the_fetcher():
    """All four kinds of table 9; what cannot be fetched says why."""
    pages: dict[str | tuple[str, str], Page] = {
        "/hub": '<title>Flood</title><a href="/flood-2">more</a>',
        "/end": "<title>x</title><p>Flood, flood and flood again.</p>",
        "/tunnel": '<title>Links</title><a href="/flood-2">more</a>',
        "/none": '<title>Sports</title><a href="/x">more</a>',
    }
    with Site(pages) as site:
        fetch = FetchSpec(connect_to=site.connect_to, allow_private=site.allow_private, per_host_delay_s=0)
        wanted = [f"http://a.test{path}" for path in [*pages, "/gone"]]
        looks = await look_at(wanted, FLOOD, fetch)
    kinds = [seen.kind.value if isinstance(seen, Look) else seen for seen in looks.values()]
    assert kinds[:4] == ["hub", "authority", "tunnel", "reject"]
    assert "404" in kinds[4]
