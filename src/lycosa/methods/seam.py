"""The seam of a method: one value that says all that a method adds to the program.

Each folder of `lycosa.methods` exports one as METHOD; a package of your own offers one under the entry
point group `lycosa.methods`. Whatever is heavy is named as "module:attribute" and loaded when it is
used, so that knowing a method costs next to nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lycosa.errors import LycosaError, SpecError

if TYPE_CHECKING:  # every command reads the methods: this module has to be light
    from lycosa.learn.topic import GetDocument
    from lycosa.values import Say


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """A method by its parts; all but the name and the strategies may be left out.

    `strategies`: the classes (BaseStrategy) by the names that a spec calls them.
    `section`: the class (Section) of its own table of the spec, called as the method is. Settings of a
    strategy of the same name are in the same table.
    `prepare`: `async (section, means: Means) -> Prepared | None`: what it makes of its section before the
    crawl. What should be there when the crawl is resumed is saved as NAME.json in `means.models`.
    `judges`: `(model, spec: JudgeSpec) -> Judge` by the name of `judge.kind`; the model is what was
    prepared, or None.
    `judges_learn`: whether these are LearningJudges, which people teach by answers.
    `link_evidence`: `(model) -> Sequence[Evidence]`: what it tells of links, for strategies that take the
    evidence of any method (`fused`).
    `link_words`: what each of these says, in words for `lycosa why`, by the name of the evidence and in the same order.
    `guides`: those of its strategies that can guide one that takes guides (`fused`), by name, with what they say of a link
    in words for `lycosa why`. Where the spec has the table of one, it is asked of every page: what it holds, releases
    or refuses is done, and how it ranks the rest (`log_odds`) is evidence beside all other. It may give another for that (`as_guide`).
    `wanted`: `(model) -> Sequence[Evidence]`: what a page has to be beside relevant, for any judge: among it the Score
    `wanted-kind`, how surely it is that. None where the section asks for nothing.
    `indexes`: `() -> Evidence` by the name of the key of [index] that asks for it on every page.
    `page_parts`: `(document) -> plain data` by name: what its evidence keeps with `Document.part`, and the
    lab with each parsed page, until the module of the function changes, or a .toml beside it.
    `models`: `(path) -> None | (bytes) -> Fact | Refusal`: how `lycosa judge` reads its models; None where
    the file is none of them.
    `train`: `(app: typer.Typer) -> None` adds its commands to `lycosa train`.
    `report`: `(collection) -> str`: its part of the report of a collection, as HTML; '' where there is none.
    `when`: for what to take a strategy, in a few words, by its name; only of those that are a best choice.
    `draft`: `(documents) -> values of its section | None`: what pages that a user gives to `lycosa init --from` say of
    it, beside naming these pages; None where they are not of its kind.
    `demo`: `(out: Path, say, quiet) -> (summary, words)`: `lycosa demo --NAME`, a crawl of the part of the demo web that
    the method is for, and what to tell of it.
    `start`: what `lycosa init DIR --NAME` writes out for a crawl of this kind: values by key by section.
    """

    name: str
    strategies: Mapping[str, str]
    section: str = ""
    prepare: str = ""
    judges: Mapping[str, str] = field(default_factory=dict)
    judges_learn: bool = False
    link_evidence: str = ""
    link_words: Mapping[str, str] = field(default_factory=dict)
    guides: Mapping[str, str] = field(default_factory=dict)
    wanted: str = ""
    indexes: Mapping[str, str] = field(default_factory=dict)
    page_parts: Mapping[str, str] = field(default_factory=dict)
    models: str = ""
    train: str = ""
    report: str = ""
    when: Mapping[str, str] = field(default_factory=dict)
    draft: str = ""
    demo: str = ""
    start: str = ""


def loaded(where: str) -> Any:
    """What "module:attribute" names. A SpecError where a stranger's package does not give it."""
    module, _, attribute = where.partition(":")
    try:
        return getattr(import_module(module), attribute)
    except LycosaError:
        raise
    except Exception as error:
        if module.startswith("lycosa."):
            raise  # ours
        raise SpecError(
            f"{where} cannot be loaded ({type(error).__name__}: {error}). Mend the package that it is in."
        ) from error


@dataclass(frozen=True, slots=True)
class Means:
    """What the preparation of a method may use.

    `get` fetches a page politely and archives it. Files begin at `folder`, where the spec is. `models` is
    where the collection keeps what was prepared; None where nothing is to be kept. `say` tells the user.
    """

    folder: Path
    models: Path | None
    get: GetDocument
    say: Say
    language: str = "english"
    place_finder: str = ""


@dataclass(frozen=True, slots=True)
class Prepared:
    """What a method made of its section.

    `model` is handed to strategies and judges. `terms` stand for the topic where the spec gives none.
    `source_priors` names an earlier collection: what its sources gave counts as if this crawl had found it.
    `pages` are the URLs of pages that the user gave as right ones, and that could be read.
    """

    model: Any
    terms: Mapping[str, float] = field(default_factory=dict)
    source_priors: Path | None = None
    pages: tuple[str, ...] = ()
