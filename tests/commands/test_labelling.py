"""`lycosa label`, `judge --history` and `judge --undo`: answers teach, nothing worse is applied, versions are kept."""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest

from lycosa.collection.collection import Collection
from lycosa.collection.labels import Label, labels_in, set_label
from lycosa.collection.writer import lock_directory
from lycosa.engine.catch_up.relearn import history, relearn
from lycosa.errors import InputError
from lycosa.learn.judges.version import load_version, save_version
from lycosa.learn.questions import Interview, questions_in, telling_of
from lycosa.testing import Site
from lycosa_lab.demo_web import demo_web
from tests.commands.calling import said
from tests.crawling import KEYWORDS, TOPIC, crawl, crawling, pages_of, small_web, spec_text

SIXTY: dict[str, Any] = TOPIC | {"limits": {"pages": 60}}
PAGES = small_web(4, 40)


@pytest.fixture(scope="module")
def crawled(tmp_path_factory) -> Path:
    """A crawl for a topic that has ended."""
    out: Path = tmp_path_factory.mktemp("label") / "crawl"
    with Site(PAGES) as site:
        crawl(spec_text(site, ["http://h0.test/"], **SIXTY), out)
    return out


@pytest.fixture
def out(crawled, tmp_path) -> Path:
    """One of its own."""
    copy: Path = shutil.copytree(crawled, tmp_path / "crawl", ignore=shutil.ignore_patterns("*.sock"))
    return copy


def in_use(out: Path) -> int:
    with Collection.open(out) as collection:
        return collection.reader.judge_version()


def scores(out: Path) -> dict[str, float]:
    return {url: page.judgement.score for url, page in pages_of(out).items() if page.judgement}


def is_relevant(url: str) -> bool:
    """By the web itself: pages with at least four keywords."""
    host, _, path = url.removeprefix("http://").partition("/")
    return sum(PAGES[host, f"/{path}"].count(word) for word in KEYWORDS) >= 4


def answered(out: Path, answers: Mapping[str, bool]) -> None:
    for number, (url, relevant) in enumerate(answers.items()):
        set_label(out, Label(pages_of(out)[url].link.key, url, relevant, time.time() + number))


def test_answers_teach_and_it_is_said_what_changed(out):
    """Five answers make a version, the sixth another at the end; each is kept beside its page's reasons."""
    before = in_use(out)
    told = said("label", out, "--count", 6, answers="y\nn\ny\nn\nn\ny\n")
    assert told.count("relevant? y / n") == 6
    assert "of the 5 you answered" in told or "forecasts your answers worse" in told
    assert "kept " in told
    assert "→" in told
    assert "chance of being relevant, by the judge: 0." in told
    assert "words: " in told
    assert "“" in told
    labels = labels_in(out)
    assert len(labels) == 6
    by_key = {page.link.key: page for page in pages_of(out).values()}
    for key, label in labels.items():
        judgement = by_key[key].judgement
        assert judgement
        assert judgement.relevant is label.relevant
        assert judgement.rule == "labelled by a person"
    assert [past.number for past in history(out)][-2:] == [before + 1, before + 2]


def test_words_are_shown_as_people_write_them(out):
    """Evidence is made of stems, and nobody reads these."""
    with Collection.open(out) as collection:
        for question in questions_in(collection, 5):
            words = [word for word, _ in telling_of(collection, question, "english").words]
            text = f"{question.title} {collection.reader.text(question.id)}".lower()
            assert words
            assert {*words} <= {*re.findall(r"\w+", text)}


def test_it_ends_with_what_to_do_next(out):
    """More answers while they are few, whether any was given now or not; then the report."""
    assert said("label", out, answers="").endswith(
        f"What would help most: lycosa label {out}, as 0 answers of about 20 are there. "
        f"Then lycosa report {out} shows what is kept now.\n"
    )
    told = said("label", out, "--count", 20, answers="y\nn\n" * 10)
    assert told.splitlines()[-1].startswith(f"Next: lycosa report {out} shows what is kept now; ")


