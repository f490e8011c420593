"""`lycosa label --assistant`: a language model answers; people are asked about a share, and theirs holds."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from lycosa.collection.collection import Collection
from lycosa.collection.labels import (
    TAKEN_BACK,
    Agreement,
    agreement_in,
    answers_in,
    clear_label,
    labels_in,
    people_labels_in,
    told_of_labels,
)
from lycosa.errors import SpecError
from lycosa.learn.assistant import client
from lycosa.learn.questions import questions_for_people, questions_in
from lycosa.report.html import write_report
from lycosa.testing import Site
from lycosa.why.finding import explain
from tests.assistants import FakeEndpoint, completion, response, verdict
from tests.commands.calling import said
from tests.crawling import TOPIC, crawl, pages_of, small_web, spec_text
from tests.library import sample_library

REASON = "It has <b>the</b> words."


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A crawl for a topic that has ended."""
    out: Path = tmp_path_factory.mktemp("assisted") / "crawl"
    with Site(small_web(4, 40)) as site:
        crawl(spec_text(site, ["http://h0.test/"], **TOPIC, limits={"pages": 60}), out)
    return out


@pytest.fixture
def out(crawled: Path, tmp_path: Path) -> Path:
    """One of its own."""
    return shutil.copytree(crawled, tmp_path / "crawl", ignore=shutil.ignore_patterns("*.sock"))


@pytest.fixture
def endpoint() -> Iterator[FakeEndpoint]:
    """A model that says yes, but refuses every fourth question."""
    count = 0

    def answer(_: object) -> bytes:
        nonlocal count
        count += 1
        return verdict(True, REASON) if count % 4 else completion("No comment.")

    with FakeEndpoint(answer) as made:
        yield made


def spec_for(endpoint: FakeEndpoint, folder: Path, **more: object) -> Path:
    path = folder / "mine" / "crawl.toml"
    path.parent.mkdir(exist_ok=True)
    given = {"questions": 10, "share_for_people": 0.5, **more}
    lines = [f"{key} = {value}" for key, value in given.items()]
    path.write_text(
        '[topic]\nkeywords = ["granite"]\n[seeds]\nurls = ["http://h0.test/"]\n[judge.assistant]\n'
        f'endpoint = "{endpoint.url}"\nmodel = "fake"\n' + "\n".join(lines)
    )
    return path


def test_a_model_answers_and_a_person_has_the_last_word(out, endpoint, tmp_path):
    spec = spec_for(endpoint, tmp_path)
    told = said("label", out, "--assistant", spec, "--count", 8)
    assert "The assistant fake answered 6 questions. 2 other responses did not count." in told
    assert "It has ‹b›the‹/b› words." in told
    assert (
        "of the 5 you answered" in told or "forecasts your answers worse" in told or "Judge version" in told
    )
    answers = answers_in(out)
    assert [answer.relevant for answer in answers.values()] == [True, True, True, None] * 2
    assert labels_in(out).keys() == {key for key, answer in answers.items() if answer.relevant}
    said("label", out, "--assistant", spec, "--count", 8)
    assert len(answers_in(out)) == 10  # the budget
    assert "No question left" in said("label", out, "--assistant", spec)

    url = next(answer.url for answer in answers.values() if answer.relevant)
    why = explain(out, url)
    assert "fake, " in why.answer
    assert "relevant. It has ‹b›the‹/b› words." in str(why)
    assert pages_of(out)[url].judgement.rule == "answered by an assistant"  # type: ignore[union-attr]

    # A person is asked about a half of them first, does not see what was said, and holds.
    shared = [a.key for a in answers_in(out).values() if a.for_people and a.relevant is not None]
    assert len(shared) >= 3
    with Collection.open(out) as collection:
        assert [one.key for one in questions_for_people(collection, 3)] == shared[:3]
        assert not {one.key for one in questions_in(collection, 30)} & labels_in(out).keys()
    told = said("label", out, "--count", 3, answers="y\ny\nn\n")
    assert "It has" not in told
    assert "The assistant agrees with you on 2 of 3 pages." in told
    assert agreement_in(out) == Agreement(2, 3)
    assert labels_in(out)[shared[2]].relevant is False
    assert labels_in(out)[shared[2]].model == ""
    judged = {page.link.key: page.judgement for page in pages_of(out).values()}
    assert judged[shared[2]].rule == "labelled by a person"  # type: ignore[union-attr]
    assert people_labels_in(out).keys() == set(shared[:3])

    summary = told_of_labels(out)
    assert "The assistant agrees with you on 2 of 3 pages." in summary
    report = write_report(out).read_text()
    assert summary in report
    with sample_library.client(out) as browser:
        page = browser.get("/c/crawl/labels").text
        number = next(page.id for page in pages_of(out).values() if page.link.key == shared[2])
        said_of_it = "The assistant fake: relevant. It has ‹b›the‹/b› words."
        assert said_of_it in browser.get(f"/c/crawl/page/{number}").text
        assert said_of_it not in browser.get(f"/c/crawl/page/{number}?asked=yes").text
    assert summary in page
    assert "by the assistant fake: It has ‹b›the‹/b› words." in page
    assert "not the format asked for: No comment." in page

    # What is taken back is first the person's, then the assistant's.
    clear_label(out, shared[2])
    assert labels_in(out)[shared[2]].model == "fake"
    clear_label(out, shared[2])
    assert shared[2] not in labels_in(out)
    assert answers_in(out)[shared[2]].reason == TAKEN_BACK


def test_the_spec_in_a_collection_names_no_endpoint(out):
    """A stranger may have made it, and would get a key of the user."""
    with pytest.raises(SpecError, match="is a collection"):
        said("label", out, "--assistant", out)


def test_a_spec_without_an_assistant(out, tmp_path):
    (tmp_path / "crawl.toml").write_text('[topic]\nkeywords = ["owl"]\n[seeds]\nurls = ["http://a.test/"]\n')
    with pytest.raises(SpecError, match="has no"):
        said("label", out, "--assistant", tmp_path / "crawl.toml")


def test_an_endpoint_that_fails_is_an_error(out, tmp_path, monkeypatch):
    from typer.testing import CliRunner

    from lycosa.cli import app

    monkeypatch.setattr(client, "MAX_BACKOFF_S", 0.01)
    with FakeEndpoint(lambda _: response(404, "no such model")) as endpoint:
        spec = spec_for(endpoint, tmp_path)
        done = CliRunner().invoke(app, ["label", str(out), "--assistant", str(spec)])
    assert done.exit_code == 1
    assert "not asked any more" in done.output
    assert "status 404: no such model" in done.output
    assert not answers_in(out)
