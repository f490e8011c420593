"""The loop, end to end: a small local web, a real collection, and what the catalogue says of it."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from lycosa.collection.collection import Collection
from lycosa.engine.conclude import Conclusions
from lycosa.engine.loop import Crawl
from lycosa.engine.processes import workers
from lycosa.engine.processes.analysis import InlineAnalyser, Recipe
from lycosa.engine.processes.workers import WorkerPool
from lycosa.engine.rules.admission import Admission
from lycosa.engine.rules.follow import Follow
from lycosa.engine.rules.limits import Limits
from lycosa.engine.start.prepare import preparation
from lycosa.engine.watch.summary import Summary
from lycosa.errors import CollectionError
from lycosa.fetch.live import live_fetcher
from lycosa.frontier import Policy
from lycosa.frontier.memory import MemoryFrontier
from lycosa.learn.refit import inline_refits
from lycosa.learn.topic import TopicModel, make_topic
from lycosa.library.views.content import about
from lycosa.library.views.monitor import status as status_of_collection
from lycosa.methods.fused.strategy import Fused
from lycosa.methods.lookup import fitted
from lycosa.spec.sections import ArchiveSpec, FetchSpec, FrontierSpec, ScopeSpec
from lycosa.testing import (
    CannedResponse,
    Page,
    Site,
    data,
    html,
    links,
    redirect,
    status,
    text,
    with_etag,
)
from lycosa.urls import key_of
from lycosa.values import Fetched, Link, Reason, Refusal
from lycosa.why import explain
from lycosa_lab.runs.memory_sink import MemorySink
from tests.collection.archives import records_of, types_of
from tests.crawling import (
    KEYWORDS,
    ROOT,
    crawl,
    crawling,
    kept,
    pages_of,
    refusal_of,
    small_web,
    spec_of,
    spec_text,
)
from tests.toys import Fatal, add_toys

Web = dict[str | tuple[str, str], Page]
START = "http://a.test/"
WORDS = "The quick brown fox jumps over the lazy dog and then sleeps in the warm sun of the garden. " * 4


def crawl_of(web: Web, out: Path, **sections: dict[str, Any]) -> tuple[Summary, Site]:
    """Crawl a web from http://a.test/."""
    with Site(web) as site:
        fetch = {
            "per_host_delay_s": 0,
            "concurrency": 1,
            "connect_to": site.connect_to,
            "allow_private": list(site.allow_private),
        }
        sections["fetch"] = fetch | sections.get("fetch", {})
        return crawl(spec_text(site, [START], **sections), out), site


def refused_links(out: Path, url: str = START) -> dict[str, str]:
    """Of a page's links: the refused URLs, and the names of the reasons."""
    with Collection.open(out) as collection:
        page = collection.reader.page(key_of(url))
        assert page is not None
        found = list(collection.reader.links(page.id))
    return {link.url: link.refusal.reason.name for link in found if link.refusal}


# --- order and limits ---------------------------------------------------------------------------


def test_best_first_takes_the_best_link_first(tmp_path: Path) -> None:
    """With one request at a time, pages come in the order of their links' scores."""
    names = {
        "/1": "granite ridge",
        "/2": "cooking soup",
        "/3": "summit glacier granite ridge",
        "/4": "summit",
    }
    anchors = "".join(f'<a href="{path}">{anchor}</a> ' for path, anchor in names.items())
    web: Web = {"/": f"<p>granite summit glacier ridge</p>{anchors}"}
    web |= {path: f"<title>{path}</title><p>Page {path}." for path in names}
    crawl_of(
        web,
        tmp_path / "out",
        top={"strategy": "best-first"},
        topic={"keywords": list(KEYWORDS)},
        judge={"kind": "topic", "threshold": 0.3},
    )
    assert [url[13:] for url in kept(tmp_path / "out")] == ["/", "/3", "/1", "/4", "/2"]


WIDE: Web = {
    ("a.test", "/"): links(*(f"/{n}" for n in range(10)), *(f"http://b.test/{n}" for n in range(10))),
    **{f"/{n}": (lambda request: f"<p>{request.url}</p>") for n in range(10)},
}


