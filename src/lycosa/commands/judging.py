"""`lycosa judge`: what a saved model says of files and URLs, and the versions of a collection's own judge."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lycosa.commands import as_json, warn_no_contact
from lycosa.errors import InputError, LycosaError, ModelError

if TYPE_CHECKING:
    from lycosa.fetch.polite.fetcher import PoliteReader
    from lycosa.values import Refusal, Score


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command()(judge)


def judge(
    model: Annotated[
        Path,
        typer.Argument(
            help="A saved model (text or images), or `heatmap`: the built-in image model. With --history, --undo or --accept: "
            "a collection."
        ),
    ],
    inputs: Annotated[list[str] | None, typer.Argument(help="Files or URLs.")] = None,
    language: Annotated[str, typer.Option(help="Of the stemmer, for text models.")] = "english",
    contact: Annotated[
        str, typer.Option(help="Your address, for the User-Agent when URLs are fetched.")
    ] = "",
    history: Annotated[
        bool,
        typer.Option("--history", help="Show the versions of a collection's judge, and which is in use."),
    ] = False,
    undo: Annotated[
        bool,
        typer.Option(
            "--undo",
            help="Go back one version: it judges all pages again, and holds until further pages are labelled.",
        ),
    ] = False,
    accept: Annotated[
        bool,
        typer.Option(
            "--accept", help="Apply a version that was held because it changes much of what is kept."
        ),
    ] = False,
    json: Annotated[
        bool, typer.Option("--json", help="Print --history as JSON; other output is JSON lines in any case.")
    ] = False,
) -> None:
    """Judge pages or images with a model: one JSON object a line with input, score, relevant, label.

    What cannot be judged has `refused` with the reason; if that is so of all inputs, the exit code is 1.

    With --history, --undo or --accept it is about the versions of a collection's judge, which learns while it crawls.

    Example: lycosa judge owls.model page.html https://en.wikipedia.org/wiki/Owl --contact me@my.org
    """
    if undo:
        _undo(model)
    if accept:
        _accept(model)
    if history:
        _show_history(model, json=json)
    if history or undo or accept:
        return
    if not inputs:
        raise InputError("Name files or URLs to judge; or a collection with --history, --undo or --accept.")
    says = _loaded(model, language)
    if not contact and any("://" in name for name in inputs):
        warn_no_contact()
    if not asyncio.run(_judge_all(inputs, says, contact)):
        raise LycosaError(
            "Nothing was judged; each line says why (refused). "
            "Name files or http(s) URLs: of pages for a text model, of images for an image model."
        )


def _undo(directory: Path) -> None:
    from lycosa.engine.catch_up.relearn import undo

    done = undo(directory)
    typer.echo(
        f"Back to judge version {done.after.version}: kept {done.before.kept:,} → {done.after.kept:,}. Your answers hold "
        f"for their own pages. Version {done.before.version} is kept, and no other is fitted until you label further "
        f"pages (lycosa label {directory}): then all answers count again."
    )


def _accept(directory: Path) -> None:
    from lycosa.engine.catch_up.relearn import accept

    typer.echo(accept(directory))


def _show_history(directory: Path, *, json: bool) -> None:
    from lycosa.engine.catch_up.relearn import history

    found = history(directory)
    if json:
        typer.echo(as_json(found))
        return
    if not found:
        typer.echo("This judge has no versions: it does not learn while it crawls.")
        return
    typer.echo(
        f"{'version':>7} {'pages':>7} {'answers':>8} {'agree':>6} {'threshold':>10}  {'harvest':<20} {'':}"
    )
    for one in found:
        between = one.figures.harvest_told.removeprefix("about ") or "not known"
        typer.echo(
            f"{one.number:>7} {one.pages:>7,} {one.answers:>8} {one.agreeing:>6} {one.threshold:>10.2f}  {between:<20} "
            f"{one.status}"
        )


async def _judge_all(inputs: list[str], says: Any, contact: str) -> int:
    """Print a row for each input; returns how many were judged. One reader asks for all, so that hosts rest."""
    from lycosa.clock import SystemClock
    from lycosa.fetch.live import live_fetcher
    from lycosa.fetch.polite.fetcher import PoliteReader
    from lycosa.spec.sections import FetchSpec

    judged, spec = 0, FetchSpec(contact=contact)
    async with live_fetcher(spec, ("*/*",)) as fetcher:
        reader = PoliteReader(fetcher, SystemClock(), spec.max_redirects)
        for name in inputs:
            found = await _read(name, reader, spec.max_decoded_bytes)
            row = _refused(found) if isinstance(found, str) else says(*found)
            judged += "refused" not in row
            typer.echo(as_json({"input": name, **row}))
    return judged


def _loaded(path: Path, language: str) -> Any:
    """A text model, or one that a method knows to read."""
    from lycosa.evidence.text_model import TextModel
    from lycosa.methods.registry import methods

    try:
        text = TextModel.load(path)
    except ModelError as not_text:
        for method in methods():
            if (read := method.commands.read_model) and (says := read(path)) is not None:
                return lambda data, _kind, says=says: _told(says(data))
        raise not_text from None
    return lambda data, kind: _text(text, data, kind, language)


def _text(model: Any, data: bytes, kind: str, language: str) -> dict[str, Any]:
    from lycosa.evidence.text import PageText
    from lycosa.page.document import Document
    from lycosa.page.mime_sniffing import not_a_page

    if refusal := not_a_page(data, kind):
        return _told(refusal)
    fact = PageText(model).of_page(Document(data, "http://example.invalid/", kind, language=language))
    relevant = fact.value >= model.boundary_probability
    return {"score": fact.value, "relevant": relevant, "label": "relevant" if relevant else "not relevant"}


def _told(fact: Score | Refusal) -> dict[str, Any]:
    from lycosa.values import Refusal

    if isinstance(fact, Refusal):
        return _refused(str(fact))
    return {"score": fact.value, "relevant": fact.value >= 0.5, "label": fact.label}


def _refused(why: str) -> dict[str, Any]:
    return {"score": None, "relevant": False, "label": "", "refused": why}


async def _read(name: str, reader: PoliteReader, max_bytes: int) -> tuple[bytes, str] | str:
    """The bytes of a file or URL with their content type; or why there are none."""
    from lycosa import urls
    from lycosa.files import read_file

    if (url := urls.parse(name)) is not None:
        return await _fetch(url, reader, max_bytes)
    path = Path(name)
    try:
        data = read_file(path)
    except OSError as error:
        return f"it cannot be read: {error.strerror}"
    return data, "text/plain" if path.suffix.lower() in (".txt", ".md") else "text/html"


async def _fetch(url: str, reader: PoliteReader, max_bytes: int) -> tuple[bytes, str] | str:
    from lycosa.fetch.decode import decoded_body
    from lycosa.values import Kind, NotFetched, Reason, Refusal

    result = await reader.get(url, Kind.REQUISITE)
    if isinstance(result, NotFetched):
        return _not_had(result.refusal)
    if result.status >= 400:
        return _not_had(Refusal(Reason.HTTP_ERROR, str(result.status)))
    body = decoded_body(result, max_bytes)
    return _not_had(body) if isinstance(body, Refusal) else (body, result.header("content-type"))


def _not_had(refusal: Refusal) -> str:
    """Why a URL was not had, in words of this command: it reads no spec, so nothing can be set."""
    why = str(refusal)
    return (
        f"{why}. judge keeps to the defaults: save it and name the file"
        if "fetch." in refusal.reason
        else why
    )
