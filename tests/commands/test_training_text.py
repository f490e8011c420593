"""`lycosa train text` as users call it: the classifiers that any strategy can judge by."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from lycosa.cli import app
from lycosa.errors import InputError
from lycosa.evidence.text_model import TextModel
from lycosa.testing import Site
from tests.crawling import crawl, small_web, spec_text


@pytest.fixture(scope="module")
def examples(tmp_path_factory) -> Path:
    """Pages about owls, which their titles and links say too, and more of others."""
    folder: Path = tmp_path_factory.mktemp("examples")
    for kind, word, count in (("good", "owl", 12), ("bad", "bread", 24)):
        (folder / kind).mkdir()
        for number in range(count):
            html = (
                f"<title>{word} {number}</title><p>Many a {word} was seen at place{number}.</p>"
                f'<a href="/{number}">nocturnal {word}</a>'
            )
            (folder / kind / f"{number}.html").write_text(html)
    return folder


def train(folder: Path, *options: str) -> TextModel:
    out = folder / "text.model"
    arguments = ["train", "text", str(folder / "good"), "--negative", str(folder / "bad"), "--out", str(out)]
    result = CliRunner().invoke(app, [*arguments, *options])
    if isinstance(result.exception, InputError):
        raise result.exception
    assert result.exit_code == 0, result.output
    assert "Cross-validated" in result.output
    return TextModel.load(out)


FIELDS = ("--field", "title", "--field", "body", "--field", "anchor")


def test_naive_bayes_over_fields_is_undersampled(examples: Path):
    """Title, body and anchors each have words of their own; the larger class is cut to the smaller."""
    model = train(examples, "--classifier", "naive-bayes", *FIELDS, "--folds", "10")
    assert model.fields == ("title", "body", "anchor")
    assert [("owl" in terms, "nocturn" in terms) for terms in model.vocabulary] == [
        (True, False),
        (True, True),
        (True, True),
    ]
    settings = model.metadata["settings"]
    assert (settings["classifier"], settings["folds"]) == ("naive-bayes", 10)


def test_any_strategy_can_judge_by_it(examples: Path, tmp_path: Path):
    """[topic] model = FILE with judge.kind = "text"."""
    train(examples, "--classifier", "naive-bayes", *FIELDS)
    with Site(small_web(1, 8)) as site:
        for strategy in ("best-first-page", "genre"):
            text = spec_text(
                site,
                ["http://h0.test/"],
                top={"strategy": strategy},
                topic={"keywords": ["owl"], "model": str(examples / "text.model")},
                judge={"kind": "text"},
            )
            assert crawl(text, tmp_path / strategy).pages >= 8


@pytest.mark.parametrize(
    "options", [("--field", "heading"), ("--folds", "1"), ("--classifier", "magic")], ids=lambda o: o[0]
)
def test_what_is_not_known_is_named(examples: Path, options: tuple[str, ...]):
    """Clear words for an unknown field, classifier or number of folds."""
    with pytest.raises(InputError, match=options[1] if options[0] != "--classifier" else "classifier"):
        train(examples, *options)
