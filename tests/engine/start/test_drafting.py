"""Drafting a spec from example pages: language, keywords, a sentence, and what methods make of them."""

from __future__ import annotations

import datetime
import tomllib

import pytest

from lycosa.engine.start.drafting import draft_from, draft_text, drafted, start_of
from lycosa.errors import InputError
from lycosa.methods.lookup import all_settings
from lycosa.page.document import Document
from lycosa.spec.reading import parse_spec
from lycosa.spec.sections import FetchSpec
from lycosa.spec.writing import spec_text, start_of_kind
from lycosa.testing import Page, Site, redirect, status
from tests.in_six_languages import LANGUAGES

OWLS: dict[str | tuple[str, str], Page] = {
    "/a": "<title>Barn owls</title><p>The barn owl hunts mice at night. Barn owls nest in old barns, on farms.",
    "/b": "<title>Owls</title><p>An owl is a bird of prey that hunts at night. Most owls nest in trees and eat mice.",
    "/old": redirect("/b"),
    "/gone": status(404),
}
STORM = (
    "<meta property=article:published_time content={day}><title>{title}</title><p>A storm hit the city of Orlando, "
    "Florida, on Sunday. The storm broke trees in Orlando, and people in Florida were without power. {more}"
)


OWLS_AT_NIGHT = "Owls at night: the owl hunts mice and its nest is a hollow tree."


def page(text: str, where: str = "http://a.test/") -> Document:
    return Document(text.encode(), where, "text/html; charset=utf-8")


def fetch(site: Site) -> FetchSpec:
    return FetchSpec(connect_to=site.connect_to, allow_private=site.allow_private, per_host_delay_s=0)


def test_pages_of_the_web_and_files_are_read_once(tmp_path):
    (tmp_path / "c.txt").write_text(OWLS_AT_NIGHT)
    said: list[str] = []
    with Site(OWLS) as site:
        given = ["http://a.test/a", "http://a.test/old", "http://a.test/gone", "c.txt", "http://a.test/a"]
        draft = draft_from(given, tmp_path, fetch(site), said.append)
        assert site.hits("http://a.test/a") == 1
    assert draft.pages == {
        "http://a.test/a": "Barn owls",
        "http://a.test/old": "Owls",
        "c.txt": OWLS_AT_NIGHT,
    }
    assert draft.keywords[0].word == "owls"
    assert {"mice", "night"} <= {one.word for one in draft.keywords}
    assert not {"the", "most", "bird"} & {one.word for one in draft.keywords}
    assert "owl" in draft.description.lower()
    assert draft.description.endswith(".")
    assert not draft.sections
    assert said == [
        "http://a.test/gone could not be read: the server answered with an error status: 404. It is left out."
    ]
    assert "owls" in draft_text(draft, "topic")


def test_what_is_drafted_is_a_spec(tmp_path):
    draft = drafted({"http://a.test/a": page(str(OWLS["/a"])), "http://a.test/b": page(str(OWLS["/b"]))})
    known = all_settings()
    text = spec_text("topic", "owls", known, start_of(draft, "topic", start_of_kind("topic", known)))
    spec = parse_spec(text, known)
    assert spec.topic.examples == ("http://a.test/a", "http://a.test/b")
    assert spec.topic.keywords[0] == "owls"
    assert spec.topic.description
    assert spec.seeds.urls == ()  # the examples are seeds


@pytest.mark.parametrize(
    ("days", "place"), [(("2016-06-12", "2016-06-13"), "Orlando, FL"), (("2016-06-12", "2019-01-01"), "")]
)
def test_pages_that_agree_on_place_and_date_tell_of_an_event(days, place):
    pages = {
        f"http://a.test/{n}": page(STORM.format(day=day, title=f"Storm {n}", more="Rain fell. " * n))
        for n, day in enumerate(days)
    }
    draft = drafted(pages)
    if not place:
        assert not draft.sections
        return
    assert draft.sections["event"]["date"] in (datetime.date(2016, 6, 12), datetime.date(2016, 6, 13))
    assert draft.sections["event"]["where"] == [place]
    known = all_settings()
    text = spec_text("event", "storm", known, start_of(draft, "event", start_of_kind("event", known)))
    found = tomllib.loads(text)
    assert found["event"]["pages"] == list(pages)
    assert (found["strategy"], found["judge"]["kind"]) == ("event", "event")
    parse_spec(text, known)


@pytest.mark.parametrize("spoken", LANGUAGES, ids=lambda spoken: spoken.name)
def test_keywords_in_other_languages(spoken):
    draft = drafted({str(n): page(f"<p>{text}") for n, text in enumerate(spoken.owls)})
    assert draft.language == spoken.name
    told = " ".join(one.word for one in draft.keywords).lower()
    assert any(keyword.lower()[:2] in told for keyword in spoken.keywords), told


def test_without_a_page_it_says_what_to_do(tmp_path):
    with (
        Site({"/gone": status(404)}) as site,
        pytest.raises(InputError, match="None of the pages could be read"),
    ):
        draft_from(["http://a.test/gone"], tmp_path, fetch(site), lambda _: None)
    with pytest.raises(InputError, match="Give pages with more text"):
        drafted({"x": page("<p>1 2 3")})