@pytest.mark.parametrize(
    ("limits", "pages", "ended"),
    [
        ({"pages": 4}, 4, "limits.pages = 4 reached"),
        ({"bytes": 400}, None, "limits.bytes = 400 reached"),
        ({"hours": 1e-9}, 0, "limits.hours = 1e-09 reached"),
        ({"pages_per_host": 3}, 6, "nothing is left to fetch"),
        ({"pages_per_site": 2}, 4, "nothing is left to fetch"),
    ],
)
def test_limits_end_the_crawl(limits: dict[str, Any], pages: int | None, ended: str, tmp_path: Path) -> None:
    """Each limit is kept to the page, and the summary names it."""
    summary, _ = crawl_of(WIDE, tmp_path / "out", limits=limits, fetch={"concurrency": 8})
    assert summary.ended == ended
    assert pages is None or len(kept(tmp_path / "out")) == pages
    assert summary.pages == len(kept(tmp_path / "out"))


def test_a_raised_limit_applies_when_run_again(tmp_path: Path) -> None:
    """The same collection goes on where it was, with the new limit."""
    crawl_of(WIDE, tmp_path / "out", limits={"pages": 4})
    first = kept(tmp_path / "out")
    summary, site = crawl_of(WIDE, tmp_path / "out", limits={"pages": 9})
    assert kept(tmp_path / "out")[:4] == first
    assert summary.pages == len(kept(tmp_path / "out")) == 9
    assert not {START, *first} & set(site.urls())


# --- scope --------------------------------------------------------------------------------------


def test_tracking_parameters_tell_pages_apart_where_the_spec_says_so(tmp_path: Path) -> None:
    """As links, as seeds, after a redirect and for `why`; a collection keeps to what it was begun with."""
    seen = "<p>As seen by whoever came from {}."
    web: Web = {
        "/": links("/a?id=1&utm_source=x", "/a?id=1", "/moved"),
        "/moved": redirect("/a?id=1&utm_source=y"),
        **{f"/a?id=1{more}": seen.format(more) for more in ("", "&utm_source=x", "&utm_source=y")},
    }
    apart = {"scope": {"fold_tracking": False}}
    crawl_of(web, tmp_path / "folded")
    assert sum("id=1" in url for url in kept(tmp_path / "folded")) == 1
    crawl_of(web, tmp_path / "out", **apart)
    found = {url for url in kept(tmp_path / "out") if "id=1" in url}
    assert found == {f"http://a.test/a?id=1{more}" for more in ("", "&utm_source=x", "&utm_source=y")}
    assert explain(tmp_path / "out", "http://a.test/a?utm_source=z&id=1").status == 0
    assert explain(tmp_path / "out", "http://a.test/a?id=1&utm_source=x").status == 200
    with pytest.raises(CollectionError, match="fold_tracking"):
        crawl_of(web, tmp_path / "out")
    crawl_of(web, tmp_path / "out", **apart)


def test_scope_refuses_links_by_rule(tmp_path: Path) -> None:
    """Hosts, paths, depth and traps each refuse with their own reason."""
    targets = ("/in", "/print/1", "http://b.test/", "http://c.test/", "/x/x/x/x/", "/deep")
    web: Web = {
        "/": links(*targets),
        "/in": "<p>In.",
        "/deep": links("/deeper"),
        "/deeper": links("/deepest"),
    }
    scope = {"hosts": ["*.test"], "exclude_hosts": ["c.test"], "exclude": ["/print/*"], "depth": 1}
    crawl_of(web, tmp_path / "out", scope=scope | {"hosts": ["a.test"]})
    assert refused_links(tmp_path / "out") == {
        "http://a.test/print/1": "PATH",
        "http://b.test/": "OUT_OF_SCOPE",
        "http://c.test/": "OUT_OF_SCOPE",
        "http://a.test/x/x/x/x/": "TRAP",
    }
    assert refused_links(tmp_path / "out", "http://a.test/deep") == {"http://a.test/deeper": "TOO_DEEP"}
    assert set(kept(tmp_path / "out")) == {START, "http://a.test/in", "http://a.test/deep"}


