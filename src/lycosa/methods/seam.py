"""The seam of a method: one value that says what the method adds to the program.

Each folder of `lycosa.methods` exports one as METHOD. Another package offers one under the entry point group
`lycosa.methods`. Parts are `Lazy`, so that reading the methods imports none of them.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lycosa.errors import LycosaError, SpecError

if TYPE_CHECKING:  # every command reads the methods: this module must import fast
    import typer

    from lycosa.collection.collection import Collection
    from lycosa.evidence import Evidence
    from lycosa.learn.judges.kinds import Judge
    from lycosa.page.document import Document
    from lycosa.spec.sections import JudgeSpec
    from lycosa.values import Fact, Refusal, Say

    GetDocument = Callable[[str], Awaitable[Document | Refusal]]


@dataclass(frozen=True, slots=True)
class Lazy:
    """A class, function or value named "module:attribute", imported when it is first used."""

    where: str

    def load(self) -> Any:
        """Import it. Raise SpecError if a package that is not Lycosa's fails to provide it."""
        module, _, attribute = self.where.partition(":")
        try:
            return getattr(import_module(module), attribute)
        except LycosaError:
            raise
        except Exception as error:
            if module.startswith("lycosa."):
                raise
            raise SpecError(
                f"{self.where} cannot be loaded ({type(error).__name__}: {error}). Fix the package that contains it."
            ) from error

    def __call__(self, *arguments: Any) -> Any:
        """Import it and call it."""
        return self.load()(*arguments)


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnJudge:
    """A value of `judge.kind`: the judge made from what the method prepared (None if nothing), and whether labels teach it."""

    make: Callable[[Any, JudgeSpec], Judge]
    learns: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Index:
    """Evidence that a key of [index] asks for on every page, and that key's text in docs/spec.md."""

    make: Callable[[], Evidence]
    meaning: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodEvidence:
    """Evidence for crawls that use another strategy or judge.

    `of_links`: link evidence by the prepared model, for strategies that take any evidence (`fused`).
    `link_words`: its name and its description in `lycosa why`, in the order of `of_links`.
    `wanted`: evidence of a kind of page that is wanted, by the prepared model; it contains the Score `wanted-kind`.
    `indexes`: evidence by key of [index].
    `page_parts`: functions of a Document whose result `Document.part` keeps and the lab stores with the page, by name.
    """

    of_links: Callable[[Any], Sequence[Evidence]] | None = None
    link_words: Mapping[str, str] = field(default_factory=dict)
    wanted: Callable[[Any], Sequence[Evidence]] | None = None
    indexes: Mapping[str, Index] = field(default_factory=dict)
    page_parts: Mapping[str, Lazy] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """How a crawl begins.

    `prepare`: make a model of the section before the crawl. It saves what a resumed crawl needs as NAME.json in
    `means.models`.
    `draft`: values of the section for the pages of `lycosa init --from`; None if they are not of its kind.
    `template`: what `lycosa init DIR --NAME` writes: values by key by section.
    """

    prepare: Callable[[Any, Means], Awaitable[Prepared | None]] | None = None
    draft: Callable[[Sequence[Document]], Mapping[str, Any] | None] | None = None
    template: Lazy | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Demo:
    """`lycosa demo --NAME`: crawl the demo web into a folder, return its Summary and a text for the user. `help` is that of the option."""

    run: Callable[[Path, Say, bool], tuple[Any, str]]
    help: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Commands:
    """What the command line gets.

    `train`: add commands to `lycosa train`.
    `read_model`: how `lycosa judge` uses a model file of the method; None if the file is not one.
    """

    train: Callable[[typer.Typer], None] | None = None
    read_model: Callable[[Path], Callable[[bytes], Fact | Refusal] | None] | None = None
    demo: Demo | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Facet:
    """A category of pages: a filter of search and export, an export column, a count in library and report.

    `name` is the evidence (a Category) that tells it, the URL parameter, the option and the column.
    `missing` tells the user how to get it.
    """

    name: str
    plural: str
    missing: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reporting:
    """What reports, library and exports show.

    `section`: HTML for the report of a collection; '' if there is nothing to show.
    `describe`: the section of the spec in one line, and words to highlight in pages.
    """

    facets: tuple[Facet, ...] = ()
    section: Callable[[Collection], str] | None = None
    describe: Callable[[Mapping[str, Any]], tuple[str, Sequence[str]]] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """What a method adds to the program; only the name and the strategies are required.

    `strategies`: strategy classes (BaseStrategy) by the name that a spec uses.
    `section`: the class (Section) of the spec's table [NAME], which may also hold the settings of a strategy NAME.
    """

    name: str
    strategies: Mapping[str, Lazy]
    section: Lazy | None = None
    judges: Mapping[str, OwnJudge] = field(default_factory=dict)
    evidence: MethodEvidence = MethodEvidence()
    start: Start = Start()
    commands: Commands = Commands()
    report: Reporting = Reporting()


@dataclass(frozen=True, slots=True)
class Means:
    """What `Start.prepare` may use.

    `get` fetches a page politely and archives it. Relative file names begin at `folder`, where the spec is.
    `models` is where the collection keeps what was prepared; None if nothing is kept. `say` tells the user.
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

    `model` is passed to strategies and judges. `terms` replace the topic if the spec gives none.
    `source_priors` names an earlier collection whose sources' results count as if this crawl had found them.
    `pages` are the URLs of example pages that the user gave and that could be read.
    """

    model: Any
    terms: Mapping[str, float] = field(default_factory=dict)
    source_priors: Path | None = None
    pages: tuple[str, ...] = ()
