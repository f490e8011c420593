"""A judge that learns, in a crawl: fitted again, applied in one commit, killed, resumed and told by people."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from lycosa.collection.collection import Collection
from lycosa.collection.labels import Label, clear_label, set_label
from lycosa.collection.writer import CollectionWriter
from lycosa.engine.catch_up.relearn import relearn
from lycosa.frontier.entry import WAITING
from lycosa.learn.fitting import fit_process
from lycosa.learn.fitting.fit_process import ChildFits, InlineFits, copied_beforehand, pages_in
from lycosa.learn.judges.learning import LearningJudge
from lycosa.learn.judges.version import Brief, Chances, Told, load_version, save_version, saved_versions
from lycosa.processes import start_child
from lycosa.testing import Site
from lycosa.urls import key_of
from lycosa.values import Judgement
from lycosa.why import explain
from tests.crawling import KEYWORDS, TOPIC, crawl, crawling, kept, pages_of, small_web, spec_text


@pytest.fixture
def site() -> Any:
    with Site(small_web(4, 40)) as local:
        yield local


def spec(site: Site, pages: int, **sections: Any) -> str:
    return spec_text(site, ["http://h0.test/"], limits={"pages": pages}, **(TOPIC | sections))


def judgements(out: Path) -> dict[str, Judgement]:
    return {url: page.judgement for url, page in pages_of(out).items() if page.judgement}


def version_of(out: Path) -> int:
    with Collection.open(out) as collection:
        return collection.reader.judge_version()


@pytest.mark.parametrize("workers", [0, 1])
def test_all_pages_are_judged_by_the_last_version(site, tmp_path, workers):
    """Pages are judged by the newest version, fitted inline or in a child process."""
    summary = crawl(spec(site, 50, process={"workers": workers}), tmp_path / "out")
    number = version_of(tmp_path / "out")
    version = load_version(tmp_path / "out" / "models", number)
    assert summary.judge_version == number == saved_versions(tmp_path / "out" / "models")[-1]
    assert number > (1 if workers else 3)  # in a child process the number depends on timing
    assert version.pages == summary.pages
    found = judgements(tmp_path / "out")
    assert {judgement.rule for judgement in found.values()} == {version.rule}
    assert all(one.relevant == (one.score >= version.threshold) for one in found.values())
    assert summary.relevant == sum(one.relevant for one in found.values())


def test_fits_are_the_same_wherever_they_are_made(tmp_path):
    """The whole web, crawled by processes beside or in the crawl: the last version says the same of every page."""
    with Site(small_web(2, 40)) as site:
        crawl(spec(site, 1000), tmp_path / "inline")
        crawl(spec(site, 1000, process={"workers": 1}), tmp_path / "beside")
    inline, beside = judgements(tmp_path / "inline"), judgements(tmp_path / "beside")
    assert inline.keys() == beside.keys()
    assert all(one.score == pytest.approx(beside[url].score, abs=1e-6) for url, one in inline.items())


def test_pages_are_judged_anew_some_at_a_time(site, tmp_path, monkeypatch):
    """However many that are: the whole web is judged as it is all at once, and counted so."""
    fused = {"top": {"strategy": "fused"}}
    crawl(spec(site, 1000, **fused), tmp_path / "at once")
    held: list[int] = []
    some = Chances.finder

    def counted(chances: Chances) -> Any:
        find = some(chances)

        def found(keys: Sequence[int]) -> list[Told]:
            held.append(len(keys))
            return find(keys)

        return found

    monkeypatch.setattr(Chances, "finder", counted)
    monkeypatch.setattr("lycosa.collection.catalogue.rows.REJUDGED_AT_ONCE", 7)
    monkeypatch.setattr("lycosa.learn.judges.version.AT_ONCE", 7)
    summary = crawl(spec(site, 1000, **fused), tmp_path / "some")
    assert max(held) == 7
    all_at_once, found = judgements(tmp_path / "at once"), judgements(tmp_path / "some")
    assert found.keys() == all_at_once.keys()
    assert all(one.score == pytest.approx(all_at_once[url].score, abs=1e-6) for url, one in found.items())
    assert summary.relevant == sum(one.relevant for one in found.values())


def test_a_crawl_above_the_bound_is_judged_by_one_version_and_goes_on_as_one_that_was_not_ended(
    tmp_path, monkeypatch
):
    """Fitted on a sample: ended in between and gone on with, every page is judged as in one go, and `why` says by what."""
    monkeypatch.setattr("lycosa.learn.fitting.sampling.MAX_PAGES", 30)
    with Site(small_web(2, 40)) as site:
        crawl(spec(site, 50), tmp_path / "parted")
        crawl(spec(site, 1000), tmp_path / "parted")
        crawl(spec(site, 1000), tmp_path / "whole")
    whole, parted = judgements(tmp_path / "whole"), judgements(tmp_path / "parted")
    assert whole.keys() == parted.keys()
    assert len(whole) > 60
    assert all(one.score == pytest.approx(parted[url].score, abs=1e-6) for url, one in whole.items())
    version = load_version(tmp_path / "parted" / "models", version_of(tmp_path / "parted"))
    assert version.pages == len(parted)
    assert {one.rule for one in parted.values()} == {version.rule}
    words = explain(tmp_path / "parted", kept(tmp_path / "parted")[5]).words
    assert words is not None
    assert sum(amount for _, amount in words.words) + words.others + words.base == pytest.approx(words.score)


def test_a_threshold_in_the_spec_holds(site, tmp_path):
    crawl(spec(site, 30, judge={"kind": "topic", "threshold": 0.9}), tmp_path / "out")
    assert all(one.relevant == (one.score >= 0.9) for one in judgements(tmp_path / "out").values())


@pytest.mark.parametrize(
    ("point", "nth", "workers"), [("synced", 14, 0), ("appended", 14, 1), ("committed", 36, 1)]
)
def test_a_kill_loses_nothing_and_pages_agree_with_their_version(tmp_path, point, nth, workers):
    """SIGKILL around a fit: the catalogue names the version that judged its pages; run again, all is as if unkilled."""
    path, out = tmp_path / "crawl.toml", tmp_path / "killed"
    with Site(small_web(2, 40)) as site:
        path.write_text(spec(site, 1000, process={"workers": workers}), encoding="utf-8")
        with crawling(path, out, point, str(nth)) as process:
            assert process.wait(600) == -signal.SIGKILL
        if number := version_of(out):
            rule = load_version(out / "models", number).rule
            assert {one.rule for one in judgements(out).values()} == {rule}
        crawl(spec(site, 1000), out)
        crawl(spec(site, 1000), tmp_path / "whole")
    whole, killed = judgements(tmp_path / "whole"), judgements(out)
    assert whole.keys() == killed.keys()
    assert all(one.score == pytest.approx(killed[url].score, abs=1e-6) for url, one in whole.items())


def test_a_fit_that_hangs_stops_no_fetching_and_a_kill_during_it_loses_nothing(tmp_path):
    """The process that fits is halted; the crawl goes on, is killed meanwhile, and resumed comes to the same judge."""
    path, out = tmp_path / "crawl.toml", tmp_path / "killed"
    with Site(small_web(2, 40)) as site:
        path.write_text(spec(site, 1000, process={"workers": 1}), encoding="utf-8")
        with crawling(path, out) as process:
            wait_for(lambda: len(site.log) > 15)
            (fitting,) = [pid for pid in children_of(process.pid) if name_of(pid) == "lycosa-fit"]
            os.kill(fitting, signal.SIGSTOP)
            wait_for(lambda: len(site.log) > 60)  # two versions were due since
        wait_for(lambda: not name_of(fitting))
        if number := version_of(out):
            rule = load_version(out / "models", number).rule
            assert {one.rule for one in judgements(out).values()} == {rule}
        crawl(spec(site, 1000, process={"workers": 1}), out)
        crawl(spec(site, 1000), tmp_path / "whole")
    whole, killed = judgements(tmp_path / "whole"), judgements(out)
    assert whole.keys() == killed.keys()
    assert all(one.score == pytest.approx(killed[url].score, abs=1e-6) for url, one in whole.items())


def wait_for(is_so: Callable[[], bool]) -> None:
    while not is_so():
        time.sleep(0.02)


def children_of(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def name_of(pid: int) -> str:
    """What a process calls itself; nothing of one that is gone."""
    try:
        return Path(f"/proc/{pid}/comm").read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return ""


def test_a_version_that_was_written_but_not_applied_is_nothing(site, tmp_path):
    """Killed between its file and its commit: the version before is the judge's, and the next one takes its number."""
    out = tmp_path / "out"
    crawl(spec(site, 30), out)
    number = version_of(out)
    orphan = load_version(out / "models", 1)
    save_version(type(orphan)(**{**_fields(orphan), "number": number + 1}), out / "models")
    crawl(spec(site, 40), out)
    assert version_of(out) > number
    assert load_version(out / "models", number + 1).pages > 30


