"""The genre of a page: a random forest over the features of `lycosa.methods.genre.signs`.

In: a lazy Document. Out: the genre, and how sure the forest is.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path

from lycosa.evidence import Evidence
from lycosa.methods.genre.forest import GenreModel
from lycosa.methods.genre.signs import genre_features
from lycosa.page.document import Document
from lycosa.values import Category

__all__ = ["EXTENDED", "GENRES", "GenreEvidence", "GenreModel", "built_in_model", "genre_model"]

GENRES = ("blog", "image", "news", "other", "video")
"""The paper's genres."""
EXTENDED = (
    "blog",
    "documentation",
    "forum",
    "image",
    "index",
    "news",
    "other",
    "shop",
    "video",
    "wiki",
)
"""Ours: what the paper calls other, told apart."""


class GenreEvidence(Evidence):
    """`genre`: the genre of the page, and the forest's share of votes for it."""

    name = "genre"
    tells = Category

    def __init__(self, model: GenreModel) -> None:
        self.model = model

    def of_page(self, document: Document) -> Category:
        """The likeliest genre."""
        genre, confidence = self.model.guess(self._features(document))
        return Category(genre, confidence)

    def _features(self, document: Document) -> Mapping[str, float]:
        if self.model.words:
            return genre_features(document, self.model.words)
        return document.part("genre_features", genre_features)


@cache
def built_in_model(extended: bool = False) -> GenreModel:
    """The model that comes with the package; its metadata says what it was fitted on."""
    name = "built-in-extended.model" if extended else "built-in.model"
    with resources.as_file(resources.files(__package__).joinpath(name)) as path:
        return GenreModel.load(path)


def built_in_evidence() -> GenreEvidence:
    """The genre by the built-in model: what [index] genre asks for."""
    return GenreEvidence(built_in_model())


def genre_model(path: str, extended: bool = False) -> GenreModel:
    """The model of a file, or the built-in one where the path is ''."""
    return GenreModel.load(Path(path)) if path else built_in_model(extended)