def test_unwanted_content_types_are_not_read(tmp_path: Path) -> None:
    """A page of another type than the scope's is refused at its headers."""
    web: Web = {"/": links("/a.zip", "/b.txt"), "/a.zip": data(b"PK", "application/zip")}
    crawl_of(web | {"/b.txt": text("Plain words.")}, tmp_path / "out")
    assert refusal_of(tmp_path / "out", "http://a.test/a.zip") == "CONTENT_TYPE"
    assert "http://a.test/b.txt" in kept(tmp_path / "out")


def test_language_and_date_decide_on_pages(tmp_path: Path) -> None:
    """A page in another language or from another time is not kept, and its links are not followed."""
    german = "<p>" + "Die Katze sitzt auf dem Dach und schaut den Vögeln im Garten nach. " * 5
    dated = '<meta property="article:published_time" content="{}"><title>News</title><p>' + WORDS
    web: Web = {
        "/": html(f"<p>{WORDS}" + "".join(f'<a href="/{name}">{name}</a>' for name in ("de", "old", "new"))),
        "/de": f'{german}<a href="/from-de">x</a>',
        "/old": dated.format("2009-03-01"),
        "/new": dated.format("2021-03-02") + "More.",
    }
    scope = {"languages": ["en"], "date_from": "2020-01-01", "date_to": "2022-12-31"}
    _, site = crawl_of(web, tmp_path / "out", scope=scope)
    assert refusal_of(tmp_path / "out", "http://a.test/de") == "LANGUAGE"
    assert refusal_of(tmp_path / "out", "http://a.test/old") == "DATE"
    assert kept(tmp_path / "out") == [START, "http://a.test/new"]
    assert not site.hits("http://a.test/from-de")


def test_the_author_of_a_page_may_forbid(tmp_path: Path) -> None:
    """noindex keeps a page out, nofollow its links; headers count as meta tags do; rel=nofollow is advice."""
    web: Web = {
        "/": html('<a href="/i">i</a><a href="/f">f</a><a href="/h">h</a><a rel="nofollow" href="/r">r</a>'),
        "/i": '<meta name="robots" content="noindex"><p>No.<a href="/from-i">x</a>',
        "/f": '<meta name="robots" content="nofollow"><p>Yes.<a href="/from-f">x</a>',
        "/h": html('<p>Tagged.<a href="/from-h">x</a>', x_robots_tag="nofollow"),
        "/r": "<p>Advertised.",
    }
    _, site = crawl_of(web, tmp_path / "out")
    assert refusal_of(tmp_path / "out", "http://a.test/i") == "NOINDEX"
    assert refused_links(tmp_path / "out", "http://a.test/f") == {"http://a.test/from-f": "NOFOLLOW"}
    assert not any("from-" in url for url in site.urls())
    assert "http://a.test/r" in kept(tmp_path / "out")
    crawl_of(web, tmp_path / "strict", fetch={"obey_rel_nofollow": True})
    assert refused_links(tmp_path / "strict") == {"http://a.test/r": "NOFOLLOW"}
    crawl_of(web, tmp_path / "rude", fetch={"obey_nofollow": False})
    assert "http://a.test/i" in kept(tmp_path / "rude")


# --- redirects ----------------------------------------------------------------------------------


def test_redirects_are_followed_as_new_links(tmp_path: Path) -> None:
    """To the same identity, within the host and to another host; not out of scope, in circles or for ever."""
    web: Web = {
        ("a.test", "/"): links("/same", "/moved", "/away", "/out", "/loop", "/long/0", "/wide"),
        "/same": redirect("/same/"),
        "/same/": "<p>The same.",
        "/moved": redirect("/target", 301),
        "/target": "<p>Found.",
        "/away": redirect("http://b.test/there"),
        ("b.test", "/there"): "<p>Abroad.",
        "/out": redirect("http://c.test/"),
        "/loop": redirect("/pool"),
        "/pool": redirect("/loop"),
        "/long/*": lambda request: redirect(f"/long/{int(request.path[6:]) + 1}"),
        "/wide": redirect("/" + "index.html/" * 2_000),
    }
    _, site = crawl_of(
        web, tmp_path / "out", scope={"hosts": ["a.test", "b.test"]}, fetch={"max_redirects": 3}
    )
    out = tmp_path / "out"
    assert set(kept(out)) == {START, "http://a.test/same/", "http://a.test/target", "http://b.test/there"}
    assert refused_links(out, "http://a.test/out") == {"http://c.test/": "OUT_OF_SCOPE"}
    assert refusal_of(out, "http://a.test/pool") == "REDIRECT_LOOP"
    assert refusal_of(out, "http://a.test/long/3") == "TOO_MANY_REDIRECTS"
    assert refusal_of(out, "http://a.test/wide") == "LONG_URL"
    assert site.hits("http://b.test/robots.txt") == 1
    assert not site.times("c.test")
    assert not site.hits("http://a.test/long/4")


