"""Load the genre model of a spec's [genre] and check the wanted genres."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from lycosa.errors import SpecError
from lycosa.evidence import Evidence
from lycosa.methods.genre.evidence import GenreEvidence, OnWantedGenre, WantedGenre, genre_model
from lycosa.methods.genre.forest import GenreModel
from lycosa.methods.genre.section import GenreSpec
from lycosa.methods.seam import Means, Prepared


@dataclass(frozen=True, slots=True)
class Genres:
    """The genre model and the wanted genres; none named: all."""

    model: GenreModel
    want: tuple[str, ...] = ()


async def prepare(spec: GenreSpec, means: Means) -> Prepared:
    """Load the model that [genre] names; a resumed crawl loads it again."""
    # Only the extended model separates news from encyclopaedias.
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
    """Evidence of the wanted kind; none if no genre is named."""
    if not genres.want:
        return ()
    return GenreEvidence(genres.model), WantedGenre(genres.model, genres.want)


def link_evidence(genres: Genres) -> Sequence[Evidence]:
    """Evidence of links for other strategies; none if no genre is named."""
    return (OnWantedGenre(WantedGenre(genres.model, genres.want)),) if genres.want else ()