def test_no_page_is_read_again(out, monkeypatch):
    """What is learned is learned from stored terms."""
    with Collection.open(out) as collection:
        asked = questions_in(collection, 5)
    answered(out, {question.url: is_relevant(question.url) for question in asked})
    monkeypatch.setattr("lycosa.engine.catch_up.rejudge.response_of", None)
    monkeypatch.setattr("lycosa.learn.labels.response_of", None)
    assert relearn(out).after.version >= in_use(out)


def test_one_can_skip_go_back_and_quit(out):
    """A skipped page is not asked again; an answer that was gone back to is taken back; what follows q is not read."""
    told = said("label", out, "--count", 9, answers="s\ny\nb\nn\nwhat\ns\nq\ny\n")
    assert "Answer y (relevant)" in told
    assert [label.relevant for label in labels_in(out).values()] == [False]
    titles = [line for line in told.splitlines() if " of 9  " in line]
    assert len(titles) == 6  # the second and third one twice
    assert titles[1:3] == titles[3:5]
    assert len({line.partition("  ")[2] for line in titles}) == 4


def test_without_an_answer_nothing_changes(out):
    before = in_use(out)
    assert "nothing has changed" in said("label", out, answers="")
    assert "first question" in said("label", out, answers="b\nq\n")
    assert in_use(out) == before


def test_the_first_questions_are_spread_and_none_comes_twice(out):
    with Collection.open(out) as collection:
        asked = questions_in(collection, 10)
        known = {asked[0].key}
        again = questions_in(collection, 10, without=known)
    assert len({question.key for question in asked}) == len(asked)
    assert not known & {question.key for question in again}
    assert max(q.probability for q in asked) - min(q.probability for q in asked) > 0.3


def test_a_running_crawl_learns_what_is_answered(tmp_path):
    """Told through its socket, it fits its judge with the answers and goes on."""
    out = tmp_path / "c"
    with Site(small_web(10, 300)) as site:  # however long the answers take, the crawl has not ended meanwhile
        sections = SIXTY | {"limits": {"pages": 10_000}, "fetch": {"per_host_delay_s": 1, "concurrency": 4}}
        (tmp_path / "crawl.toml").write_text(spec_text(site, ["http://h0.test/"], **sections))
        with crawling(tmp_path / "crawl.toml", out) as process:
            while not (out / "control.sock").exists() or len(pages_of(out)) < 25:
                assert process.poll() is None
                time.sleep(0.1)
            told = said("label", out, "--count", 5, answers="y\nn\ny\nn\nn\n")
            assert process.poll() is None
            assert "kept " in told
            said("stop", out)
            assert process.wait() == 0
    newest = history(out)[-1]
    assert newest.answers == 5
    assert "running" in said("status", out)


def test_a_crawl_that_begins_anew_with_what_it_has_learned_is_waited_for(out, monkeypatch):
    """For a moment nobody answers, and the folder is taken; on a busy machine the moment is long."""
    url = next(iter(scores(out)))
    answered(out, {url: True})
    with ExitStack() as crawl_that_runs:
        crawl_that_runs.enter_context(lock_directory(out))
        told = iter([{"ok": True}, None, None])

        def ask(*_: object) -> dict[str, Any] | None:
            with suppress(StopIteration):
                return next(told)
            crawl_that_runs.close()
            return None

        monkeypatch.setattr("lycosa.engine.catch_up.relearn.ask", ask)
        assert relearn(out).after.answers == 1
        assert list(told) == []


def test_a_worse_version_is_kept_and_not_applied(out):
    """Answers that nothing on the pages explains: the judge stays, the answers hold, and it is said."""
    before, version = scores(out), in_use(out)
    ranked = sorted(before, key=lambda url: before[url])
    wrong = dict.fromkeys(ranked[:3], True) | dict.fromkeys(ranked[-4:], False)
    answered(out, wrong)
    models = out / "models"
    sure = msgspec.structs.replace(  # it has forecast all of it
        load_version(models, version),
        forecasts={pages_of(out)[url].link.key: float(yes) for url, yes in wrong.items()},
    )
    save_version(sure, models)
    done = relearn(out)
    assert done.refused == version + 1
    assert "worse" in str(done)
    assert in_use(out) == version
    now = scores(out)
    assert {url: now[url] for url in wrong} == {url: float(yes) for url, yes in wrong.items()}
    assert all(now[url] == score for url, score in before.items() if url not in wrong)
    assert history(out)[-1].status == "set aside"
    assert relearn(out).after.version == version  # nothing is tried twice
    assert len(history(out)) == version + 1


