"""The genre of a page, by a random forest over the features of `lycosa.methods.genre.signs`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import Path

from lycosa.evidence import Evidence
from lycosa.methods.genre.forest import GenreModel
from lycosa.methods.genre.signs import genre_features
from lycosa.page.document import Document
from lycosa.values import WANTED_KIND, Category, Score

GENRES = ("blog", "image", "news", "other", "video")
"""The paper's genres."""
EXTENDED = (
    "blog",
    "course",
    "documentation",
    "faculty",
    "forum",
    "image",
    "index",
    "news",
    "other",
    "shop",
    "video",
    "wiki",
)
"""Ours: the paper's `other`, split."""


class GenreEvidence(Evidence):
    """`genre`: the genre of the page, and the forest's share of votes for it."""

    name = "genre"
    tells = Category

    def __init__(self, model: GenreModel) -> None:
        self.model = model

    def of_page(self, document: Document) -> Category:
        """The likeliest genre."""
        return Category(*self.model.guess(features_of(document, self.model)))


SHARPNESS = 3.0
"""Votes of a forest are under-confident, so their ratio is sharpened by this power."""


def confidence(wanted: float, others: float) -> float:
    """The confidence that a page is of a wanted genre, by the votes for the likeliest wanted and the likeliest other genre.

        w = a^3 / (a^3 + b^3)

    >>> confidence(0.4, 0.2), confidence(0.3, 0.3), confidence(0.0, 0.0)
    (0.8888888888888888, 0.5, 0.0)
    """
    sharp = wanted**SHARPNESS
    total = sharp + others**SHARPNESS
    return sharp / total if total else 0.0


class WantedGenre(Evidence):
    """`wanted-kind`: the confidence that the page is of a wanted genre; 0.5 and above: it is."""

    name = WANTED_KIND
    tells = Score

    def __init__(self, model: GenreModel, want: Sequence[str]) -> None:
        self.model = model
        self.want = frozenset(want)

    def of_page(self, document: Document) -> Score:
        """The likeliest wanted genre against the likeliest other, consistent with `genre`."""
        votes = self.model.votes(features_of(document, self.model))
        wanted = max((share for genre, share in votes.items() if genre in self.want), default=0.0)
        others = max((share for genre, share in votes.items() if genre not in self.want), default=0.0)
        return Score(confidence(wanted, others), max(votes, key=lambda genre: votes[genre]))


class OnWantedGenre(Evidence):
    """`on-wanted-kind`: for each link the confidence that its page is of a wanted genre; news links to news."""

    name = "on-wanted-kind"
    tells_of_links = float

    def __init__(self, wanted: WantedGenre) -> None:
        self.wanted = wanted

    def of_links(self, document: Document) -> list[float]:
        """The same number for each link."""
        return [self.wanted.of_page(document).value] * len(document.links)


def features_of(document: Document, model: GenreModel) -> Mapping[str, float]:
    """The features of a page by the words of a model; those by the built-in words are computed once a page."""
    if model.words:
        return genre_features(document, model.words)
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
