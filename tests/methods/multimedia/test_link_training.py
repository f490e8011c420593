"""The link classifier: vocabulary of the positives, held-out figures, and clear words for bad input."""

from __future__ import annotations

from random import Random

import pytest

from lycosa.errors import InputError
from lycosa.evidence.link_text import PLACES
from lycosa.evidence.text_model import TextModel
from lycosa.learn.training.text import Example, Label
from lycosa.methods.multimedia.link_training import links_of, read_links, train_links
from lycosa.page.document import Document

GOOD = ("ozone today", "PM10 forecast", "air quality data", "current ozone values")
BAD = ("contact us", "imprint", "the new library", "a football final", "order today")


@pytest.fixture
def table(tmp_path):
    rng = Random(1)
    lines = ["anchor,before,after,relevant,page"]
    for number in range(40):
        good = number % 2
        anchor = rng.choice(GOOD if good else BAD)
        lines.append(f"{anchor},{rng.choice(('', 'see', 'in Graz'))},,{good},{number // 4}")
    path = tmp_path / "links.csv"
    path.write_text("\n".join(lines))
    return path


def test_a_model_from_a_table(table, tmp_path):
    """It tells promising links apart, knows only words of positive ones, and is the same after a reload."""
    model = train_links(read_links(table), weights=(1.0,), gammas=(0.1,))
    model.save(tmp_path / "links.model")
    good, bad = TextModel.load(tmp_path / "links.model", "links").scores(
        [{"ozon": 1, "today": 1}, {"imprint": 1}]
    )

    assert good > 0.5 > bad
    assert "footbal" not in model.vocabulary[0]
    assert PLACES in model.vocabulary[0]
    assert model.metadata["cross_validation"]["f1"] > 0.8


def test_links_of_a_page():
    """A page's links are examples, by where they lead; those without any word are left out."""
    page = Document(
        b'<a href="/a">ozone</a> <a href="/b">bread</a> <a href="/c"></a>', "http://a.test/", "text/html"
    )

    found = links_of(page, lambda link: link.url.endswith("/a"), "p")

    assert [example.label for example in found] == [Label.POSITIVE, Label.NEGATIVE]
    assert {example.group for example in found} == {"p"}


@pytest.mark.parametrize(
    ("text", "says"),
    [("", "column"), ("url\nx", "column"), ("anchor,relevant\nozone,maybe", "line 2"), ("\xff", "column")],
)
def test_a_table_that_cannot_be_used(tmp_path, text, says):
    """What is wrong is said in one sentence."""
    (tmp_path / "links.csv").write_text(text)

    with pytest.raises(InputError, match=says):
        read_links(tmp_path / "links.csv")


def test_one_class_only():
    """Without negative links there is nothing to learn."""
    with pytest.raises(InputError, match="negative"):
        train_links([Example({"ozon": 1}, Label.POSITIVE)])


def test_no_file(tmp_path):
    """A file that is not there is named."""
    with pytest.raises(InputError, match=r"none\.csv"):
        read_links(tmp_path / "none.csv")