def _fields(version: Any) -> dict[str, Any]:
    return {name: getattr(version, name) for name in version.__struct_fields__}


def test_a_resumed_crawl_has_the_same_judge(site, tmp_path):
    """Nothing is fitted again without a reason, and what was fitted is not forgotten."""
    out = tmp_path / "out"
    crawl(spec(site, 30), out)
    number, before = version_of(out), judgements(out)
    said: list[str] = []
    crawl(spec(site, 30), out, say=said.append)
    assert version_of(out) == number
    assert judgements(out) == before
    assert saved_versions(out / "models")[-1] == number
    crawl(spec(site, 32), out, say=said.append)
    assert version_of(out) == number + 1  # that of the end
    assert not said


def test_a_version_that_is_gone_is_fitted_anew(site, tmp_path):
    out = tmp_path / "out"
    crawl(spec(site, 30), out)
    for path in (out / "models" / "judge").iterdir():
        path.unlink()
    crawl(spec(site, 30), out)
    version = load_version(out / "models", version_of(out))
    assert {one.rule for one in judgements(out).values()} == {version.rule}


def test_what_people_say_is_learned_without_reading_a_page_again(site, tmp_path, monkeypatch):
    """A label holds on its page, teaches a new version, and can be taken back; nothing is read from the archive."""
    out = tmp_path / "out"
    crawl(spec(site, 40), out)
    before = judgements(out)
    url, verdict = next((url, one) for url, one in before.items() if one.relevant)
    key = pages_of(out)[url].link.key
    set_label(out, Label(key, url, False, time.time()))
    monkeypatch.setattr("lycosa.engine.catch_up.rejudge.response_of", None)
    monkeypatch.setattr("lycosa.learn.labels.response_of", None)
    crawl(spec(site, 40), out)
    assert judgements(out)[url] == Judgement(False, 0.0, "labelled by a person")
    assert load_version(out / "models", version_of(out)).said == {key: False}
    clear_label(out, key)
    crawl(spec(site, 40), out)
    assert judgements(out)[url].score == pytest.approx(verdict.score, abs=1e-9)


