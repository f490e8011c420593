"""`lycosa judge`: what a saved model says of files and URLs."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lycosa.commands import as_json, warn_no_contact
from lycosa.errors import LycosaError, ModelError

if TYPE_CHECKING:
    from lycosa.fetch.polite.reader import PoliteReader
    from lycosa.values import Refusal, Score


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command()(judge)


def judge(
    model: Annotated[
        Path, typer.Argument(help="A saved model (text or images), or `heatmap`: the built-in image model.")
    ],
    inputs: Annotated[list[str], typer.Argument(help="Files or URLs.")],
    language: Annotated[str, typer.Option(help="Of the stemmer, for text models.")] = "english",
    contact: Annotated[
        str, typer.Option(help="Your address, for the User-Agent when URLs are fetched.")
    ] = "",
    json: Annotated[bool, typer.Option("--json", help="The output is JSON lines in any case.")] = True,  # noqa: ARG001
) -> None:
    """Judge pages or images with a model: one JSON object a line with input, score, relevant, label.

    What cannot be judged has `refused` with the reason; if that is so of all inputs, the exit code is 1.

    Example: lycosa judge owls.model page.html https://en.wikipedia.org/wiki/Owl --contact me@my.org
    """
    says = _loaded(model, language)
    if not contact and any("://" in name for name in inputs):
        warn_no_contact()
    if not asyncio.run(_judge_all(inputs, says, contact)):
        raise LycosaError(
            "Nothing was judged; each line says why (refused). "
            "Name files or http(s) URLs: of pages for a text model, of images for an image model."
        )


async def _judge_all(inputs: list[str], says: Any, contact: str) -> int:
    """Print a row for each input; returns how many were judged. One reader asks for all, so that hosts rest."""
    from lycosa.clock import SystemClock
    from lycosa.fetch.live import live_fetcher
    from lycosa.fetch.polite.reader import PoliteReader
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
    from lycosa.methods.seam import loaded

    try:
        text = TextModel.load(path)
    except ModelError as not_text:
        for method in methods():
            if method.models and (says := loaded(method.models)(path)) is not None:
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


async def _read(name: str, reader: PoliteReader, most: int) -> tuple[bytes, str] | str:
    """The bytes of a file or URL with their content type; or why there are none."""
    from lycosa import urls
    from lycosa.files import read_file

    if (url := urls.parse(name)) is not None:
        return await _fetch(url, reader, most)
    path = Path(name)
    try:
        data = read_file(path)
    except OSError as error:
        return f"it cannot be read: {error.strerror}"
    return data, "text/plain" if path.suffix.lower() in (".txt", ".md") else "text/html"


async def _fetch(url: str, reader: PoliteReader, most: int) -> tuple[bytes, str] | str:
    from lycosa.fetch.decode import decoded_body
    from lycosa.values import Kind, NotFetched, Reason, Refusal

    result = await reader.get(url, Kind.REQUISITE)
    if isinstance(result, NotFetched):
        return _not_had(result.refusal)
    if result.status >= 400:
        return _not_had(Refusal(Reason.HTTP_ERROR, str(result.status)))
    body = decoded_body(result, most)
    return _not_had(body) if isinstance(body, Refusal) else (body, result.header("content-type"))


def _not_had(refusal: Refusal) -> str:
    """Why a URL was not had, in words of this command: it reads no spec, so nothing can be set."""
    why = str(refusal)
    return (
        f"{why}. judge keeps to the defaults: save it and name the file"
        if "fetch." in refusal.reason
        else why
    )