# --- requisites, revisits, duplicates -----------------------------------------------------------

DRESSED: Web = {
    "/": '<p>granite summit glacier ridge granite summit<a href="/other">x</a><link rel=stylesheet href=/s.css><img src=/i.png>',
    "/other": "<p>cooking soup<img src=/o.png>",
    "/s.css": data(b"@font-face { src: url(/f.woff2) }", "text/css"),
    "/i.png": data(b"\x89PNG i", "image/png"),
    "/o.png": data(b"\x89PNG o", "image/png"),
    "/f.woff2": data(b"wOF2", "font/woff2"),
}


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("none", set()),
        ("relevant", {"/s.css", "/i.png", "/f.woff2"}),
        ("all", {"/s.css", "/i.png", "/f.woff2", "/o.png"}),
    ],
)
def test_requisites_are_archived_where_wanted(wanted: str, found: set[str], tmp_path: Path) -> None:
    """Stylesheets, pictures and the stylesheets' fonts, of no, of relevant or of all pages."""
    summary, _ = crawl_of(
        DRESSED,
        tmp_path / "out",
        topic={"keywords": list(KEYWORDS)},
        judge={"kind": "topic", "threshold": 0.3},
        archive={"requisites": wanted},
    )
    got = {url[13:] for url, page in pages_of(tmp_path / "out").items() if page.kind == "requisite"}
    assert got == found
    assert summary.pages == 2


def test_seeds_are_revisited_with_their_etag(tmp_path: Path) -> None:
    """After the time has come the seed is asked for again; unchanged, it gets a revisit record."""
    web: Web = {"/": with_etag(f"<p>{WORDS}<a href='/a'>a</a>"), "/a": "<p>A."}
    _, site = crawl_of(
        web, tmp_path / "out", archive={"revisit_after_h": 0.1 / 3600}, limits={"hours": 2.5 / 3600}
    )
    assert site.hits(START) >= 3
    with Collection.open(tmp_path / "out") as collection:
        page = collection.reader.page(key_of(START))
        assert page is not None
        captures = list(collection.reader.captures(page.id))
    assert (page.status, page.refusal) == (200, None)
    assert [capture.status for capture in captures[:3]] == [200, 304, 304]
    revisits = [headers for kind, headers, _ in records_of(tmp_path / "out" / "archive") if kind == "revisit"]
    assert revisits[0]["WARC-Profile"].endswith("server-not-modified")


def test_duplicates_are_noticed(tmp_path: Path) -> None:
    """The same bytes are refused and archived as a revisit; nearly the same ones are kept and marked."""
    body = " ".join(f"word{n} thing{n % 37} part{n % 11}" for n in range(400))
    web: Web = {
        "/": links("/one", "/same", "/near"),
        "/one": f"<title>T</title><p>{body}",
        "/same": f"<title>T</title><p>{body}",
        "/near": f"<title>T</title><p>{body} again",
    }
    crawl_of(web, tmp_path / "out")
    pages = pages_of(tmp_path / "out")
    assert pages["http://a.test/same"].refusal == Refusal(Reason.DUPLICATE, "http://a.test/one")
    assert pages["http://a.test/near"].near_duplicate_of == key_of("http://a.test/one")
    assert types_of(tmp_path / "out" / "archive").count("revisit") == 1