def test_examples_and_negatives_are_what_the_user_said(site, tmp_path):
    """Fetched in the crawl too, they are what they were given as."""
    urls = ["http://h0.test/", "http://h1.test/"]
    topic = {"keywords": list(KEYWORDS), "examples": [urls[0]], "negatives": [urls[1]]}
    crawl(spec(site, 60, topic=topic), tmp_path / "out")
    found = judgements(tmp_path / "out")
    assert found[urls[0]] == Judgement(True, 1.0, "an example of yours")
    assert found[urls[1]] == Judgement(False, 0.0, "a negative example of yours")


def test_why_names_the_version_and_the_words(site, tmp_path):
    """The words add up to the score that the version gives."""
    out = tmp_path / "out"
    crawl(spec(site, 40), out)
    told = explain(out, kept(out)[5])
    assert told.words is not None
    words = told.words
    assert sum(amount for _, amount in words.words) + words.others + words.base == pytest.approx(words.score)
    assert f"judge version {version_of(out)}, fitted at 40 pages" in str(told)
    assert words.words[0][0] in str(told)


BRIEF = Brief(keywords={"granit": 1.0})


@pytest.fixture
def crawled(site: Site, tmp_path: Path) -> Path:
    """A collection of twenty pages."""
    crawl(spec(site, 20), tmp_path / "crawled")
    return tmp_path / "crawled"


