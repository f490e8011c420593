"""The commands around a finished collection: serve, publish, export, index, changes, merge."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from lycosa.commands import Json, as_json, room_for, say, with_options
from lycosa.errors import InputError, SpecError
from lycosa.methods.registry import facets


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    for command in (serve, publish, with_options(export, _category_options()), index, changes, merge):
        app.command()(command)


def serve(
    collections: Annotated[
        list[Path], typer.Argument(help="One or several collections.", metavar="COLLECTION")
    ],
    port: Annotated[
        int, typer.Option(min=0, max=65534, help="Where to listen; archived pages use the next one.")
    ] = 8765,
    host: Annotated[
        str, typer.Option(help="Another address than this machine's own; needs --password.")
    ] = "127.0.0.1",
    password: Annotated[
        str, typer.Option(help="Asked for in the browser.", envvar="LYCOSA_PASSWORD", show_envvar=True)
    ] = "",
    public: Annotated[
        bool, typer.Option("--public", help="For everybody, without token, and only to read: to publish it.")
    ] = False,
) -> None:
    """Show collections in the browser: search, map, timeline, reasons, and the crawl as it runs.

    Example: lycosa serve demo
    """
    from lycosa.library.serving import serve as run

    run(collections, host=host, port=port, password=password, say=say, is_public=public)


def publish(
    collection: Annotated[Path, typer.Argument(help="A collection.")],
    out: Annotated[Path, typer.Option(help="The folder of the site: new, or empty.")],
    replay: Annotated[
        Path | None,
        typer.Option(
            help="The installed npm package replaywebpage; with it the archived pages are replayed, too."
        ),
    ] = None,
    excerpts: Annotated[
        bool,
        typer.Option(
            "--excerpts", help="Only the beginning of each text, where the whole is not yours to give."
        ),
    ] = False,
) -> None:
    """Write the relevant pages as a web site of files: pages, a search that runs in the browser, map, report.

    Example: lycosa publish demo --out site
    """
    from lycosa.library.publish.publishing import publish as write

    typer.echo(f"{out / 'index.html'}: {write(collection, out, replay=replay, excerpts=excerpts, say=say)}")


def export(
    collection: Annotated[Path, typer.Argument(help="A collection.")],
    wacz: Annotated[Path | None, typer.Option(help="Write a WACZ archive, for ReplayWeb.page.")] = None,
    jsonl: Annotated[Path | None, typer.Option(help="Write JSON lines; - is standard output.")] = None,
    parquet: Annotated[Path | None, typer.Option(help="Write a Parquet table.")] = None,
    to: Annotated[
        list[Path] | None,
        typer.Option(help="Write what the file's ending names, such as owls.wacz; repeat it."),
    ] = None,
    only: Annotated[str, typer.Option(help="all, or relevant: only pages judged relevant.")] = "all",
    dedupe: Annotated[
        bool, typer.Option("--dedupe", help="One page of each near-duplicate cluster.")
    ] = False,
    text: Annotated[
        str,
        typer.Option(help="plain, or markdown: texts keep headings, lists, tables and code. Not for WACZ."),
    ] = "plain",
    **categories: list[str] | None,
) -> None:
    """Hand the collection over: WACZ for replay, JSON lines or Parquet for corpora.

    Example: lycosa export demo --wacz owls.wacz --jsonl owls.jsonl --only relevant
    """
    from lycosa.collection.catalogue.page_filter import PageFilter, Relevance
    from lycosa.collection.exports import STANDARD_OUTPUT, check_place
    from lycosa.collection.exports.corpus import export_jsonl, export_parquet, parquet_library
    from lycosa.collection.exports.wacz import export_wacz
    from lycosa.collection.exports.writers import Writer, writer_for

    targets: list[tuple[Writer, Path | None]] = [
        (export_wacz, wacz),
        (export_jsonl, jsonl),
        (export_parquet, parquet),
    ]
    targets += [(writer_for(path), path) for path in to or ()]
    if not any(out for _, out in targets):
        raise SpecError("Say what to write: --wacz FILE, --jsonl FILE, --parquet FILE or --to FILE.")
    if only not in ("all", "relevant"):
        raise SpecError(f"--only {only}: known are all and relevant.")
    if text not in ("plain", "markdown"):
        raise SpecError(f"--text {text}: known are plain and markdown.")
    if text == "markdown" and all(write is export_wacz for write, out in targets if out):
        raise SpecError(
            "--text markdown: a WACZ holds pages as they came. Write texts with --jsonl or --parquet."
        )
    relevance = Relevance.COLLECTED if only == "relevant" else Relevance.JUDGED
    chosen = {name: tuple(labels) for name, labels in categories.items() if labels}
    wanted = PageFilter(relevance=relevance, categories=tuple(chosen.items()), distinct=dedupe)
    for name, labels in chosen.items():
        _refuse_unknown_label(collection, name, labels)
    if dedupe:
        _refuse_unfingerprinted(collection)
    if any(write is export_parquet and out is not None for write, out in targets):
        parquet_library()  # all that is needed is there before the first file is written, or none is
    for write, out in targets:
        if out is not None:
            check_place(room_for(out), stream=write is export_jsonl)
    tell = say if jsonl in STANDARD_OUTPUT else typer.echo
    for write, out in targets:
        if out is not None:
            written = (
                write
                if text == "plain" or write is export_wacz
                else partial(cast("Callable[..., int]", write), markdown=True)
            )
            tell(f"Wrote {written(collection, out, wanted):,} pages to {out}")


def _category_options() -> dict[str, tuple[Any, Any]]:
    """An option for each category of pages that methods tell apart."""
    return {
        facet.name: (
            list[str] | None,
            typer.Option(f"--{facet.name}", help=f"Only pages of this {facet.name}; repeat it."),
        )
        for facet in facets()
    }


def _refuse_unknown_label(collection: Path, category: str, wanted: Sequence[str]) -> None:
    from lycosa.collection.collection import Collection

    facet = next(facet for facet in facets() if facet.name == category)
    with Collection.open(collection) as opened:
        known = [found.label for found in opened.statistics.labels(category)]
    if not known:
        raise SpecError(f"{collection} has no {facet.plural}. {facet.missing}")
    if unknown := [label for label in wanted if label not in known]:
        raise SpecError(
            f"--{category} {unknown[0]}: no page is of that {category}. There are: {', '.join(known)}."
        )


def _refuse_unfingerprinted(collection: Path) -> None:
    from lycosa.collection.collection import Collection

    with Collection.open(collection) as opened:
        if opened.reader.lacks_fingerprints():
            raise SpecError(
                f"--dedupe: the near duplicates of {collection} are not known yet. "
                f"Run lycosa index {collection} first."
            )


def index(
    collection: Annotated[Path, typer.Argument(help="A collection that no crawl is writing to.")],
    workers: Annotated[int | None, typer.Option(min=0, help="Processes; default: the cores.")] = None,
) -> None:
    """Catch up: text index, near duplicates, dates, places and names of pages that were crawled without.

    Example: lycosa index demo
    """
    from lycosa.engine.catch_up.index import index_collection

    done = index_collection(collection, workers, say=say)
    typer.echo(
        f"{done.texts:,} texts, {done.fingerprints:,} fingerprints, {done.dates:,} dates, {done.places:,} places, "
        f"{done.entities:,} people and organisations."
        + (f" {done.unread:,} pages could not be read from the archive." if done.unread else "")
    )


def changes(
    collection: Annotated[Path, typer.Argument(help="A collection.")],
    since: Annotated[
        str, typer.Option(metavar="DAY", help="From this day on, such as 2026-11-01; default: the last run.")
    ] = "",
    all_: Annotated[bool, typer.Option("--all", help="Pages that are not relevant too.")] = False,
    json: Json = False,
) -> None:
    """List the pages that are new, that have changed or that are gone since a day or the last run.

    Example: lycosa changes owls/owls --since 2026-11-01
    """
    from lycosa.collection.catalogue.page_filter import COLLECTED, JUDGED
    from lycosa.collection.changes import Changes
    from lycosa.collection.collection import Collection

    with Collection.open(collection) as opened:
        runs = opened.reader.runs()
        begin = _day(since) if since else runs[-1].started if runs else 0.0
        found = list(Changes(opened.connection, opened.path).since(begin, JUDGED if all_ else COLLECTED))
    if json:
        typer.echo(as_json(found))
        return
    for change in found:
        typer.echo(f"{change.kind:8}  {change.url}  {change.title}")
    say(f"{len(found):,} changes since {datetime.fromtimestamp(begin, UTC):%Y-%m-%d %H:%M} UTC.")


def merge(
    collection: Annotated[Path, typer.Argument(help="The folder of a crawl with shards.")],
    out: Annotated[
        Path | None,
        typer.Option(help="A new collection; default: the crawl's own folder, brought up to date."),
    ] = None,
) -> None:
    """Make one collection of the shards of a crawl, also while it runs.

    A crawl with shards does it when it ends. A collection made with --out is one of its own: a crawl in one process can go
    on with it.

    Example: lycosa merge owls/owls --out owls-in-one
    """
    from lycosa.cluster.division import merge_collection

    counts = merge_collection(collection, out)
    typer.echo(f"{counts.judged:,} pages, {counts.relevant:,} kept as relevant, are in {out or collection}")


def _day(given: str) -> float:
    try:
        day = datetime.fromisoformat(given)
    except ValueError:
        raise InputError(f"{given!r} is no day. Write it as 2026-11-01.") from None
    return (day if day.tzinfo else day.replace(tzinfo=UTC)).timestamp()