def test_the_archive_says_who_made_it_and_how(tmp_path: Path) -> None:
    """Every WARC file begins with the program, the crawl, the contact, and what the servers were told."""
    crawl_of({"/": "<p>Hello."}, tmp_path / "out", fetch={"contact": "me@site.example"})
    kind, _, content = records_of(tmp_path / "out" / "archive")[0]
    assert kind == "warcinfo"
    said = dict(line.split(": ", 1) for line in content.decode().splitlines())
    assert said["software"].startswith("Lycosa/")
    assert (said["isPartOf"], said["robots"], said["operator"]) == ("crawl", "classic", "me@site.example")
    assert said["http-header-user-agent"].endswith("(focused crawler; contact: me@site.example)")


def test_error_pages_are_not_kept(tmp_path: Path) -> None:
    """A 404 and a page that only says so are refused and not followed."""
    soft = "<title>Page not found</title><h1>404</h1><p>Sorry.<a href='/more'>x</a>"
    web: Web = {
        "/": links("/soft", "/hard", "/same"),
        "/soft": soft,
        "/hard": status(404),
        "/more": "<p>More.",
    }
    web["/same"] = CannedResponse(status=304)  # as what? nobody has said what we have
    _, site = crawl_of(web, tmp_path / "out")
    assert refusal_of(tmp_path / "out", "http://a.test/soft") == "SOFT_404"
    assert refusal_of(tmp_path / "out", "http://a.test/hard") == "HTTP_ERROR"
    assert refusal_of(tmp_path / "out", "http://a.test/same") == "HTTP_ERROR"
    assert not site.hits("http://a.test/more")


