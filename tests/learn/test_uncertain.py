"""Pages that are kept by a judge that cannot tell yet are marked wherever they are shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from typer.testing import CliRunner

from lycosa.cli import app
from lycosa.collection.catalogue.page_filter import COLLECTED
from lycosa.collection.collection import Collection
from lycosa.collection.exports.corpus import export_csv, export_jsonl
from lycosa.collection.search.phrases import TypedQuery
from lycosa.engine.catch_up.relearn import _judge_all, _reopened, history
from lycosa.engine.watch.health import health_of
from lycosa.learn.figures import Figures
from lycosa.learn.history import figures_of, saved_version
from lycosa.learn.judges.version import save_version
from lycosa.library.views import content, monitor
from lycosa.report.html import render
from lycosa.testing import Site
from lycosa.why import explain
from tests.crawling import TOPIC, crawl, small_web, spec_text

WHY = "the kept pages hardly differ from the others"


@pytest.fixture(scope="module")
def summary(tmp_path_factory) -> Any:
    """A crawl whose last version cannot tell."""
    out = tmp_path_factory.mktemp("uncertain") / "c"
    with Site(small_web(4, 40)) as site:
        summary = crawl(spec_text(site, ["http://h0.test/"], limits={"pages": 60}, **TOPIC), out)
    with _reopened(out) as collection:
        version = saved_version(collection)
        assert version
        estimate = msgspec.structs.replace(version.estimate, unsure=WHY)
        unsure = msgspec.structs.replace(version, number=version.number + 1, estimate=estimate)
        save_version(unsure, out / "models")
        _judge_all(collection, unsure, 0)
    return msgspec.structs.replace(summary, **Figures.of(estimate).as_json())


def test_kept_pages_have_the_mark_and_others_have_none(summary, tmp_path):
    """In `why`, in the lists and pages of the library, and in exports."""
    out = Path(summary.collection)
    with Collection.open(out) as collection:
        ids = [page.id for page in collection.reader.pages()]
        found = collection.search.hits(ids, TypedQuery())
        hits = [hit for hit in found if hit.relevant]
        assert not any(hit.uncertain for hit in found if not hit.relevant)
        assert hits
        assert all(hit.uncertain for hit in hits)
        pages = {page.link.url: content.page(collection, page.id) for page in collection.reader.pages()}
    marked = {url for url, page in pages.items() if page and page["uncertain"]}
    assert marked == {hit.url for hit in hits}
    assert "; uncertain)" in str(explain(out, hits[0].url))
    export_jsonl(out, tmp_path / "c.jsonl", COLLECTED)
    rows = [json.loads(line) for line in (tmp_path / "c.jsonl").read_text("utf-8").splitlines()]
    assert {row["url"] for row in rows if row["uncertain"]} == marked
    export_csv(out, tmp_path / "c.csv", COLLECTED)
    assert ",uncertain," in (tmp_path / "c.csv").read_text("utf-8").splitlines()[0]


def test_everything_says_that_it_cannot_tell_and_what_to_do(summary):
    out = Path(summary.collection)
    status = CliRunner().invoke(app, ["status", str(out)], catch_exceptions=False).stdout
    said = [status, str(health_of(summary))]
    with Collection.open(out) as collection:
        said.append(render(collection))
        told = [
            figures_of(collection).unsure,
            content.about(collection)["unsure"],
            monitor.status(collection)["unsure"],
        ]
    assert {*told, summary.unsure, history(out)[-1].figures.unsure} == {WHY}
    assert all("cannot tell yet" in page.casefold() and WHY in page for page in said)
    assert all("lycosa label" in page and "--count 5" in page for page in said)
