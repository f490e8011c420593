"""`lycosa train genre` and `train genre-prior` as users call them, on a real crawl."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from research.genre.labelled_pages import made_pages
from typer.testing import CliRunner

from lycosa.cli import app
from lycosa.collection.collection import Collection
from lycosa.errors import InputError
from lycosa.methods.genre import commands as training_genre
from lycosa.methods.genre.forest import GenreModel
from lycosa.methods.genre.prior import GenrePrior
from lycosa.methods.genre.report import genre_counts, genre_table
from lycosa.report.html import render
from lycosa.testing import Site
from tests.commands.calling import called
from tests.crawling import KEYWORDS, crawl, small_web, spec_text

FOCUSED: dict[str, dict[str, Any]] = {
    "topic": {"keywords": list(KEYWORDS)},
    "judge": {"kind": "topic", "threshold": 0.4},
}


def run(*arguments: object) -> str:
    return called(training_genre, *arguments).stdout


@pytest.fixture(scope="module")
def collection(tmp_path_factory) -> Path:
    """A crawl by the genre strategy, stopped once and gone on with."""
    out: Path = tmp_path_factory.mktemp("genre") / "crawl"
    with Site(small_web(2, 30)) as site:
        for pages in (20, 50):
            text = spec_text(
                site, ["http://h0.test/"], limits={"pages": pages}, top={"strategy": "genre"}, **FOCUSED
            )
            crawl(text, out)
    return out


def test_every_page_has_a_genre(collection):
    """The catalogue keeps genre and confidence of each page, and the report shows where links led."""
    with Collection.open(collection) as opened:
        assert sum(pages for _, pages, _ in genre_counts(opened)) == 50
        rows = genre_table(opened)
        html = render(opened)
    assert rows[-1].genre == "all"
    assert rows[-1].relevant_links > 0
    assert "links on pages of genre" in html


def test_pages_are_chosen_by_genre(collection, tmp_path):
    """The report's pages and an export can be narrowed to a genre; an unknown one is named with the known."""
    with Collection.open(collection) as opened:
        counts = {genre: pages for genre, pages, _ in genre_counts(opened)}
        html = render(opened)
    genre, pages = next(iter(counts.items()))
    assert f" · {genre}" in html
    assert ('id="genre-1"' in html) == (len(set(re.findall(r'<tr class="(genre-\d+)"', html))) > 1)
    out = str(tmp_path / "g.jsonl")
    result = CliRunner().invoke(app, ["export", str(collection), "--jsonl", out, "--genre", genre])
    assert f"Wrote {pages} pages" in result.output
    wrong = CliRunner().invoke(app, ["export", str(collection), "--jsonl", out, "--genre", "poem"])
    assert genre in str(wrong.exception)


def test_any_strategy_gets_genres_where_the_spec_asks(tmp_path):
    """[index] genre = "now" computes the genre beside any strategy; without it there is none."""
    with Site(small_web(1, 5)) as site:
        for name in ("now", "never"):
            crawl(spec_text(site, ["http://h0.test/"], index={"genre": name}), tmp_path / name)
    for name, expected in (("now", 5), ("never", 0)):
        with Collection.open(tmp_path / name) as opened:
            assert sum(pages for _, pages, _ in genre_counts(opened)) == expected


def test_a_prior_is_counted_on_a_collection(collection, tmp_path):
    """The links that were followed make a prior that the strategy can start from."""
    out = tmp_path / "prior.json"
    assert "links counted" in run("genre-prior", collection, "--out", out)
    prior = GenrePrior.load(out)
    assert sum(links for _, links in prior.counts.values()) > 0
    with Site(small_web(2, 30)) as site:
        text = spec_text(
            site, ["http://h0.test/"], top={"strategy": "genre"}, genre={"prior": str(out)}, **FOCUSED
        )
        assert crawl(text, tmp_path / "again").pages > 50


def test_a_collection_without_genres_is_refused(tmp_path):
    """The message says how to get genres."""
    with Site(small_web(1, 3)) as site:
        crawl(spec_text(site, ["http://h0.test/"]), tmp_path / "c")
    with pytest.raises(InputError, match="genre"):
        run("genre-prior", tmp_path / "c", "--out", tmp_path / "p.json")


def test_a_model_is_trained_on_own_pages(tmp_path):
    """A CSV file of pages becomes a model that says how good it is."""
    lines = ["file,url,genre"]
    for number, page in enumerate(made_pages(6)):
        if page.genre in ("image", "forum"):
            (tmp_path / f"{number}.html").write_text(page.html)
            lines.append(f"{number}.html,{page.url},{page.genre}")
    (tmp_path / "pages.csv").write_text("\n".join(lines))
    (tmp_path / "words.toml").write_text('[image]\nen = ["album"]\n')
    out = tmp_path / "genre.model"
    shown = run("genre", tmp_path / "pages.csv", "--out", out, "--words", tmp_path / "words.toml", "--json")
    assert json.loads(shown)["cross_validation"]["tested"] == 12
    model = GenreModel.load(out)
    assert model.genres == ("forum", "image")
    assert model.words["image"]["en"] == ("image", "album")
    assert "accuracy" in run("genre", tmp_path / "pages.csv", "--out", out)


def test_too_few_pages_are_refused(tmp_path):
    """Clear words instead of a useless model."""
    (tmp_path / "a.html").write_text("x")
    (tmp_path / "pages.csv").write_text(
        "file,url,genre\na.html,http://a.example/,news\na.html,http://b.example/,blog\n"
    )
    with pytest.raises(InputError, match="Too few examples"):
        run("genre", tmp_path / "pages.csv", "--out", tmp_path / "m")
