"""What owners say about the use of their pages: read, kept, exported, and respected where the spec says so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lycosa.collection.collection import Collection
from lycosa.fetch.polite.robots_file import content_signal
from lycosa.fetch.polite.tdmrep import rights_at, rules_in
from lycosa.page.response import document_of
from lycosa.page.signs.rights import Rights, rights_of
from lycosa.testing import Page, Site, html, text
from lycosa.values import Fetched, Link, Refusal
from tests.crawling import crawl, kept, refusal_of, spec_text

START = "http://a.test/"


def rights(markup: str, *headers: tuple[str, str], site: tuple[tuple[str, str], ...] = ()) -> Rights:
    fetched = Fetched(Link(START, 1), 200, headers, markup.encode(), b"", b"", 0.0, 0.0, site_rights=site)
    document = document_of(fetched)
    assert not isinstance(document, Refusal)
    return rights_of(document, fetched)


@pytest.mark.parametrize(
    ("markup", "headers", "reserved"),
    [
        ("<p>nothing", (), ()),
        ("<meta name=robots content='noai, NoImageAI'>", (), ("noai", "noimageai")),
        ("", (("X-Robots-Tag", "noai"), ("x-robots-tag", "other: noimageai")), ("noai",)),
        ("<meta name=robots content=noarchive>", (), ("noarchive",)),
        ("<meta name=tdm-reservation content=1>", (), ("tdm",)),
        ("", (("TDM-Reservation", "1"),), ("tdm",)),
        ("<meta name=tdm-reservation content=0>", (("tdm-reservation", "1"),), ()),
        ("<meta name=tdm-reservation content=maybe>", (), ()),
    ],
)
def test_what_a_page_reserves(markup: str, headers: tuple[tuple[str, str], ...], reserved: tuple[str, ...]):
    """The page's own word counts more than its server's."""
    assert rights(markup, *headers).reserved == reserved


def test_what_a_site_says_counts_where_the_page_says_nothing():
    site = (
        ("content-signal", "search=yes, ai-train=no"),
        ("tdm-reservation", "1"),
        ("tdm-policy", "/p.json"),
    )
    said = rights("<p>x", site=site)

    assert said == Rights(("tdm", "ai-train"), ("search",), "http://a.test/p.json")
    assert rights("<meta name=tdm-reservation content=0>", site=site).allowed == ("tdm", "search")


@pytest.mark.parametrize(
    ("markup", "licence"),
    [
        ("<a rel='license noopener' href='/terms'>terms</a>", "http://a.test/terms"),
        ("<link rel=license href='https://l.test/mit'>", "https://l.test/mit"),
        (
            "<p>Under <a href='https://creativecommons.org/licenses/by/4.0/'>CC BY</a>",
            "https://creativecommons.org/licenses/by/4.0/",
        ),
        ("<meta name='DCTERMS.license' content='https://l.test/x'>", "https://l.test/x"),
        ("<a href='https://creativecommons.org/'>about them", ""),
    ],
)
def test_the_licence_that_a_page_names(markup: str, licence: str):
    assert rights(markup).licence == licence


@pytest.mark.parametrize(
    ("robots", "signal"),
    [
        ("", ""),
        ("User-agent: other\nContent-Signal: ai-train=no", ""),
        ("User-agent: *\nDisallow: /x\nContent-Signal: ai-train=no # us", "ai-train=no"),
        (
            "User-agent: *\nContent-Signal: ai-train=no\n\nUser-agent: Lycosa\nContent-Signal: search=no",
            "search=no",
        ),
        ("User-agent: a\nUser-agent: *\nContent-Signal: search=yes", "search=yes"),
    ],
)
def test_the_signal_for_us(robots: str, signal: str):
    assert content_signal(robots) == signal


@pytest.mark.parametrize("broken", ["", "{", '{"location": "/"}', "[1, 2]", '[{"location": 7}]', "\ud800"])
def test_a_broken_file_says_nothing(broken: str):
    assert rights_at("/a", rules_in(broken)) == ()


def test_patterns_of_a_file():
    rules = rules_in(
        '[{"location": "/*.pdf$", "tdm-reservation": 1, "tdm-policy": "http://p.test/"},'
        ' {"location": "' + "*" * 100 + '", "tdm-reservation": 1}]'
    )

    assert rights_at("/a/b.pdf", rules) == (("tdm-reservation", "1"), ("tdm-policy", "http://p.test/"))
    assert rights_at("/a/b.pdf?x", rules) == ()


def _fits_naively(location: str, path: str) -> bool:
    """What a location means, by trying everything."""
    if location in ("", "$"):
        return not location or not path
    if location[0] == "*":
        return any(_fits_naively(location[1:], path[at:]) for at in range(len(path) + 1))
    return path[:1] == location[0] and _fits_naively(location[1:], path[1:])


@given(
    location=st.text("ab*$/.", max_size=10).filter(lambda location: location.count("*") <= 5),
    path=st.text("abA$/.", max_size=12),
)
@example("*aa$", "a")  # what * and the end would both need
@example("$", "")
@example("*$", "")
@example("a$", "ab")
@example("a$*", "a$b")
@example("**a$", "a")
def test_patterns_mean_what_trying_everything_finds(location: str, path: str):
    rules = rules_in(json.dumps([{"location": f"/{location}", "tdm-reservation": 1}]))

    assert bool(rights_at(f"/{path}", rules)) is _fits_naively(location, path)


def test_a_pattern_made_to_take_long_takes_none():
    """Tried one after the other, the ways in which this one does not fit are more than a crawl can wait for."""
    rules = rules_in(json.dumps([{"location": f"/*{'a*' * 4}a$", "tdm-reservation": 1}] * 499))

    assert rights_at("/" + "a" * 2000 + "b", rules) == ()


def _crawled(out: Path, **scope: Any) -> Path:
    web: dict[str | tuple[str, str], Page] = {
        "/robots.txt": text("User-agent: *\nContent-Signal: ai-train=no"),
        "/.well-known/tdmrep.json": text('[{"location": "/mine", "tdm-reservation": 1}]', "application/json"),
        "/": html(
            "<p>One <a href=/noai>two</a> <a href=/mine>three</a> <a rel=license href=/terms>terms</a>"
        ),
        "/noai": html("<meta name=robots content=noai><p>Two"),
        "/mine": html("<p>Three"),
        "/terms": html("<p>Terms"),
    }
    with Site(web) as site:
        crawl(spec_text(site, [START], scope=scope), out)
        assert (site.hits("http://a.test/.well-known/tdmrep.json") == 1) is (
            "tdm" in scope.get("respect", ())
        )
    return out


def test_rights_are_kept_and_refuse_nothing_by_default(tmp_path: Path):
    out = _crawled(tmp_path / "crawl")
    with Collection.open(out) as collection:
        rows = {row["url"]: row for row in collection.rows()}

    assert len(kept(out)) == 4
    assert rows[f"{START}noai"]["reserved"] == ["noai", "ai-train"]
    assert rows[START]["licence"] == f"{START}terms"
    assert rows[f"{START}mine"]["reserved"] == ["ai-train"], (
        "tdmrep.json is not asked for where nobody respects it"
    )


@pytest.mark.parametrize(
    ("respect", "refused"), [(["noai"], ["noai"]), (["tdm"], ["mine"]), (["noai", "tdm"], ["mine", "noai"])]
)
def test_the_spec_says_what_is_respected(tmp_path: Path, respect: list[str], refused: list[str]):
    out = _crawled(tmp_path / "crawl", respect=respect)
    urls = [f"{START}{name}" for name in ("mine", "noai", "terms")]

    assert [url for url in urls if refusal_of(out, url) == "RIGHTS"] == [f"{START}{name}" for name in refused]


def test_what_the_site_said_is_known_when_pages_are_judged_again(tmp_path: Path):
    """Content-Signal is no part of the archived page, and is not forgotten with a changed spec."""
    out = _crawled(tmp_path / "crawl")
    _crawled(out, respect=["ai-train"])

    assert refusal_of(out, START) == "RIGHTS"
