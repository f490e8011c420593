"""`lycosa init DIR --from URL…` as a user calls it, over loopback; and the crawl of what it wrote."""

from __future__ import annotations

from functools import partial
from typing import Any

from typer.testing import CliRunner

from lycosa.cli import app
from lycosa.methods.lookup import all_settings
from lycosa.spec.reading import load_spec
from lycosa.spec.sections import FetchSpec
from lycosa.spec.writing import toml
from lycosa.testing import Page, Site
from tests.crawling import pages_of

WEB: dict[str | tuple[str, str], Page] = {
    "/a": "<title>Barn owls</title><p>The barn owl hunts mice at night. Barn owls nest in old barns, on farms. "
    "<a href=/c>More on owls</a> <a href=/d>Trains</a>",
    "/b": "<title>Owls</title><p>An owl is a bird of prey that hunts at night. Most owls nest in trees and eat mice.",
    "/c": "<title>Eagle owls</title><p>The eagle owl is the largest owl. It hunts at night, and nests on cliffs.",
    "/d": "<title>Trains</title><p>A train runs on rails. The first railway was built for coal.",
}


def test_pages_become_a_spec_and_the_spec_a_collection(tmp_path, monkeypatch):
    """The draft is shown and written; checked, it is right; crawled, the pages are examples, fetched once more at most."""
    folder = tmp_path / "owls"
    with Site(WEB) as site:
        fetch: dict[str, Any] = {
            "connect_to": site.connect_to,
            "allow_private": site.allow_private,
            "per_host_delay_s": 0,
        }
        monkeypatch.setattr("lycosa.spec.sections.FetchSpec", partial(FetchSpec, **fetch))
        urls = ["http://a.test/a", "http://a.test/b"]
        drafted = CliRunner().invoke(app, ["init", str(folder), "--from", *urls, "--contact", "me@my.org"])
        assert drafted.exit_code == 0, drafted.output
        assert "owls" in drafted.output
        monkeypatch.undo()
        spec, _ = load_spec(folder / "crawl.toml", all_settings())
        assert spec.topic.examples == tuple(urls)
        assert "owls" in spec.topic.keywords
        assert spec.fetch.contact == "me@my.org"
        assert CliRunner().invoke(app, ["check", str(folder)]).exit_code == 0
        changes = [f"--set=fetch.{key}={toml(value)}" for key, value in fetch.items()]
        done = CliRunner().invoke(app, ["crawl", str(folder), "--quiet", "--max-pages=4", *changes])
        assert done.exit_code == 0, done.output
    found = {url: page.judgement for url, page in pages_of(folder / spec.name).items() if page.judgement}
    assert {url for url, judgement in found.items() if judgement.rule == "an example of yours"} == set(urls)
    assert found["http://a.test/c"].score > found["http://a.test/d"].score


def test_pages_that_cannot_be_had_write_nothing(tmp_path, monkeypatch):
    """Nothing is left behind, and the error says what to do."""
    with Site({}) as site:
        fetch: dict[str, Any] = {
            "connect_to": site.connect_to,
            "allow_private": site.allow_private,
            "per_host_delay_s": 0,
        }
        monkeypatch.setattr("lycosa.spec.sections.FetchSpec", partial(FetchSpec, **fetch))
        done = CliRunner().invoke(app, ["init", str(tmp_path / "owls"), "--from", "http://a.test/gone"])
    assert done.exit_code != 0
    assert not (tmp_path / "owls" / "crawl.toml").exists()
