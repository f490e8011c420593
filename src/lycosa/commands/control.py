"""The commands to a running crawl: status, pause, resume, stop."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from lycosa.commands import Json, as_json
from lycosa.errors import LycosaError
from lycosa.wording import CANNOT_TELL

Where = Annotated[Path, typer.Argument(help="A collection.")]

PATIENCE_S = 20.0
"""Timeout of a request to a running crawl."""


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    for command in (status, pause, resume, stop):
        app.command()(command)


def status(collection: Where, json: Json = False) -> None:
    """What a crawl is doing: running, paused or ended, and what it has done.

    Example: lycosa status owls/owls
    """
    from lycosa.collection.collection import Collection
    from lycosa.library.views.monitor import status as status_of

    now = _of_shards(collection, "status")
    if now is None:
        with Collection.open(collection) as opened:
            now = status_of(opened, PATIENCE_S)
    typer.echo(as_json(now) if json else _in_words(now))


def pause(collection: Where) -> None:
    """Let a running crawl rest: what is under way is finished, nothing else is asked for.

    Example: lycosa pause owls/owls
    """
    _ask(collection, "pause")


def resume(collection: Where) -> None:
    """Let a paused crawl go on.

    Example: lycosa resume owls/owls
    """
    _ask(collection, "resume")


def stop(collection: Where) -> None:
    """End a running crawl: what is under way is finished, and `lycosa crawl` goes on another time.

    Example: lycosa stop owls/owls
    """
    _ask(collection, "stop")


def _ask(directory: Path, do: str) -> None:
    from lycosa.collection.collection import Collection
    from lycosa.engine.watch.control import ask

    answer = _of_shards(directory, do)
    if answer is None:
        with Collection.open(directory):
            answer = ask(directory, do, PATIENCE_S)
    if answer is None:
        raise LycosaError(f"No crawl is running on {directory}. Start it with: lycosa crawl SPEC")
    if not answer.get("ok"):
        raise LycosaError(f"The crawl did not do it: {answer.get('error')}")
    typer.echo(_in_words(answer))


def _of_shards(directory: Path, do: str) -> dict[str, Any] | None:
    """The answer of a running sharded crawl, which has no catalogue of its own before it ends; else None."""
    from lycosa.collection.writer import is_locked
    from lycosa.engine.watch.control import ask

    if not (directory / "shards.json").is_file():
        return None
    answer = ask(directory, do, PATIENCE_S)
    is_told = do == "status" and (directory / "catalogue.db").exists()
    if answer is None and not is_told and is_locked(directory):
        raise LycosaError(f"The shards of {directory} are beginning or ending. Ask again in a moment.")
    return answer


def _in_words(now: dict[str, Any]) -> str:
    from lycosa.learn.figures import Figures

    if not now["running"]:
        state = f"not running; the last run ended: {now['ended']}" if now["ended"] else "not running"
    elif now["ended"]:
        state = "stopping: what is under way is finished first"
    else:
        state = "paused" if now["paused"] else "running"
    limit = f" of {now['limit']:,}" if now["limit"] else ""
    told = Figures.within(now)
    figures = f" ({told})" if str(told) else ""
    changed = f"\n{now['changed']}" if now.get("changed") else ""
    doubt = (
        f"\n{CANNOT_TELL}: {told.unsure}; lycosa label COLLECTION --count 5 asks five questions"
        if told.unsure
        else ""
    )
    lately = (
        f"\nthe last {now['last_pages']:,} pages brought {now['last_relevant']:,} of the kept ones"
        if "last_pages" in now  # a running crawl that is told something answers without them
        else ""
    )
    return (
        f"{state}\n{now['pages']:,}{limit} pages, {now['relevant']:,} kept as relevant{figures}, "
        f"{now['waiting']:,} waiting, {now['bytes'] / 1e6:,.1f} MB, {now['seconds']:,.0f} s{lately}{doubt}{changed}"
    )