def test_strategies_hear_of_urls_that_led_to_no_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of those the server has none at, or none for us; not of its own troubles. A resumed crawl hears of the same."""
    heard: list[str] = []
    monkeypatch.setattr(Fused, "led_nowhere", lambda self, link: heard.append(link.url.removeprefix(START)))
    codes = (401, 403, 404, 410, 429, 451, 500)
    web: Web = {f"/{code}": status(code) for code in codes}
    web |= {
        "/": links("/moved", "/page", *(f"/{code}" for code in codes)),
        "/page": f"<p>{WORDS}",
        "/moved": redirect("/404b"),
        "/404b": status(404),
    }
    crawl_of(web, tmp_path / "out", top={"strategy": "fused"}, fetch={"retries": 0})

    expected = ["403", "404", "404b", "410", "451"]
    assert sorted(heard) == expected

    heard.clear()
    crawl_of(web, tmp_path / "out", top={"strategy": "fused"}, fetch={"retries": 0})
    assert sorted(heard) == expected


def test_the_log_tells_what_happened(tmp_path: Path) -> None:
    """Runs with their figures, every URL that became no page with its reason, and what the user was told."""
    seeds = {"urls": [START, "http://b.test/", "nonsense"]}
    web: Web = {("a.test", "/"): links("/hard", "/a.zip"), "/a.zip": data(b"PK", "application/zip")}
    crawl_of(web, tmp_path / "out", seeds=seeds)
    lines = (tmp_path / "out" / "crawl.log").read_text(encoding="utf-8").splitlines()
    events = [json.loads(line) for line in lines]
    told = {(event["event"], event.get("url", ""), event.get("reason", "")) for event in events}
    assert told == {
        ("run begun", "", ""),
        ("note", "", ""),
        ("refused", "http://a.test/hard", "HTTP_ERROR"),
        ("refused", "http://b.test/", "HTTP_ERROR"),
        ("not fetched", "http://a.test/a.zip", "CONTENT_TYPE"),
        ("run ended", "", ""),
    }
    assert (events[-1]["pages"], events[-1]["ended"]) == (1, "nothing is left to fetch")


# --- holds and exploration ----------------------------------------------------------------------


@pytest.fixture
def toys(monkeypatch: pytest.MonkeyPatch) -> None:
    add_toys(monkeypatch)


@pytest.mark.usefixtures("toys")
def test_held_links_wait_for_their_profile(tmp_path: Path) -> None:
    """They are settled with its value when it arrives, although it comes last."""
    web: Web = {"/": links("/detail", "/profile", "/page")}
    web |= {path: f"<p>This is {path}." for path in ("/detail", "/profile", "/page")}
    crawl_of(web, tmp_path / "out", top={"strategy": "patient"})
    assert [url[13:] for url in kept(tmp_path / "out")] == ["/", "/page", "/profile", "/detail"]
    with Collection.open(tmp_path / "out") as collection:
        (first, *_) = collection.reader.links(1)
    assert (first.hold, first.priority, first.rule) == ("", 0.9, "its profile is good")


@pytest.mark.usefixtures("toys")
@pytest.mark.parametrize("awaited", ["/profile", "/picture.png", "/nothing"])
def test_held_links_are_settled_when_nothing_comes(awaited: str, tmp_path: Path) -> None:
    """A profile that fails, a picture that is none, or nothing to wait for: settled with None."""
    web: Web = {"/": links("/detail", "/detail/anyway", awaited), "/detail/anyway": "<p>Anyway."}
    _, site = crawl_of(web, tmp_path / "out", top={"strategy": "patient"})
    assert [url[13:] for url in kept(tmp_path / "out")] == ["/", "/detail/anyway"]
    assert refused_links(tmp_path / "out") == {"http://a.test/detail": "LOW_PRIORITY"}
    assert not site.hits("http://a.test/detail")


@pytest.mark.usefixtures("toys")
def test_explored_pages_join_when_selected(tmp_path: Path) -> None:
    """What was only looked through is not of the collection, until a link selects it: without a fetch."""
    web: Web = {
        "/": html('<a href="/x">look</a><a href="/y">look</a><a href="/z">z</a>'),
        "/x": "<p>Explored and then selected.",
        "/y": html('<p>Explored.<a href="/late">found</a>'),
        "/z": "<p>Selected.",
        "/late": html('<p>Late.<a href="/x">select</a>'),
    }
    summary, site = crawl_of(web, tmp_path / "out", top={"strategy": "explorer"})
    explored = {url[13:] for url, page in pages_of(tmp_path / "out").items() if page.explored}
    assert explored == {"/y"}
    assert site.hits("http://a.test/x") == 1
    assert summary.relevant == 4
    with Collection.open(tmp_path / "out") as collection:
        assert collection.reader.counts().relevant == about(collection)["relevant"] == 4
        assert status_of_collection(collection)["relevant"] == 4  # of a crawl that is not running any more
    again, _ = crawl_of(web, tmp_path / "out", top={"strategy": "explorer"})
    assert (again.pages, again.relevant) == (summary.pages, summary.relevant)


# --- stopping and starting ----------------------------------------------------------------------


def test_ctrl_c_stops_and_the_same_command_goes_on(tmp_path: Path) -> None:
    """SIGINT ends with code 3 and a word; run again, the crawl comes to its end; nothing is fetched twice."""
    with Site(small_web(3, 30)) as site:
        spec = tmp_path / "crawl.toml"
        section = {"connect_to": site.connect_to, "allow_private": ["*.test"], "per_host_delay_s": 0.05}
        spec.write_text(spec_text(site, ["http://h0.test/"], fetch=section), encoding="utf-8")
        command = [sys.executable, "-m", "lycosa", "crawl", str(spec), "--quiet"]
        slowly = [
            *command,
            "--set",
            "fetch.per_host_delay_s=2",
        ]  # however busy the machine is, it has not ended yet
        process = subprocess.Popen(slowly, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        while len(site.log) < 7 and process.poll() is None:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=600)
        assert process.returncode == 3, err
        assert b"Stopping" in err
        assert b"run the same command again" in err
        done = subprocess.run(command, cwd=ROOT, capture_output=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    assert b"90 pages" in done.stdout
    assert len(site.log) == len(set(site.urls())) == 93  # and three robots.txt
    assert out


def test_lists_are_read_politely_after_a_crash(tmp_path: Path) -> None:
    """A host that was being asked when the process was killed rests before its sitemap is read again."""
    sitemap = text("<urlset><url><loc>http://h0.test/</loc></url></urlset>", "application/xml")
    with Site(small_web(1, 20) | {"/map.xml": sitemap}) as site:
        spec = tmp_path / "crawl.toml"
        section = {"connect_to": site.connect_to, "allow_private": ["*.test"], "per_host_delay_s": 3}
        seeds = {"sitemaps": ["http://h0.test/map.xml"]}
        spec.write_text(spec_text(site, [], fetch=section, seeds=seeds), encoding="utf-8")
        for asked in (1, 2, 3):
            with crawling(spec, tmp_path / "out"):
                while len(site.log) < asked:
                    time.sleep(0.02)
        times = site.times("h0.test")
    assert min(after - before for before, after in pairwise(times)) >= 3


def test_a_page_that_could_not_be_analysed_is_analysed_by_the_next_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the archive: its host is not asked again. Links that it leads to are followed."""
    web: dict[str | tuple[str, str], Page] = {"/": links("/a"), "/a": links("/b"), "/b": html("<p>Far away")}
    analysed = InlineAnalyser.analyse

    async def too_busy(self: InlineAnalyser, fetched: Fetched) -> Any:
        if fetched.link.url.endswith("/a"):
            return Refusal(Reason.ANALYSIS_TIMEOUT)
        return await analysed(self, fetched)

    with Site(web) as site:
        spec = spec_text(site, ["http://h0.test/"])
        monkeypatch.setattr(InlineAnalyser, "analyse", too_busy)
        assert crawl(spec, tmp_path / "out").pages == 1
        monkeypatch.undo()
        assert crawl(spec, tmp_path / "out").pages == 3
        assert crawl(spec, tmp_path / "out").pages == 3
        asked = site.urls()
    assert asked == [f"http://h0.test/{path}" for path in ("robots.txt", "", "a", "b")]


