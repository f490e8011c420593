"""Walls met while crawling: refused with their kind, no part of anything, and their hosts rest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lycosa.collection.collection import Collection
from lycosa.engine.rules.walls import GIVEN_UP_AFTER, MAX_PAUSE_S, SAME_AGAIN, Walls
from lycosa.testing import CannedResponse, Page, Site, html, links
from lycosa.values import Link, Reason
from lycosa.values import Page as AnalysedPage
from lycosa.why import explain
from tests.crawling import crawl, kept, pages_of, refusal_of, spec_text

START = "http://a.test/"
CHALLENGE = "<title>Just a moment...</title><p>Verifying your browser</p><script>_cf_chl_opt={}</script>"
LOG_IN = "<title>Log in</title><form><input><input type=password><button>Log in</button></form>"
Web = dict[str | tuple[str, str], Page]


def crawled(out: Path, web: Web, **sections: dict[str, Any]) -> Site:
    with Site(web) as site:
        crawl(spec_text(site, [START], fetch={"concurrency": 1}, **sections), out)
    return site


def test_a_wall_is_no_page(tmp_path: Path):
    """With 200 and with 403: refused with its kind, not judged, and no part of the limit."""
    blocked = CannedResponse(CHALLENGE.encode(), 403, (("Content-Type", "text/html"),))
    web: Web = {
        "/": links("/challenge", "/blocked", "/login", "/good", "/plain403"),
        "/challenge": html(CHALLENGE),
        "/blocked": blocked,
        "/login": html(LOG_IN),
        "/good": html("<p>A page of its own, which is not long but honest"),
        "/plain403": CannedResponse(b"<p>No", 403, (("Content-Type", "text/html"),)),
    }
    crawled(tmp_path / "crawl", web, limits={"pages": 2})
    pages = pages_of(tmp_path / "crawl")

    assert kept(tmp_path / "crawl") == [START, f"{START}good"]
    for name, kind in (("challenge", "challenge"), ("blocked", "challenge"), ("login", "log-in")):
        page = pages[START + name]
        assert page.refusal is not None
        assert (page.refusal.reason, page.refusal.detail, page.judgement) == (Reason.WALL, kind, None)
    assert "a wall stands before it" in str(explain(tmp_path / "crawl", f"{START}challenge"))
    with Collection.open(tmp_path / "crawl") as collection:
        assert collection.reader.counts().judged == 2


def test_an_error_that_is_no_wall_stays_one(tmp_path: Path):
    web: Web = {"/": links("/no"), "/no": CannedResponse(b"<p>No", 403, (("Content-Type", "text/html"),))}
    crawled(tmp_path / "crawl", web)

    assert refusal_of(tmp_path / "crawl", f"{START}no") == "HTTP_ERROR"


def test_a_host_of_walls_is_given_up(tmp_path: Path):
    """Nothing more is asked of it, and what waited says why; another host is crawled on."""
    names = [f"/p{number}" for number in range(12)]
    web: Web = {
        "/": links(*(f"http://wall.test{name}" for name in names), "http://good.test/"),
        ("good.test", "/"): html("<p>Still here"),
        **{("wall.test", name): html(CHALLENGE + f"<!--{name}-->") for name in names},
    }
    site = crawled(tmp_path / "crawl", web)
    asked = sum(site.hits(f"http://wall.test{name}") for name in names)

    assert asked == GIVEN_UP_AFTER
    assert {refusal_of(tmp_path / "crawl", f"http://wall.test{name}") for name in names} == {"WALL"}
    assert "http://good.test/" in kept(tmp_path / "crawl")


def test_the_same_small_page_for_every_url_is_a_wall(tmp_path: Path):
    names = [f"/p{number}" for number in range(10)]
    web: Web = {
        "/": links(*names),
        **{name: html(f"<title>Welcome</title><p>Nothing to see<!--{name}-->") for name in names},
    }
    crawled(tmp_path / "crawl", web)

    assert len(kept(tmp_path / "crawl")) == 1 + SAME_AGAIN - 1


def test_small_pages_that_differ_in_a_number_are_no_wall(tmp_path: Path):
    names = [f"/p{number}" for number in range(10)]
    web: Web = {
        "/": links(*names),
        **{name: html(f"<title>Photos</title><p>Photo {name[2:]} of the owls") for name in names},
    }
    crawled(tmp_path / "crawl", web)

    assert len(kept(tmp_path / "crawl")) == 11


def test_pauses_grow_and_end_with_a_page():
    walls, link = Walls(2.0), Link(START, 1)
    pauses = [walls.pause_s(link, "captcha") for _ in range(GIVEN_UP_AFTER)]

    assert pauses == [60.0, 120.0, 240.0, 480.0, 960.0]
    assert walls.refusal(link) is not None
    assert walls.kind_of(AnalysedPage(link, START, words=500)) == ""
    assert walls.refusal(link) is None
    assert walls.pause_s(link, "captcha") == 60.0
    assert Walls(1000.0).pause_s(link, "captcha") == MAX_PAUSE_S


def test_a_log_in_says_nothing_of_its_host():
    walls, link = Walls(2.0), Link(START, 1)

    assert [walls.pause_s(link, "log-in") for _ in range(20)] == [0.0] * 20
    assert walls.refusal(link) is None


def test_a_restart_remembers_the_walls_of_a_host(tmp_path: Path):
    """A crawl that goes on counts from where it was: a host that was given up is not asked again at once."""
    web: Web = {f"/{number}": html(CHALLENGE) for number in range(2 * GIVEN_UP_AFTER)}
    seeds = [f"{START}{number}" for number in range(2 * GIVEN_UP_AFTER)]
    with Site(web) as site:
        fetch = {"concurrency": 1, "retries": 0}
        crawl(spec_text(site, seeds[:3], fetch=fetch), tmp_path / "crawl")
        assert len([seen for seen in site.log if seen.target != "/robots.txt"]) == 3
        crawl(spec_text(site, seeds, fetch=fetch), tmp_path / "crawl")
        asked = len([seen for seen in site.log if seen.target != "/robots.txt"])
        crawl(spec_text(site, seeds, fetch=fetch), tmp_path / "crawl")
        again = len([seen for seen in site.log if seen.target != "/robots.txt"])
    assert asked == again == GIVEN_UP_AFTER
    with Collection.open(tmp_path / "crawl") as collection:
        assert collection.reader.walls_in_a_row(["challenge"], since=0.0) == {"http://a.test": GIVEN_UP_AFTER}
        assert collection.reader.walls_in_a_row(["block"], since=0.0) == {}
