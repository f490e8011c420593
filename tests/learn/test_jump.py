"""A version that changes much of what is kept is held and asked about, or applied with a warning."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from typer.testing import CliRunner

from lycosa.cli import app
from lycosa.collection.collection import Collection
from lycosa.engine.catch_up.relearn import _AtRest, _reopened, accept, history, undo
from lycosa.engine.watch.health import health_of
from lycosa.errors import InputError
from lycosa.learn.fitting.crawl_fitter import Fit
from lycosa.learn.fitting.fit_process import InlineFits
from lycosa.learn.history import jump_told, kept_in, saved_version
from lycosa.learn.judges.learning import saved_judge
from lycosa.learn.judges.version import Version, save_version
from lycosa.learn.jump import Jump, jump_between
from lycosa.learn.refit import Refits
from lycosa.library.views import content, monitor
from lycosa.report.html import render
from lycosa.testing import Site
from tests.crawling import TOPIC, crawl, pages_of, small_web, spec_text

OLD = Version(6, 200, 200, "english", "keywords", {}, 0.0, {})
NEW = msgspec.structs.replace(OLD, number=7, pages=400)


def between(old: Version, before: int, left: int, joined: int, **changes: Any) -> Jump | None:
    now = {key: key >= left for key in range(before)} | {1000 + key: True for key in range(joined)}
    new = msgspec.structs.replace(NEW, **changes)
    return jump_between(old, new, set(range(before)), now, lambda keys: {key: f"page {key}" for key in keys})


@pytest.mark.parametrize(("before", "left", "joined"), [(46, 43, 0), (30, 0, 11), (12, 5, 0)])
def test_a_third_is_much(before, left, joined):
    jump = between(OLD, before, left, joined)
    assert jump
    assert (jump.kept, jump.left, jump.joined) == (before, left, joined)
    assert len(jump.titles_left) == min(3, left)
    assert len(jump.titles_joined) == min(3, joined)


def test_what_is_no_jump():
    """A third or less, few kept pages, an early version, and what new answers explain."""
    assert not between(OLD, 30, 10, 10)
    assert not between(OLD, 9, 9, 0)
    assert not between(msgspec.structs.replace(OLD, pages=99), 46, 43, 0)
    assert not between(OLD, 46, 43, 0, said={1: False})


@pytest.fixture
def crawled(tmp_path, monkeypatch) -> Any:
    """A collection with a summary; versions of 50 pages count as late ones."""
    monkeypatch.setattr("lycosa.learn.jump.MIN_PAGES", 50)
    with Site(small_web(4, 40)) as site:
        return crawl(spec_text(site, ["http://h0.test/"], limits={"pages": 60}, **TOPIC), tmp_path / "c")


def applied(out: Path, *, asks: bool) -> list[str]:
    """Offer the judge of a collection a version that keeps next to nothing. Return what people are told."""
    told: list[str] = []
    with _reopened(out) as collection:
        judge, version = saved_judge(out / "models"), saved_version(collection)
        assert version
        fits = InlineFits(judge.brief, collection)
        refits = Refits(
            judge, _AtRest(collection), collection, fits, kept_in(collection, asks=asks), told.append
        )
        refits.resume(version)
        strict = msgspec.structs.replace(version, number=version.number + 1, threshold=0.9999)
        save_version(strict, out / "models")
        with collection.commit():
            refits._apply(Fit(strict, judge.chances(collection.page_terms(0, ""))))
    return told


def kept(out: Path) -> set[str]:
    return {url for url, page in pages_of(out).items() if page.judgement and page.judgement.relevant}


def shown_in(out: Path, summary: Any) -> list[str]:
    with Collection.open(out) as collection:
        told = jump_told(collection)
        pages = (
            content.about(collection)["changed"],
            monitor.status(collection)["changed"],
            render(collection),
        )
    runner = CliRunner()
    asked = runner.invoke(app, ["label", str(out)], input="q\n", catch_exceptions=False).stdout
    status = runner.invoke(app, ["status", str(out)], catch_exceptions=False).stdout
    return [*pages, asked, status, str(health_of(msgspec.structs.replace(summary, changed=told)))]


def test_where_somebody_can_answer_it_is_held(crawled):
    """What was kept stays, everything names the version and how to apply it, and applying it ends that."""
    out = Path(crawled.collection)
    before = kept(out)
    (told,) = applied(out, asks=True)
    assert kept(out) == before
    assert f"would change much of what version {crawled.judge_version} kept: of {len(before)} pages" in told
    assert all("--accept" in page for page in (told, *shown_in(out, crawled)))
    assert [past.status for past in history(out)][-2:] == ["in use", "set aside"]
    assert accept(out).after.version == crawled.judge_version + 1
    assert len(kept(out)) < len(before) / 2
    assert [past.status for past in history(out)][-2:] == ["earlier", "in use"]
    assert not any("--accept" in page for page in shown_in(out, crawled))
    with pytest.raises(InputError, match="waits"):
        accept(out)


def test_where_nobody_can_it_is_applied_with_a_warning(crawled):
    """Everything says how many left, and with what to go back; going back ends that."""
    out = Path(crawled.collection)
    before = kept(out)
    (told,) = applied(out, asks=False)
    left = len(before) - len(kept(out))
    assert left > len(before) / 2
    assert f"of {len(before)} pages {left} left" in told
    assert all("--undo goes back" in page for page in (told, *shown_in(out, crawled)))
    undo(out)
    assert len(kept(out) ^ before) <= 3  # a fit judges each page as if it had not seen it
    assert not any("--undo goes back" in page for page in shown_in(out, crawled))