# --- workers ------------------------------------------------------------------------------------


def _response(path: str) -> Fetched:
    url = f"http://a.test/{path}"
    headers = (("Content-Type", "text/html"),)
    return Fetched(Link(url, key_of(url)), 200, headers, b"<title>T</title><p>Text", b"", b"", 0.0, 0.0)


async def test_a_worker_that_dies_or_stalls_costs_only_its_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its page is refused with the reason, it is replaced and noted, and all other pages are analysed."""
    monkeypatch.setattr(workers, "STALLED", 4)
    notes: list[str] = []
    async with WorkerPool(Recipe(evidence=(Fatal(),)), 2, 0.5, notes.append) as pool:
        paths = ["1", "deadly", "2", "sleepy", "3", "4"]
        results = await asyncio.gather(*(pool.analyse(_response(path)) for path in paths))
    reasons = [result.reason if isinstance(result, Refusal) else None for result in results]
    assert reasons == [None, Reason.ANALYSIS_CRASH, None, Reason.ANALYSIS_TIMEOUT, None, None]
    assert isinstance(results[1], Refusal)
    assert results[1].detail == "exit code 7"
    assert len(notes) == 4  # each of the two pages was given a second chance


async def test_a_page_that_keeps_its_worker_busy_has_no_second_chance(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It had all its time, and would have it again."""
    monkeypatch.setattr(workers, "STALLED", 1000)  # however busy the machine is
    notes: list[str] = []
    async with WorkerPool(Recipe(evidence=(Fatal(),)), 1, 0.3, notes.append) as pool:
        result = await pool.analyse(_response("busy"))
    assert isinstance(result, Refusal)
    assert result.reason is Reason.ANALYSIS_TIMEOUT
    assert len(notes) == 1


async def test_a_loop_that_lags_does_not_make_pages_late() -> None:
    """What a worker has finished counts, however late we come to hear of it."""
    notes: list[str] = []
    async with WorkerPool(Recipe(), 1, 0.3, notes.append) as pool:
        analysed = asyncio.create_task(pool.analyse(_response("1")))
        await asyncio.sleep(0.01)  # the response is sent
        time.sleep(1.0)
        assert not isinstance(await analysed, Refusal)
    assert not notes


async def test_a_worker_that_the_machine_gives_no_time_is_waited_for() -> None:
    """A page is late by the time that its worker has worked, not by that on the wall."""
    before = set(_children(os.getpid()))
    async with WorkerPool(Recipe(), 1, 0.3) as pool:
        (worker,) = {*_children(os.getpid())} - before
        os.kill(worker, signal.SIGSTOP)
        analysed = asyncio.create_task(pool.analyse(_response("1")))
        await asyncio.sleep(0.7)
        os.kill(worker, signal.SIGCONT)
        assert not isinstance(await analysed, Refusal)


