"""`lycosa seeds` as users call it."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from lycosa.cli import app
from lycosa.errors import InputError, LycosaError, SpecError
from lycosa.seeds.lists import urls_in_lines
from tests.conftest import SHARED
from tests.seeds.posts.examples import LONG, MASTODON, V1, write_lines


def run(*arguments: object) -> str:
    result = CliRunner().invoke(app, ["seeds", *map(str, arguments)])
    if isinstance(result.exception, LycosaError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_file_of_seeds_can_be_crawled_from(tmp_path):
    """One URL a line; comments do not disturb; the tables are shown."""
    out = tmp_path / "seeds.txt"
    shown = run(write_lines(tmp_path / "p.jsonl", V1, "{"), "--keyword", "flood", "--no-expand", "--out", out)
    assert list(urls_in_lines(out.read_bytes())) == [LONG.partition("?")[0]]
    assert "posts with URLs" in shown
    assert "harbour-news.example" in shown
    assert "skipped lines: 1 × not JSON" in shown


def test_json_has_all_counts(tmp_path):
    """A machine reads the same as a person."""
    found = json.loads(run(write_lines(tmp_path / "p.jsonl", MASTODON), "--no-expand", "--json"))
    assert found["posts"]["by_day"] == {"2023-05-02": 1}
    assert found["posts"]["forms"] == {str(tmp_path / "p.jsonl"): "mastodon"}
    assert found["seeds"][0]["source"] == "harbour-news.example"


def test_what_could_not_be_looked_at_is_said(tmp_path):
    """A look that was refused is no silent success."""
    post = {"text": "http://127.0.0.1:9/flood", "lang": "en"}
    posts = write_lines(tmp_path / "p.jsonl", post)
    shown = run(posts, "--keyword", "flood", "--look", "--no-expand", "--out", tmp_path / "seeds.txt")
    assert "not looked at: 1 ×" in shown
    assert "looked at 0 pages" in shown


def test_plots_are_drawn_even_of_nothing(tmp_path):
    """Four SVG files, also where no post has a date or a URL."""
    run(write_lines(tmp_path / "p.txt", "nothing"), "--no-expand", "--plots", tmp_path / "plots")
    run(write_lines(tmp_path / "p.jsonl", V1), "--no-expand", "--plots", tmp_path / "plots")
    charts = sorted(path.name for path in (tmp_path / "plots").iterdir())
    assert charts == ["days-with-urls.svg", "days.svg", "languages.svg", "sources.svg"]
    assert "2016-03-22: 1" in (tmp_path / "plots" / "days.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--since", "2016-02-30"], "YYYY-MM-DD"),
        (["--since", "2016-03-02", "--until", "2016-03-01"], "Swap"),
        (["--language", "english!"], "like en"),
        (["--keyword", "##"], "a word or a phrase"),
        (["--format", "usenet"], "Choose one of"),
        (["--look"], "--keyword"),
    ],
)
def test_wrong_use_says_what_to_do(tmp_path, options, words):
    """Each message ends with the next step."""
    with pytest.raises(SpecError, match=words):
        run(write_lines(tmp_path / "p.jsonl", V1), "--no-expand", *options)


@pytest.mark.parametrize(
    ("lines", "options", "words"),
    [
        (["{"], [], "no post could be read"),
        ([{"text": "nothing", "lang": "en"}], [], "none of the posts has a URL"),
        ([V1], ["--until", "2001-01-01"], "language and time wanted"),
        ([V1], ["--keyword", "volcano"], "contains a keyword"),
        ([{"text": "https://bit.ly/abc"}], [], "short ones"),
        ([{"text": "https://x.com/someone/status/1"}], [], "the platforms themselves"),
    ],
)
def test_no_seeds_has_a_reason(tmp_path, lines, options, words):
    """The message names the step at which nothing was left."""
    path = write_lines(tmp_path / "p.jsonl", *lines)
    shown = CliRunner().invoke(app, ["seeds", str(path), "--no-expand", *options]).output
    assert "No seeds: " in shown
    assert words in " ".join(shown.split())


def test_a_file_that_is_not_there_says_so(tmp_path):
    """Also where the format is forced."""
    for options in ([], ["--format", "text"]):
        with pytest.raises(InputError, match="Name a file"):
            run(tmp_path / "none.jsonl", "--no-expand", *options)


@pytest.mark.shared("data/posts")
def test_real_tweets_are_read():
    """The RumourEval tweets: all lines are posts, and half of their URLs are expanded in the post."""
    found = json.loads(
        run(SHARED / "data/posts/rumoureval-tweets.jsonl.gz", "--no-expand", "--language", "en", "--json")
    )
    assert found["posts"]["posts"] == 2932
    assert not found["posts"]["skipped"]
    assert found["urls"]["sources"] > 50
