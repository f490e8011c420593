"""A crawl of the demo's sharing site from end to end, as docs/strategies/profile.md says: by commands alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lycosa.errors import InputError, LycosaError, SpecError
from lycosa.testing import Site
from lycosa_lab.demo_web import DemoWeb
from lycosa_lab.demo_web.sharing import HOST, sharing_part
from tests.commands.calling import said as run
from tests.crawling import spec_text

WEB = DemoWeb((sharing_part(1),))
CLOSED = f"{HOST}/maker/knut"


@pytest.fixture(scope="module")
def site():
    with WEB.serve() as site:
        yield site


def crawl_lanterns(folder: Path, pages: int) -> None:
    lanterns = ("--set", 'profile.topic_tags=["lantern"]')
    run("crawl", folder / "crawl.toml", "--quiet", *lanterns, "--max-pages", pages)


def examples(folder: Path, first: int = 20) -> list[str]:
    """Arguments for saved example pages of each type."""
    told: list[str] = []
    for kind in ("list", "detail", "profile"):
        for url in [url for url, each in WEB.page_types if each == kind][first:][:3]:
            file = folder / f"{kind}-{len(told)}.html"
            file.write_bytes(WEB.pages[url].body)
            told += [f"--{kind}", f"{file}={url}"]
    return told


@pytest.fixture
def folder(site: Site, tmp_path: Path) -> Path:
    """A folder with a spec and the site's page types."""
    run("train", "page-types", *examples(tmp_path), "--out", tmp_path / "site.json")
    about = {
        "page_types": "site.json",
        "tag": "kite",
        "cotag_items": 15,
        "cotag_top": 4,
        "cotag_table": "tags.csv",
    }
    sections: dict[str, Any] = {
        "profile": about,
        "limits": {"pages": 240},
        "judge": {},
        "top": {"name": "kites", "strategy": "profile"},
    }
    text = spec_text(site, [f"{HOST}/", f"{HOST}/fresh"], **sections)
    (tmp_path / "crawl.toml").write_text(text.replace('kind = "all"\n', ""))
    return tmp_path


def rows(folder: Path, name: str) -> list[dict[str, object]]:
    run("train", "items", folder / name, "--out", folder / "items.jsonl")
    return [json.loads(line) for line in (folder / "items.jsonl").read_text().splitlines()]


def test_two_stages_and_rows(folder, monkeypatch):
    """From a tag to rows; paths of the spec begin at its folder, wherever the command runs."""
    monkeypatch.chdir("/")
    said = run("crawl", folder / "crawl.toml", "--quiet")
    found = rows(folder, "kites")

    assert "240 pages" in said
    assert (folder / "tags.csv").read_text().splitlines()[1].startswith("kite,15,")
    assert sum(bool(row["relevant"]) for row in found) > 40
    assert {"url", "title", "tags", "uploader", "rank", "relevant"} <= found[0].keys()
    assert any(row["rank"] for row in found)
    assert not any(row["rank"] for row in found if row["uploader"] == "knut"), "his profile asks to sign in"
    said = run("train", "cotags", folder / "kites", "--tag", "kite", "--out", folder / "cotags.csv")
    assert "name it in the spec (path from the spec's folder): [profile] topic_tags" in said


def test_the_demo_shows_it_in_one_command(tmp_path):
    """Page types are learned, the site is crawled, and it is said how many items are of the topic."""
    said = run("demo", "--profile", "--out", tmp_path / "kites")

    assert "of them items (capture 0." in said
    assert (tmp_path / "kites-page-types.json").exists()
    assert len([row for row in rows(tmp_path, "kites") if row["relevant"]]) > 40


def test_a_resumed_crawl_knows_what_it_knew(folder):
    """Stopped in stage one and in stage two, and gone on with, it finds about as much as in one go."""
    run("crawl", folder / "crawl.toml", "--quiet", "--out", folder / "whole")
    for pages in (12, 130, 240):
        run("crawl", folder / "crawl.toml", "--quiet", "--max-pages", pages)
    whole, parts = (
        [row["url"] for row in rows(folder, name) if row["relevant"]] for name in ("whole", "kites")
    )

    assert len(set(parts)) == len(parts)
    assert len(parts) > 0.85 * len(whole)


GUIDED = ("--quiet", "--strategy", "fused")


