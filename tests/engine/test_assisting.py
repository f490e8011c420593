"""A crawl with `[judge.assistant]`: a language model answers beside it and at its end, and never holds it up."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from lycosa.collection.collection import Collection
from lycosa.collection.labels import answers_in, labels_in
from lycosa.engine.session import run_crawl
from lycosa.engine.start.request import CrawlRequest
from lycosa.engine.watch.summary import Summary
from lycosa.errors import SpecError
from lycosa.learn.assistant import client
from lycosa.learn.judges.version import load_version
from lycosa.testing import Site
from tests.assistants import Answer, Asked, FakeEndpoint, Writer, completion, response, shown, verdict
from tests.crawling import KEYWORDS, TOPIC, pages_of, small_web, spec_of, spec_text

PAGES = small_web(4, 40)
LIMIT_S = 20.0


def is_relevant(url: str) -> bool:
    """By the web itself: pages with at least four keywords."""
    host, _, path = url.removeprefix("http://").partition("/")
    return sum(PAGES[host, f"/{path}"].count(word) for word in KEYWORDS) >= 4


def right(asked: Asked) -> bytes:
    return verdict(is_relevant(shown(asked, "URL")), "It counts the words.")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "MAX_BACKOFF_S", 0.01)


def crawled(
    out: Path, answer: Answer, *, fetch: dict[str, Any] | None = None, **assistant: Any
) -> tuple[Summary, list[str], FakeEndpoint]:
    """A crawl of 120 pages: its summary, what was said, and the endpoint."""
    said: list[str] = []
    with Site(PAGES) as site, FakeEndpoint(answer) as endpoint:
        given = {"endpoint": endpoint.url, "model": "fake", "questions": 12, "timeout_s": 5.0, **assistant}
        sections = {**TOPIC, "judge": {"kind": "topic", "assistant": given}, "limits": {"pages": 120}}
        sections["fetch"] = {"per_host_delay_s": 0.02, "concurrency": 4, **(fetch or {})}
        text = spec_text(site, ["http://h0.test/"], **sections)
        request = CrawlRequest(spec_of(text), text, out.parent, out)
        summary = asyncio.run(run_crawl(request, say=said.append))
    return summary, said, endpoint


def test_it_answers_beside_the_crawl_and_at_its_end(tmp_path):
    """All answers are labels with their reason, the last version has heard of them, and the budget is kept."""
    out = tmp_path / "c"
    summary, said, endpoint = crawled(out, right)
    assert summary.pages == 120
    assert "The assistant fake answered 12 questions." in said
    labels = labels_in(out)
    assert len(labels) == len(endpoint.asked) == 12
    for label in labels.values():
        assert (label.relevant, label.reason) == (is_relevant(label.url), "It counts the words.")
        judgement = pages_of(out)[label.url].judgement
        assert judgement
        assert (judgement.relevant, judgement.rule) == (label.relevant, "answered by an assistant")
    with Collection.open(out) as collection:
        newest = max(collection.reader.judge_version(), *collection.reader.set_aside().versions, 0)
    assert load_version(out / "models", newest).said.keys() == labels.keys()
    early = {shown(asked, "URL") for asked in endpoint.asked[:4]}
    late = {page.link.url for page in list(pages_of(out).values())[110:]}
    assert not early & late  # asked while these pages were not there
    assert sum(answer.for_people for answer in answers_in(out).values()) == 3  # a fifth of 12, rounded up
    again = crawled(out, right)
    assert not again[2].asked


def test_answers_on_one_page_at_a_time(tmp_path):
    _, _, endpoint = crawled(tmp_path / "c", right, questions=3)
    urls = [shown(asked, "URL") for asked in endpoint.asked]
    for asked, url in zip(endpoint.asked, urls, strict=True):
        assert not [
            other
            for other in urls
            if other != url and f"URL: {other}\n" in str(asked["messages"][1]["content"])
        ]
        assert "Keywords: granite, summit, glacier, ridge" in asked["messages"][0]["content"]


def test_a_refusal_is_stored_counted_and_not_asked_again(tmp_path):
    replies = [completion("I would rather not."), verdict(None, "too short")]
    _, said, _ = crawled(tmp_path / "c", lambda asked: replies.pop() if replies else right(asked))
    refused = [answer for answer in answers_in(tmp_path / "c").values() if answer.relevant is None]
    assert {answer.reason for answer in refused} == {
        "cannot tell: too short",
        "not the format asked for: I would rather not.",
    }
    assert len(labels_in(tmp_path / "c")) == 10
    assert "The assistant fake answered 10 questions. 2 other responses did not count." in said
    assert len({answer.url for answer in answers_in(tmp_path / "c").values()}) == 12


@pytest.mark.parametrize(
    "answer", [lambda _: response(500, "broken"), lambda _: completion("Owls, owls, owls!"), lambda _: b""]
)
def test_after_failures_in_a_row_it_is_not_asked_any_more(tmp_path, answer):
    summary, said, endpoint = crawled(tmp_path / "c", answer)
    assert summary.pages == 120
    assert sum("is not asked any more: 4 questions in a row had no answer" in line for line in said) == 1
    assert len(endpoint.asked) <= 12
    assert not labels_in(tmp_path / "c")


async def _never(_: Writer) -> None:
    await asyncio.sleep(300)


def test_the_end_waits_for_a_slow_model_no_longer_than_its_patience(tmp_path):
    begun = time.monotonic()
    summary, said, endpoint = crawled(
        tmp_path / "c", lambda _: _never, fetch={"stop_patience_s": 1.0}, timeout_s=100.0
    )
    assert time.monotonic() - begun < LIMIT_S
    assert summary.pages == 120
    assert endpoint.asked
    assert "The assistant fake answered 0 questions. 12 questions left." in said


def test_a_page_without_an_answer_is_left_to_a_later_run(tmp_path):
    """One page that the endpoint always refuses does not use up the others' questions."""
    bad: list[str] = []

    def answer(asked: Asked) -> bytes:
        url = shown(asked, "URL")
        if not bad:
            bad.append(url)
        return response(403, "not this one") if url in bad else right(asked)

    _, said, endpoint = crawled(tmp_path / "c", answer)
    assert "The assistant fake answered 12 questions." in said
    assert [shown(asked, "URL") for asked in endpoint.asked].count(bad[0]) == 1
    assert bad[0] not in {one.url for one in answers_in(tmp_path / "c").values()}