async def test_a_worker_that_was_killed_costs_nothing() -> None:
    """Whoever kills a worker, its page is analysed by another."""
    before = set(_children(os.getpid()))
    async with WorkerPool(Recipe(), 1, 8.0) as pool:
        (worker,) = {*_children(os.getpid())} - before
        os.kill(worker, signal.SIGKILL)
        result = await pool.analyse(_response("1"))
    assert not isinstance(result, Refusal)


async def test_ctrl_c_is_not_for_workers() -> None:
    """A terminal's SIGINT goes to the foreground group, which no worker is in."""
    before = set(_children(os.getpid()))
    async with WorkerPool(Recipe(), 1, 8.0):
        (worker,) = {*_children(os.getpid())} - before
        assert os.getpgid(worker) != os.getpgrp()


def test_workers_die_with_their_parent(tmp_path: Path) -> None:
    """After SIGKILL of the crawl no worker is left. Before, they are copies of it that have none of its files."""
    with Site(small_web(2, 50)) as site:
        spec = tmp_path / "crawl.toml"
        section = {"connect_to": site.connect_to, "allow_private": ["*.test"], "per_host_delay_s": 0.2}
        text_ = spec_text(site, ["http://h0.test/"], fetch=section, process={"workers": 2})
        spec.write_text(text_, encoding="utf-8")
        with crawling(spec, tmp_path / "out") as process:
            while len(site.log) < 5:
                time.sleep(0.02)
            children = _children(process.pid)
            commands = {Path(f"/proc/{pid}/cmdline").read_bytes() for pid in (process.pid, *children)}
            open_files = [
                str(file.readlink()) for pid in children for file in Path(f"/proc/{pid}/fd").iterdir()
            ]
    assert len(children) == 2
    assert len(commands) == 1
    assert not [name for name in open_files if str(tmp_path / "out") in name]
    while any(map(_is_alive, children)):
        time.sleep(0.02)


def _children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()


# --- one engine, two sets of parts --------------------------------------------------------------


def test_memory_and_disk_give_the_same_order(tmp_path: Path) -> None:
    """With one request at a time and no delay, SQLite and WARC change nothing: the lab's promise."""
    with Site(small_web(5, 40)) as site:
        sections: dict[str, dict[str, Any]] = {
            "top": {"strategy": "best-first"},
            "topic": {"keywords": list(KEYWORDS)},
            "judge": {"kind": "topic", "threshold": 0.3},
            "fetch": {
                "per_host_delay_s": 0,
                "concurrency": 1,
                "connect_to": site.connect_to,
                "allow_private": list(site.allow_private),
            },
        }
        source = spec_text(site, ["http://h0.test/"], **sections)
        crawl(source, tmp_path / "out")
        in_memory = asyncio.run(_crawl_in_memory(source))
    assert len(in_memory) == 200
    assert list(pages_of(tmp_path / "out")) == in_memory


async def _crawl_in_memory(source: str) -> list[str]:
    spec = spec_of(source)
    topic: TopicModel = make_topic(spec.topic, [], [])
    strategy = fitted(spec.strategy, {}, preparation(topic, spec.judge))
    store = MemorySink()
    fetch, frontier = (
        spec.fetch,
        MemoryFrontier(Policy(max_waiting=10_000, selectivity=spec.frontier.selectivity)),
    )
    conclusions = Conclusions(
        frontier=frontier,
        strategy=strategy,
        store=store,
        admission=Admission(ScopeSpec(), FetchSpec(), FrontierSpec()),
        follow=Follow(fetch, ArchiveSpec()),
    )
    async with live_fetcher(fetch, spec.scope.content_types) as fetcher:
        engine = Crawl(
            fetcher=fetcher,
            analyser=InlineAnalyser(Recipe(evidence=strategy.needs, terms=True)),
            conclusions=conclusions,
            limits=Limits(concurrency=1),
            refits=inline_refits(strategy.judge_, conclusions, store),
        )
        await engine.run([Link("http://h0.test/", key_of("http://h0.test/"), priority=1.0)])
    return store.fetched
