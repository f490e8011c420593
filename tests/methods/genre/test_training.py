"""Fitting the genre forest."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from research.genre.labelled_pages import made_pages

from lycosa.errors import InputError
from lycosa.methods.genre.signs import FEATURES, genre_features
from lycosa.methods.genre.training import GenreExample, GenreSettings, cross_validate, train_genre
from lycosa.methods.genre.training_files import read_examples
from lycosa.page.document import Document


def examples(per_genre: int = 12, **changes) -> list[GenreExample]:
    """Pages whose images and text tell the genre, each of a source of its own."""
    chance = Random(1)
    found = []
    for genre, images in (("image", 40), ("news", 3)):
        for number in range(per_genre):
            features = {name: float(chance.randint(0, 9)) for name in FEATURES}
            features["images"] = images + chance.randint(0, 3)
            found.append(GenreExample(features, genre, f"{genre}{number}.example", **changes))
    return found


SETTINGS = GenreSettings(trees=20)


def test_our_forest_says_what_scikit_learns_says():
    """The same probabilities for every page, to the precision that is stored."""
    from sklearn.ensemble import RandomForestClassifier

    given = examples()
    model = train_genre(given, SETTINGS)
    table = np.array([list(example.features.values()) for example in given], np.float32)
    forest = RandomForestClassifier(
        20, min_samples_leaf=SETTINGS.min_leaf, class_weight="balanced_subsample", random_state=0
    )
    theirs = forest.fit(table, [example.genre for example in given]).predict_proba(table)
    ours = np.array([list(model.votes(example.features).values()) for example in given])
    assert np.allclose(ours, theirs, atol=1e-6)


def test_the_same_examples_give_the_same_bytes(tmp_path):
    """Training is repeatable."""
    for name in ("a", "b"):
        train_genre(examples(), SETTINGS).save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_figures_are_of_sources_that_were_not_seen():
    """What can only be known from another page of the site is not in the figures."""
    chance = Random(2)
    found = []
    for site in range(20):
        genre = chance.choice(("blog", "news"))
        sign = dict.fromkeys(FEATURES, 0.0) | {"text_length": float(site)}  # tells the site, not the genre
        found += [GenreExample(sign, genre, f"{site}.example") for _ in range(10)]
    assert cross_validate(found, SETTINGS).accuracy < 0.9


def test_pages_that_only_train_are_never_tested():
    """Generated pages are in no test fold."""
    made = [GenreExample(e.features, "video", f"made-{e.source}", tested=False) for e in examples()]
    figures = cross_validate([*examples(), *made], SETTINGS)
    assert figures.tested == len(examples())
    assert figures.majority == 0.5


def test_too_few_examples_are_named():
    """The message says which genre, how many, and what to do."""
    few = GenreExample(dict.fromkeys(FEATURES, 0.0), "video", "v.example")
    with pytest.raises(InputError, match="video 1; at least 5"):
        train_genre([*examples(), few])


def test_one_genre_or_one_site_is_not_enough():
    """Nothing can be told apart, or tested on another site."""
    with pytest.raises(InputError, match="Only one genre"):
        train_genre([e for e in examples() if e.genre == "news"])
    same = [GenreExample(e.features, e.genre, "one.example") for e in examples()]
    with pytest.raises(InputError, match="1 sites"):
        train_genre(same)


def test_the_papers_features_alone():
    """`paper` uses the nine features only."""
    assert len(train_genre(examples(), GenreSettings(trees=5, paper=True)).features) == 9


def test_made_pages_are_pages_of_their_genre():
    """Each parses, has a site of its own, and is the same for the same seed."""
    pages = list(made_pages(3, 7))
    assert pages == list(made_pages(3, 7))
    assert len({page.url for page in pages}) == len(pages)
    by_genre = {
        page.genre: genre_features(Document(page.html.encode(), page.url, "text/html")) for page in pages
    }
    assert by_genre["video"]["multimedia"] >= 1
    assert by_genre["documentation"]["pre_elements"] >= 2
    assert by_genre["index"]["link_text"] > by_genre["wiki"]["link_text"]


def test_examples_are_read_from_a_csv_file(tmp_path):
    """File, URL and genre of each page; paths begin at the CSV file."""
    (tmp_path / "a.html").write_text("<body>news")
    path = tmp_path / "pages.csv"
    path.write_text("file,url,genre\na.html,http://www.a.example/x,News\n")
    (example,) = read_examples(path)
    assert (example.genre, example.source, example.features["news_words"]) == ("news", "a.example", 1)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no column file"),
        ("a.html,http://a.example/,news\n", "Begin it with the line: file,url,genre"),
        ("file;url;genre\na.html;http://a.example/;news\n", "no column file"),
        ("file,url,genre\n", "has no lines below the first"),
        (
            "file,url,genre\na.html,http://a.example/,news\na.html,http://A.example:80/,blog\n",
            "line 2 already",
        ),
    ],
)
def test_a_file_that_is_no_list_of_pages_is_explained(tmp_path, text, words):
    """No header, other separators, nothing in it, a page twice: the message says what to do."""
    (tmp_path / "a.html").write_text("<body>news")
    (tmp_path / "pages.csv").write_text(text)
    with pytest.raises(InputError, match=words):
        read_examples(tmp_path / "pages.csv")


def test_a_spreadsheets_file_is_read(tmp_path):
    """With the mark at its beginning that some programs write."""
    (tmp_path / "a.html").write_text("<body>news")
    (tmp_path / "pages.csv").write_text(
        "\ufefffile,url,genre\r\na.html,http://a.example/,news\r\n", encoding="utf-8"
    )
    assert len(read_examples(tmp_path / "pages.csv")) == 1


@pytest.mark.parametrize(
    "line", ["a.html,http://a.example/", "b.html,http://a.example/,news", "a.html,nonsense,news"]
)
def test_wrong_lines_are_named(tmp_path, line):
    """A wrong line is named by its number."""
    (tmp_path / "a.html").write_text("<body>news")
    path = tmp_path / "pages.csv"
    path.write_text(f"file,url,genre\n{line}\n")
    with pytest.raises(InputError, match="line 2"):
        read_examples(path)
