"""The labelled pages of the genre model, and the programs that measure it."""

from __future__ import annotations

from collections import Counter

import pytest
from research.genre.crawls import can_claim, compare, line, summary
from research.genre.examples import GenreLabel, drawn_later, genre_examples, labels, made_examples

from lycosa.evidence import Evidence
from lycosa.methods.genre.evidence import EXTENDED, GENRES, built_in_model
from lycosa.methods.genre.signs import FEATURES
from lycosa.page.document import Document
from lycosa.values import Category
from lycosa_lab.papers.genre.crawls import best_weight
from lycosa_lab.papers.remembered import Remembered
from lycosa_lab.runs.protocol import Options
from lycosa_lab.webs.web import VirtualWeb
from tests.conftest import SHARED


def test_labels_are_whole():
    """Every page once, with known genres; at least 300 real ones were drawn at random."""
    found = labels()
    assert len({label.url for label in found}) == len(found)
    assert {label.genre for label in found} <= set(GENRES)
    assert {label.extended for label in found} <= set(EXTENDED)
    assert Counter(label.draw for label in found).keys() == {"random", "chosen", "later"}
    assert sum(label.tested for label in found) >= 300


def test_archived_copies_belong_to_their_original_source():
    """Pages kept at web.archive.org are not one source."""
    url = "https://web.archive.org/web/2019/http://www.modabot.example/paris"
    assert GenreLabel(url, "blog", "blog", "dates", "random").source == "modabot.example"


def test_made_chosen_and_later_pages_never_test_in_folds():
    """Only real, random pages are in test folds; pages drawn later are not even trained on."""
    features = dict.fromkeys(FEATURES, 0.0)
    examples = genre_examples([(label, features) for label in labels()], extended=False)
    assert sum(example.tested for example in examples) == sum(label.tested for label in labels())
    assert not any(example.tested for example in made_examples(True))
    later = sum(label.draw == "later" for label in labels())
    assert len(examples) == len(labels()) - later + len(made_examples(False))


def test_made_pages_are_recognised():
    """The model has at least learned the pages that were made for it."""
    model = built_in_model(True)
    made = made_examples(True)
    assert sum(model.guess(example.features)[0] == example.genre for example in made) > 0.8 * len(made)


def test_the_accuracy_of_later_pages_is_a_share():
    """Only pages drawn later are counted."""
    features = dict.fromkeys(FEATURES, 0.0)
    guess = built_in_model().guess(features)[0]
    pages = [
        (GenreLabel("http://a.example/", genre, genre, "dates", draw), features)
        for genre, draw in (
            (guess, "later"),
            ("video" if guess != "video" else "news", "later"),
            ("news", "random"),
        )
    ]
    assert drawn_later(built_in_model(), pages, extended=False).accuracy == 0.5


def test_evidence_is_computed_once():
    """The runs of a sweep share the evidence of a page."""
    asked = []

    class Counting(Evidence):
        name = "genre"

        def of_page(self, document):
            asked.append(document.url)
            return Category("news", 1.0)

    remembered = Remembered(Counting())
    document = Document(b"", "http://a.example/")
    assert [remembered.of_page(document) for _ in range(3)] == [Category("news", 1.0)] * 3
    assert len(asked) == 1


def test_margins_are_over_held_out_topics():
    """The summary pairs topics and has the share of the gain that remains."""
    half = {"of": ["owls", "bread"], "baseline": [0.4, 0.5], "counted": [0.5, 0.6], "learned": [0.45, 0.55]}
    found = summary([half, half])
    assert found["counted_p"] == 0.5, "two topics, although there are four runs"
    assert found["counted_margin"] == pytest.approx(0.1)
    assert found["learned_margin"] == pytest.approx(0.05)
    assert found["relative"] == pytest.approx(0.1 / 0.45)
    assert found["runs"] == 4


def test_a_tie_stays_near_the_baseline_and_one_genre_claims_nothing():
    """Of equal areas the largest w_R wins; two genres of 5 % are needed for a claim."""
    assert best_weight({0.5: 0.3, 1.0: 0.3}) == 1.0
    assert not can_claim({"other": 0.96, "news": 0.04})


def test_margins_come_from_topics_that_chose_nothing(demo_folder):
    """Each half of the topics is measured with the weight and P(I, G) of the other; topics too small are named."""
    said: list[str] = []
    options = Options(pages=15)
    found = compare(
        demo_folder, topics=2, random_seeds=(1,), options=options, weights=(0.5, 1.0), say=said.append
    )
    first, second = found["halves"]
    assert len(first["baseline"]) == len(second["counted"]) == len(first["learned"]) == 1
    assert set(first["sweep"]) == {0.5, 1.0}
    assert first["prior"] != second["prior"]
    assert found["summary"]["runs"] == 2
    cells = line(found)
    assert cells[0].startswith("demo, five genres (")
    assert cells[2].startswith(f"{next(iter(found['mix']))} ")
    assert sum(found["mix"].values()) == pytest.approx(1)


@pytest.mark.shared("webs/news")
def test_the_labelled_pages_are_there():
    """Every labelled URL of the webs is archived (the large set of pages is read by fit_built_in)."""
    from lycosa.urls import key_of

    web = VirtualWeb.open(SHARED / "webs" / "news")
    known = set(web.archive.keys())
    assert all(key_of(label.url, web.folding) in known for label in labels() if label.web == "news")
