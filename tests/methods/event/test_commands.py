"""`lycosa train event` as users call it: on files, on labelled links, and on a labelled collection."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from lycosa.collection.labels import Label, clear_label, labels_in, set_label
from lycosa.errors import InputError
from lycosa.methods.event import commands as training_event
from lycosa.methods.event.model import OURS, EventModel, load_event
from lycosa.methods.event.training.lessons import event_lessons
from lycosa.testing import Site
from tests.commands.calling import called
from tests.crawling import crawl, pages_of, spec_text
from tests.methods.event.web import EVENT, event_web, html_of, url_of


def run(*arguments: object) -> str:
    return called(training_event, *arguments).output


@pytest.fixture(scope="module")
def collection(tmp_path_factory) -> Path:
    """A crawl of the event web, all pages but the front pages labelled."""
    out: Path = tmp_path_factory.mktemp("event") / "crawl"
    with Site(event_web()) as site:
        text = spec_text(
            site,
            ["http://herald.test/"],
            event=EVENT,
            judge={"kind": "event"},
            top={"strategy": "event"},
        )
        crawl(text, out)
    for url, page in pages_of(out).items():
        if not url.endswith(".test/"):
            set_label(out, Label(page.link.key, url, "/event/" in url, time.time()))
    return out


def folder(path: Path, kind: str, numbers: range) -> Path:
    path.mkdir()
    for number in numbers:
        (path / f"{number}.html").write_text(html_of(kind, number), encoding="utf-8")
    return path


@pytest.fixture
def files(tmp_path) -> dict[str, Path]:
    """Model pages, pages to learn from, and a file of labelled links."""
    lines = [f"{url_of('event', n)},Gunman opens fire in Orlando nightclub,1" for n in range(4)]
    lines += [f"{url_of('other', n)},Gunman opens fire in Brussels nightclub,0" for n in range(4)]
    lines += [f"{url_of('bread', n)},,no" for n in range(4)]
    links = tmp_path / "links.csv"
    links.write_text("\n".join(["url,anchor,relevant", *lines]) + "\n", encoding="utf-8")
    return {
        "model": folder(tmp_path / "model", "event", range(2)),
        "positive": folder(tmp_path / "positive", "event", range(2, 5)),
        "negative": folder(tmp_path / "negative", "other", range(5)),
        "links": links,
        "out": tmp_path / "event.json",
    }


def trained(files: dict[str, Path], *arguments: object) -> tuple[EventModel, str]:
    said = run(*arguments, "--out", files["out"])
    return load_event(files["out"]), said


def test_without_labels_the_model_is_made_and_nothing_learned(files):
    """Model pages alone give terms, places and date; weights stay those of the scoring."""
    model, said = trained(files, files["model"])
    assert (model.pages, model.links) == (OURS.pages, OURS.links)
    assert model.places[0].name == "Orlando"
    assert model.date.startswith("2016-06-1")
    assert "when" in said


def test_people_and_organisations_can_be_a_fourth_aspect(files):
    """--who gives names a weight on pages; without it they have none."""
    for path in [*files["model"].iterdir(), *files["positive"].iterdir()]:
        text = path.read_text("utf-8").replace(
            "<p>", "<p>Then Sheriff Ada Lumsden spoke to the Larkfield Society. "
        )
        path.write_text(text, encoding="utf-8")
    teach = (files["model"], "--positive", files["positive"], "--negative", files["negative"])
    with_names, _ = trained(files, *teach, "--who")
    assert with_names.pages.weights.who > 0.1
    assert with_names.links.weights.who == 0.0
    without, _ = trained(files, *teach)
    assert without.pages.weights.who == 0.0
    assert without.names.keys() & {"lumsden", "larkfield"}


def test_labelled_links_teach_the_link_side_alone(files):
    """--links learns weights, size and threshold of links; pages stay as they were."""
    model, said = trained(files, files["model"], "--links", files["links"])
    assert model.links != OURS.links
    assert model.pages == OURS.pages
    assert "12 labelled links: F1 1.000" in said


def test_pages_and_links_are_learned_apart(files):
    """Each side has weights of its own: URLs here say nothing of the date, pages do."""
    teach = ("--positive", files["positive"], "--negative", files["negative"], "--links", files["links"])
    model, said = trained(files, files["model"], *teach, "--scoring", "paper")
    assert model.pages.weights.date > 0.3
    assert model.links.weights.date < model.pages.weights.date
    assert model.links.weights.place > model.links.weights.date
    assert "8 labelled pages" in said
    assert "12 labelled links" in said


def test_a_labelled_collection_teaches_both_sides_and_gives_the_event(collection, tmp_path):
    """Without model pages the collection's own event is trained; a link has its page's label."""
    said = run("--collection", collection, "--out", tmp_path / "event.json")
    model = load_event(tmp_path / "event.json")
    assert [place.name for place in model.places] == ["Orlando", "Florida"]
    assert "18 labelled pages" in said
    lessons = event_lessons(collection, lambda _: None)
    assert {link.relevant for link in lessons.links if "/event/" in link.url} == {True}
    assert {link.relevant for link in lessons.links if "/other/" in link.url} == {False}
    assert (model.pages, model.links) != (OURS.pages, OURS.links)


def test_a_model_is_not_written_over_by_a_worse_one(files):
    """Labels that contradict each other: the file stays as it is, and that is said."""
    teach = (files["model"], "--positive", files["positive"], "--negative", files["negative"])
    trained(files, *teach)
    before = files["out"].read_bytes()
    wrong = folder(files["out"].parent / "wrong", "event", range(5, 7))
    mixed = folder(files["out"].parent / "mixed", "other", range(5, 7))
    said = run(
        files["model"], "--positive", files["positive"], "--positive", mixed, "--negative", files["negative"],
        "--negative", wrong, "--out", files["out"],
    )  # fmt: skip
    assert "in cross-validation, worse than" in said
    assert f"{files['out']} stays as it was." in said
    assert files["out"].read_bytes() == before


def test_a_trained_model_is_used_by_a_crawl(collection, tmp_path):
    """`[event] model` takes weights, sizes and thresholds of the file that `train event` wrote."""
    run("--collection", collection, "--out", tmp_path / "event.json")
    with Site(event_web()) as site:
        event = EVENT | {"model": "event.json"}
        sections: dict[str, Any] = {"event": event, "judge": {"kind": "event"}, "top": {"strategy": "event"}}
        crawl(spec_text(site, ["http://herald.test/"], **sections), tmp_path / "again")
    used = json.loads((tmp_path / "again" / "models" / "event.json").read_text("utf-8"))
    assert used["links"]["weights"] == json.loads((tmp_path / "event.json").read_text())["links"]["weights"]


def test_a_collection_without_labels_of_both_kinds_is_refused(collection, tmp_path):
    """The message says how to label pages."""
    kept = labels_in(collection)
    for label in kept.values():
        if label.relevant:
            clear_label(collection, label.key)
    try:
        with pytest.raises(InputError, match="lycosa serve"):
            run("--collection", collection, "--out", tmp_path / "event.json")
    finally:
        for label in kept.values():
            set_label(collection, label)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("a,b\n1,2\n", "Begin it with the line: url,anchor,relevant"),
        ("", "Begin it with"),
        ("url,anchor,relevant\nhttp://a.test/,x,maybe\n", "line 2: relevant is neither"),
        ("url,anchor,relevant\nhttp://a.test/,x,1\nno url,x,0\n", "line 3: 'no url' is not a URL"),
        ("url,anchor,relevant\nhttp://a.test/,x,1\n", "All of the labelled links are relevant"),
        ("url,relevant\nhttp://a.test/,0\n", "None of the labelled links is relevant"),
    ],
)
def test_bad_files_of_links_are_refused_in_words(files, text, complaint):
    """Wrong columns, marks, URLs and one-sided labels each name the fix."""
    files["links"].write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=complaint):
        trained(files, files["model"], "--links", files["links"])


def test_nothing_to_train_is_refused(tmp_path):
    """Neither model pages nor a collection: the message names both."""
    with pytest.raises(InputError, match="model pages of the event, or a --collection"):
        run("--out", tmp_path / "event.json")