def test_the_key_is_in_no_file_of_the_collection(tmp_path, monkeypatch):
    monkeypatch.setenv("OWL_KEY", "sk-secret-key")
    out = tmp_path / "c"
    _, said, endpoint = crawled(out, lambda _: completion("sk-secret-key"), key_env="OWL_KEY")
    assert "Bearer sk-secret-key" in endpoint.headers[0]
    assert not [path for path in out.rglob("*") if path.is_file() and b"sk-secret-key" in path.read_bytes()]
    assert "sk-secret-key" not in "".join(said)


def test_without_its_key_the_crawl_goes_on_without_it(tmp_path, monkeypatch):
    monkeypatch.delenv("OWL_KEY", raising=False)
    summary, said, endpoint = crawled(tmp_path / "c", right, key_env="OWL_KEY")
    assert summary.pages == 120
    assert not endpoint.asked
    assert sum("OWL_KEY" in line for line in said) == 1


def test_a_judge_that_does_not_learn_has_no_questions(tmp_path):
    with Site(PAGES) as site:
        judge = {"kind": "all", "assistant": {"endpoint": "http://127.0.0.1:9/v1", "model": "m"}}
        text = spec_text(site, ["http://h0.test/"], judge=judge)
        with pytest.raises(SpecError, match="does not learn"):
            asyncio.run(run_crawl(CrawlRequest(spec_of(text), text, tmp_path, tmp_path / "c")))