@pytest.mark.parametrize("is_fitting", [False, True])
async def test_a_process_that_died_is_replaced(crawled, is_fitting):
    """The next version is made by a new process; one halted during its fit has the request and cannot answer."""
    child = await start_child(fit_process.__name__)
    async with ChildFits(BRIEF, crawled, child=child) as fits:
        fits.begin(1)
        first = await fits.last()
        if is_fitting:
            os.kill(child.process.pid, signal.SIGSTOP)
            fits.begin(2)
            await asyncio.sleep(0)
        child.process.kill()
        child.process.wait()
        fits.begin(2)
        second = await fits.last()
    assert first is not None
    assert second is not None
    assert second.version.number == 2
    assert first.chances == second.chances


async def test_a_copy_fits_as_a_process_of_its_own(crawled):
    """Made before the catalogue is opened here; it ends with its context."""
    async with copied_beforehand(wanted=True) as child, ChildFits(BRIEF, crawled, child=child) as copied:
        copied.begin(1)
        first = await copied.last()
    async with ChildFits(BRIEF, crawled) as fits:
        fits.begin(1)
        second = await fits.last()
    assert first == second
    assert child is None or child.process.returncode is not None


async def test_a_copy_that_cannot_read_the_catalogue_is_replaced(crawled):
    """SQLite refuses to work in a copy of a process that has the same file open."""
    with Collection.open(crawled) as collection:
        collection.reader.counts()
        async with copied_beforehand(wanted=True) as child, ChildFits(BRIEF, crawled, child=child) as fits:
            fits.begin(1)
            assert await fits.last() is not None


def test_only_what_is_new_is_read(site, crawled):
    """Fitted twice with pages in between: as one that has read all at once."""
    with CollectionWriter.create_or_open(crawled, spec(site, 20)) as collection:
        grown = InlineFits(BRIEF, collection)
        grown.begin(1)
        grown.arrived()
    crawl(spec(site, 40), crawled)
    with CollectionWriter.create_or_open(crawled, spec(site, 40)) as collection:
        grown.store = collection
        whole = InlineFits(BRIEF, collection)
        for fits in (grown, whole):
            fits.begin(2)
        first, second = grown.arrived(), whole.arrived()
    assert first is not None
    assert second is not None
    assert first.chances.by_key() == pytest.approx(second.chances.by_key())


def test_pages_are_read_a_few_at_a_time(crawled, monkeypatch):
    """All of them, once; and between two of them the crawl can tidy up what it has written."""
    monkeypatch.setattr("lycosa.learn.fitting.fit_process.READ_AT_ONCE", 7)
    reading = pages_in(str(crawled), 0, "")
    first = next(reading)
    with closing(sqlite3.connect(crawled / "catalogue.db")) as writer:
        with writer:
            writer.execute("UPDATE pages SET title = title")
        assert writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0
    with Collection.open(crawled) as collection:
        assert [first, *reading] == list(collection.reader.terms())


def test_a_judge_that_nobody_fits_fits_itself():
    """As when one page is judged on its own."""
    judge = LearningJudge(BRIEF)
    assert not judge.is_fitted
    assert judge.probability({"granit": 5, "rock": 2}) > judge.probability({"owl": 5, "rock": 2})


def waiting(out: Path) -> dict[int, float]:
    with Collection.open(out) as collection:
        return dict(
            collection.connection.execute(f"SELECT id, priority FROM urls WHERE state = {WAITING}").fetchall()
        )


def test_labels_teach_links_as_well_as_pages(site, tmp_path):
    """A stopped collection that was taught scores what waits again when it goes on, once; one that was not leaves it."""
    out, text = tmp_path / "out", spec(site, 40, top={"strategy": "fused"})
    crawl(text, out)
    before = waiting(out)
    crawl(text, out)
    assert waiting(out) == before
    for url, one in list(judgements(out).items())[:12]:
        set_label(out, Label(key_of(url), url, not one.relevant, 1.0))
    relearn(out)
    assert waiting(out) == before
    crawl(text, out)
    taught = waiting(out)
    assert taught.keys() == before.keys()
    assert taught != before
    crawl(text, out)
    assert waiting(out) == taught
