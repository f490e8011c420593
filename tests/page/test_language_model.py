"""py3langid's model, loaded by us."""

from __future__ import annotations

import errno
import lzma
import os
import tempfile
from collections.abc import Iterator
from lzma import LZMAError
from pathlib import Path
from zipfile import BadZipFile

import pytest
from py3langid.langid import MODEL_FILE, LanguageIdentifier

from lycosa.page.text import languages
from lycosa.page.text.language_model import quick_identifier

TEXTS = (
    "Die Katze sitzt auf dem Dach und schaut den Vögeln nach.",
    "Vladivostok Kraków Żywiec Nagoya São Paulo Ærøskøbing",
    "東京都の猫は夜に屋根の上で眠る。",
    "Сова летает ночью над лесом и полем.",
    "ALL OF THIS IS WRITTEN IN CAPITALS AND NOBODY KNOWS WHY",
    "0 1 2 3 4 5 6 7 8 9",
    "",
)


def test_the_answers_are_those_of_the_library_to_the_last_bit():
    """Whoever loads the model."""
    ours, theirs = quick_identifier(), LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    for text in TEXTS:
        assert ours.rank(text) == theirs.rank(text)


def test_the_model_is_unpacked_once_for_all_processes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("LYCOSA_CACHE", str(tmp_path / "cache"))
    first = quick_identifier()
    (kept,) = (tmp_path / "cache").iterdir()
    monkeypatch.delattr(lzma, "LZMADecompressor")
    assert quick_identifier().rank(TEXTS[0]) == first.rank(TEXTS[0])

    kept.write_bytes(kept.read_bytes()[:-1000])  # what is damaged is not believed
    with pytest.raises(BadZipFile):
        quick_identifier()


def test_a_model_that_cannot_be_unpacked_leaves_nothing_behind(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    (tmp_path / "model.xz").write_bytes(b"not packed so")
    monkeypatch.setenv("LYCOSA_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("lycosa.page.text.language_model.MODEL_DIR", tmp_path)
    monkeypatch.setattr("lycosa.page.text.language_model.MODEL_FILE", "model.xz")
    with pytest.raises(LZMAError):
        quick_identifier()
    assert not [*(tmp_path / "cache").iterdir()]


def nowhere(*_: object, **__: object) -> None:
    raise OSError(errno.EROFS, os.strerror(errno.EROFS))


@pytest.fixture
def fresh_identifier() -> Iterator[None]:
    """Loaded anew for a test, and again after it."""
    languages.identifier.cache_clear()
    yield
    languages.identifier.cache_clear()


@pytest.mark.usefixtures("fresh_identifier")
@pytest.mark.parametrize("cache", ["a file/cache", "a file", "cache"])
def test_where_no_file_can_be_kept_the_model_is_in_memory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, cache: str
):
    """In a read-only container every page that was not English used to be lost: not even a temporary file can be made there."""
    (tmp_path / "a file").touch()
    monkeypatch.setenv("LYCOSA_CACHE", str(tmp_path / cache))
    monkeypatch.setattr("lycosa.page.text.language_model.NamedTemporaryFile", nowhere)
    monkeypatch.setattr(tempfile, "TemporaryFile", nowhere)
    assert languages.language_of(TEXTS[0]) == "de"
    theirs = languages.identifier().rank(TEXTS[1])
    monkeypatch.undo()
    assert theirs == quick_identifier().rank(TEXTS[1])


@pytest.mark.usefixtures("fresh_identifier")
def test_nobody_need_have_a_home(monkeypatch: pytest.MonkeyPatch):
    """A container's user may be a number that no list of users has."""

    def unknown() -> Path:
        raise RuntimeError("Could not determine home directory.")

    for name in ("LYCOSA_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", unknown)
    monkeypatch.setattr(tempfile, "TemporaryFile", nowhere)
    assert languages.language_of(TEXTS[0]) == "de"


@pytest.mark.parametrize("trouble", [KeyError("ptc"), LZMAError("not packed so"), BadZipFile("no archive")])
def test_a_model_of_another_form_is_loaded_by_the_library(
    monkeypatch: pytest.MonkeyPatch, trouble: Exception
):
    """A later version may keep other arrays, or keep them otherwise: that costs time, no answers."""

    def unknown() -> LanguageIdentifier:
        raise trouble

    monkeypatch.setattr("lycosa.page.text.language_model.quick_identifier", unknown)
    languages.identifier.cache_clear()
    try:
        assert languages.language_of(TEXTS[0]) == "de"
    finally:
        languages.identifier.cache_clear()