def test_fused_is_guided_by_profiles(folder):
    """Where the spec has page types the default strategy goes by them too; tags tell what is relevant; `why` says all."""
    run("crawl", folder / "crawl.toml", "--quiet", "--out", folder / "alone")
    run("crawl", folder / "crawl.toml", *GUIDED)
    alone, guided = (rows(folder, name) for name in ("alone", "kites"))
    item = next(row["url"] for row in guided if row["rank"])
    why = run("why", folder / "kites", item)

    assert sum(bool(row["relevant"]) for row in guided) >= 0.9 * sum(bool(row["relevant"]) for row in alone)
    assert "whose item it is, or what else of the site" in why
    assert "how relevant the pages that link to it are" in why


def test_a_guided_crawl_that_goes_on_knows_what_it_knew(folder):
    """Stopped in stage one and in stage two, and gone on with, `fused` with profiles finds about as much as in one go."""
    run("crawl", folder / "crawl.toml", *GUIDED, "--out", folder / "whole")
    for pages in (12, 130, 240):
        run("crawl", folder / "crawl.toml", *GUIDED, "--max-pages", pages)
    whole, parts = (
        [row["url"] for row in rows(folder, name) if row["relevant"]] for name in ("whole", "kites")
    )

    assert len(set(parts)) == len(parts)
    assert len(parts) > 0.85 * len(whole)


@pytest.mark.parametrize(
    "how",
    [
        'profile.topic_tags=["kite", "paper kite"]',
        "profile.topic_tags=own.csv",
    ],
)
def test_topic_tags_skip_stage_one(folder, how, monkeypatch):
    """With tags from the command line or a file no table is made, and profiles are read at once."""
    monkeypatch.chdir("/")
    (folder / "own.csv").write_text("tag,together\nkite,9\npaper kite,3\n")
    run("crawl", folder / "crawl.toml", "--quiet", "--set", how)

    assert not (folder / "tags.csv").exists()
    assert all("kite" in str(row["tags"]) for row in rows(folder, "kites") if row["relevant"])


def test_a_closed_profile_is_explained(folder):
    """Items of a maker whose profile asks to sign in wait last, or are refused, and `why` says so."""
    crawl_lanterns(folder, 400)
    closed = next(p for p, answer in WEB.pages.items() if p == CLOSED and answer.status == 302)
    items = [url for url, page in WEB.pages.items() if "/piece/" in url and b"/maker/knut" in page.body]
    told = [run("why", folder / "kites", url) for url in items]

    assert closed
    assert any("no profile of its uploader" in each for each in told)


def test_why_shows_what_a_page_says_in_words(folder):
    """Tags and people as a list, types and kinds by name; never JSON, keys or positions."""
    crawl_lanterns(folder, 60)
    (row, *_) = [row for row in rows(folder, "kites") if row["tags"] and row["uploader"]]
    told = run("why", folder / "kites", row["url"])

    tags = row["tags"]
    assert isinstance(tags, list)
    assert f"evidence  tags = {', '.join(tags)}\n" in told
    assert f"evidence  uploader = {row['uploader']}\n" in told
    assert "evidence  page-type = detail (" in told
    assert "page-type detail" in told, "of the link that led there"
    assert not any(sign in told for sign in "[]{}")


def test_a_spec_can_be_checked(folder, monkeypatch):
    """`lycosa check` reads the model in the spec's folder, and wants no [topic] either."""
    monkeypatch.chdir("/")
    assert "is right" in run("check", folder / "crawl.toml")
    (folder / "site.json").unlink()
    with pytest.raises(LycosaError, match="cannot be read"):
        run("check", folder / "crawl.toml")


def test_a_model_without_tags(folder, tmp_path):
    """Examples without tags are told when the model is trained, and again before a crawl that could find nothing."""
    said = run("train", "page-types", *examples(tmp_path, first=0), "--out", folder / "site.json")

    assert "--field detail.tags=TEXT" in said
    with pytest.raises(SpecError, match=r"--field detail\.tags=TEXT"):
        run("crawl", folder / "crawl.toml", "--quiet")


def test_a_missing_file_of_tags(folder):
    """A table that is not there is not taken for a tag."""
    with pytest.raises(InputError, match=r"gone\.csv cannot be read as a table of tags \(No such file"):
        run("crawl", folder / "crawl.toml", "--set", "profile.topic_tags=gone.csv", "--quiet")
