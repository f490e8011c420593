"""The commands of the engine: init, crawl, why, report, demo, bench."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lycosa.commands import Changes, Json, Out, as_json, say
from lycosa.errors import InputError, LycosaError, SpecError, StoppedEarly


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    for command in (init, crawl, why, report, demo, bench):
        app.command()(command)


def init(
    directory: Annotated[Path, typer.Argument(help="A folder for the crawl; made if it is not there.")],
    topic: Annotated[bool, typer.Option("--topic", help="A crawl for a topic.")] = False,
    event: Annotated[bool, typer.Option("--event", help="A crawl for an event.")] = False,
    site: Annotated[bool, typer.Option("--site", help="A crawl of whole sites.")] = False,
) -> None:
    """Write a commented crawl.toml to start from."""
    from lycosa.template import spec_text

    kinds = [kind for kind, said in (("topic", topic), ("event", event), ("site", site)) if said]
    if len(kinds) != 1:
        raise SpecError("Say which kind of crawl: lycosa init DIR --topic, --event or --site.")
    path = directory / "crawl.toml"
    if path.exists():
        raise InputError(f"{path} is already there. Edit it, or choose another folder.")
    try:
        directory.mkdir(parents=True, exist_ok=True)
        path.write_text(spec_text(kinds[0], directory.resolve().name), encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path} cannot be written ({error.strerror}). Choose another folder.") from None
    typer.echo(f"Wrote {path}.\nEdit it, then: lycosa crawl {path}")


def crawl(
    spec: Annotated[Path, typer.Argument(help="The crawl.toml.")],
    out: Out = None,
    max_pages: Annotated[int | None, typer.Option(help="Instead of limits.pages.")] = None,
    strategy: Annotated[str | None, typer.Option(help="Instead of the spec's strategy.")] = None,
    topic_tags: Annotated[
        str | None,
        typer.Option(help="For `profile`: the topic's tags with commas, or a file of them; skips stage one."),
    ] = None,
    changes: Changes = None,
    json: Json = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
) -> None:
    """Crawl as the spec says; run again, it goes on where it was."""
    from lycosa.running import crawl_file

    extra = [*(changes or [])]
    if max_pages is not None:
        extra.append(f"limits.pages={max_pages}")
    if strategy is not None:
        extra.append(f"strategy={strategy}")
    if topic_tags is not None:
        extra.append(f"profile.topic_tags={_tags(topic_tags)}")
    summary = crawl_file(spec, out, tuple(extra), say=say, quiet=quiet or json)
    if json:
        typer.echo(as_json(summary))
    else:
        typer.echo(
            f"{summary.pages:,} pages, {summary.relevant:,} relevant (harvest {summary.harvest:.2f}), "
            f"{summary.waiting:,} waiting; {summary.ended}.\nThe collection: {summary.collection}"
        )
    if summary.resumable:
        raise StoppedEarly("Stopped early; run the same command again and it goes on.")
    if not summary.pages and summary.failed_seeds:
        url, reason = next(iter(summary.failed_seeds.items()))
        raise LycosaError(
            f"No page was collected: no seed could be fetched ({url}: {reason}). "
            "Check [seeds] and the connection, then run the same command: they are tried again."
        )


def _tags(given: str) -> str:
    """Tags as a TOML value: a file's path is from where the command runs, not from the spec's folder."""
    from lycosa.template import toml

    if Path(given).suffix in (".csv", ".txt") or Path(given).is_file():
        return toml(str(Path(given).resolve()))
    return toml([tag.strip() for tag in given.split(",") if tag.strip()])


def why(
    collection: Annotated[Path, typer.Argument(help="A collection.")],
    url: Annotated[str, typer.Argument(help="Any URL.")],
    json: Json = False,
) -> None:
    """Explain a URL: taken, refused, waiting or never seen, and by which evidence and rule."""
    from lycosa.report.why import explain, explanation_text

    explanation = explain(collection, url)
    typer.echo(as_json(explanation) if json else explanation_text(explanation))


def report(collection: Annotated[Path, typer.Argument(help="A collection.")], out: Out = None) -> None:
    """Write the collection's report: one HTML file with everything in it."""
    from lycosa.report.html import write_report

    typer.echo(f"Wrote {write_report(collection, out)}")


def demo(out: Out = None, json: Json = False) -> None:
    """Serve a small built-in web on loopback, crawl it and report; works offline."""
    from lycosa.lab.demo.show import run_demo, tell_demo

    directory = out or Path("demo")
    summary = run_demo(directory, say, quiet=json)
    typer.echo(as_json(summary) if json else tell_demo(directory, summary))
    if summary.resumable:
        raise StoppedEarly("Stopped early; run the same command again and it goes on.")


def bench(
    pages: Annotated[int, typer.Option(help="Pages to crawl.")] = 3000,
    repeat: Annotated[int, typer.Option(help="How often; the median is shown.")] = 3,
    json: Json = False,
) -> None:
    """Measure our own speed on this machine, and Scrapy's beside it, as a ratio."""
    from lycosa.lab.bench import run_bench

    run_bench(pages, repeat, json=json, say=say)
