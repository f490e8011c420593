"""Step 0 of a crawl that asks for genres: from the spec's [genre] to a model and what is wanted of it."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from lycosa.errors import SpecError
from lycosa.evidence import Evidence
from lycosa.methods.genre.evidence import (
    GenreEvidence,
    GenreModel,
    OnWantedGenre,
    WantedGenre,
    genre_model,
)
from lycosa.methods.genre.section import GenreSpec
from lycosa.methods.seam import Means, Prepared


@dataclass(frozen=True, slots=True)
class Genres:
    """How genres are told, and which of them are wanted; none named: all."""

    model: GenreModel
    want: tuple[str, ...] = ()


async def prepare(spec: GenreSpec, means: Means) -> Prepared:
    """The model that [genre] names. It is small, and not kept: a resumed crawl reads it again."""
    # To tell reports from an encyclopaedia, it has to know of encyclopaedias.
    extended = spec.extended or bool(spec.want)
    model = genre_model(str(means.folder / spec.model) if spec.model else "", extended)
    for genre in spec.want:
        if genre not in model.genres:
            near = difflib.get_close_matches(genre, model.genres, 1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise SpecError(
                f"[genre] want: there is no genre {genre!r}.{hint} Known are: {', '.join(model.genres)}."
            )
    return Prepared(Genres(model, spec.want))


def wanted_evidence(genres: Genres) -> Sequence[Evidence]:
    """What a page has to be beside relevant: nothing where no genre is named."""
    if not genres.want:
        return ()
    return GenreEvidence(genres.model), WantedGenre(genres.model, genres.want)


def link_evidence(genres: Genres) -> Sequence[Evidence]:
    """What it tells of links for other strategies: nothing where no genre is named."""
    return (OnWantedGenre(WantedGenre(genres.model, genres.want)),) if genres.want else ()