def test_three_answers_do_not_ruin_a_collection(crawled_demo, tmp_path):
    """Three pages that were kept are not relevant: what is right of the others is still kept."""
    out = shutil.copytree(crawled_demo / "demo", tmp_path / "demo")
    truth = {url for url, topic, grade in demo_web().labels if topic == "owls" and grade} & {*scores(out)}

    def recall() -> float:
        kept = {url for url, page in pages_of(out).items() if page.judgement and page.judgement.relevant}
        return len(kept & truth) / len(truth)

    before = recall()
    found = scores(out)
    wrong = [url for url in sorted(found, key=lambda url: -found[url]) if url not in truth][:3]
    answered(out, dict.fromkeys(wrong, False))
    assert "kept " in str(relearn(out))
    assert recall() > before - 0.1


def test_history_and_undo(out, monkeypatch):
    """Back one version: pages judged by it from stored terms, nothing fitted by itself, until more is answered."""
    monkeypatch.setattr("lycosa.learn.refit.is_worse", lambda *_: False)
    first = in_use(out)
    before = scores(out)
    with Collection.open(out) as collection:
        asked = questions_in(collection, 5)
    told = said("label", out, "--count", 5, answers="".join("ny"[is_relevant(q.url)] + "\n" for q in asked))
    assert "of the 5 you answered" in told
    assert in_use(out) == first + 1
    told = said("judge", "--history", out)
    assert told.count("in use") == 1
    assert told.splitlines()[-1].endswith("in use")
    rows = json.loads(said("judge", "--history", out, "--json"))
    assert rows[-1]["answers"] == 5
    assert rows[-1]["pages"] == 60
    told = said("judge", "--undo", out)
    assert f"Back to judge version {first}" in told
    assert "until you label further" in told
    assert in_use(out) == first
    answers = {label.url for label in labels_in(out).values()}
    now = scores(out)
    moved = sorted(abs(now[url] - before[url]) for url in before if url not in answers)
    assert moved[len(moved) // 2] < 0.1  # a page's own words were left out before, and are not now
    assert moved[-1] < 0.35
    assert [past.status for past in history(out)[-2:]] == ["in use", "set aside"]
    relearn(out)
    assert in_use(out) == first  # not redone
    with Collection.open(out) as collection:
        further = questions_in(collection, 1)[0]
    answered(out, {further.url: is_relevant(further.url)})
    relearn(out)
    assert history(out)[-1].number == first + 2
    assert history(out)[-1].answers == 6


def test_an_undone_version_is_not_fitted_by_the_crawl(tmp_path):
    """Run again, the crawl goes on with the version that was gone back to, also for new pages."""
    out = tmp_path / "c"
    with Site(PAGES) as site:
        crawl(spec_text(site, ["http://h0.test/"], **SIXTY), out)
        said("judge", "--undo", out)
        version = in_use(out)
        crawl(spec_text(site, ["http://h0.test/"], **(SIXTY | {"limits": {"pages": 90}})), out)
        assert in_use(out) == version
        rules = {page.judgement.rule for page in pages_of(out).values() if page.judgement}
        assert rules == {load_version(out / "models", version).rule}
        Interview(out, 1).take("y")
        crawl(spec_text(site, ["http://h0.test/"], **(SIXTY | {"limits": {"pages": 91}})), out)
    assert history(out)[-1].number > version + 1
    assert history(out)[-1].answers == 1


def test_what_cannot_be_undone_is_said(tmp_path):
    out = tmp_path / "c"
    with Site(PAGES) as site:
        crawl(spec_text(site, ["http://h0.test/"], limits={"pages": 5}), out)
    with pytest.raises(InputError, match="no version before"):
        said("judge", "--undo", out)
    assert "no versions" in said("judge", "--history", out)
    assert "when the crawl is run again" in said("label", out, "--count", 1, answers="n\n")
    with pytest.raises(InputError, match="--history"):
        said("judge", out)
