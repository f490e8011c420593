"""`lycosa judge`: what a saved model says of files and URLs."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lycosa.commands import as_json, warn_no_contact
from lycosa.errors import InputError, ModelError

if TYPE_CHECKING:
    from lycosa.values import Fact, Refusal

BUILT_IN = "heatmap"
"""Names the image model that comes with Lycosa; a file of that name goes first."""


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

    Example: lycosa judge owls.model page.html https://en.wikipedia.org/wiki/Owl --contact me@my.org
    """
    says = _loaded(model, language)
    if not contact and any("://" in name for name in inputs):
        warn_no_contact()
    for name, data, kind in _read(inputs, contact):
        typer.echo(as_json({"input": name, **says(data, kind)}))


def _loaded(path: Path, language: str) -> Any:
    from lycosa.evidence.images.model import ImageModel
    from lycosa.evidence.text_model import TextModel

    if str(path) == BUILT_IN and not path.exists():
        return lambda data, _kind: _told(ImageModel.builtin().judge(data))
    try:
        text = TextModel.load(path)
    except ModelError as not_text:
        try:
            images = ImageModel.load(path)
        except ModelError:
            raise not_text from None
        return lambda data, _kind: _told(images.judge(data))
    return lambda data, kind: _text(text, data, kind, language)


def _text(model: Any, data: bytes, kind: str, language: str) -> dict[str, Any]:
    from lycosa.evidence.text import PageText
    from lycosa.page.document import Document
    from lycosa.page.readable import not_a_page

    if refusal := not_a_page(data, kind):
        return _told(refusal)
    fact = PageText(model).of_page(Document(data, "http://example.invalid/", kind, language=language))
    relevant = fact.value >= model.boundary_probability
    return {"score": fact.value, "relevant": relevant, "label": "relevant" if relevant else "not relevant"}


def _told(fact: Fact | Refusal) -> dict[str, Any]:
    from lycosa.values import Refusal

    if isinstance(fact, Refusal):
        return {"score": None, "relevant": False, "label": "", "refused": str(fact)}
    return {"score": fact.value, "relevant": fact.value >= 0.5, "label": fact.label}


def _read(inputs: list[str], contact: str) -> Iterator[tuple[str, bytes, str]]:
    from lycosa import urls
    from lycosa.files import read_file

    for name in inputs:
        url = urls.parse(name)
        if url is None:
            path = Path(name)
            try:
                data = read_file(path)
            except OSError as error:
                raise InputError(f"{name}: {error.strerror}. Name files or http(s) URLs.") from None
            yield name, data, "text/plain" if path.suffix.lower() in (".txt", ".md") else "text/html"
        else:
            fetched = asyncio.run(_fetch(url, contact))
            if isinstance(fetched, str):
                typer.echo(f"{name}: {fetched}", file=sys.stderr)
                continue
            yield name, *fetched


async def _fetch(url: str, contact: str) -> tuple[bytes, str] | str:
    from lycosa.clock import SystemClock
    from lycosa.config import FetchSpec
    from lycosa.fetch.decode import decoded_body
    from lycosa.fetch.http import HttpFetcher
    from lycosa.fetch.polite import PoliteReader
    from lycosa.values import Kind, NotFetched, Refusal

    spec = FetchSpec(contact=contact)
    async with HttpFetcher(spec, ("*/*",)) as fetcher:
        result = await PoliteReader(fetcher, SystemClock(), spec.max_redirects).get(url, Kind.REQUISITE)
    if isinstance(result, NotFetched):
        return str(result.refusal)
    body = decoded_body(result, spec.max_decoded_bytes)
    return str(body) if isinstance(body, Refusal) else (body, result.header("content-type"))
