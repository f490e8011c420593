"""The command line: a thin layer. Heavy imports are inside the commands, so that help is quick."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from lycosa import __version__
from lycosa.errors import InputError, LycosaError, SpecError, StoppedEarly

app = typer.Typer(
    name="lycosa",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="A focused web crawler: the pages about one topic, why each was taken, and an archive of them.",
)

Json = Annotated[bool, typer.Option("--json", help="Print a JSON summary on standard output.")]
Out = Annotated[Path | None, typer.Option("--out", help="Where to write.")]
Changes = Annotated[
    list[str] | None, typer.Option("--set", metavar="SECTION.KEY=VALUE", help="Change one key of the spec.")
]


def say(message: str) -> None:
    """A word to the user, beside the results."""
    typer.echo(message, err=True)


def _as_json(value: object) -> str:
    import msgspec

    return msgspec.json.encode(value).decode()


@app.callback(invoke_without_command=True)
def _root(
    version: Annotated[bool, typer.Option("--version", help="Print the version.", is_eager=True)] = False,
) -> None:
    if version:
        typer.echo(f"lycosa {__version__}")
        raise typer.Exit


@app.command()
def init(
    directory: Annotated[Path, typer.Argument(help="A folder for the crawl; made if it is not there.")],
    topic: Annotated[bool, typer.Option("--topic", help="A crawl for a topic.")] = False,
    site: Annotated[bool, typer.Option("--site", help="A crawl of whole sites.")] = False,
) -> None:
    """Write a commented crawl.toml to start from."""
    from lycosa.template import spec_text

    if topic == site:
        raise SpecError("Say which kind of crawl: lycosa init DIR --topic, or --site.")
    path = directory / "crawl.toml"
    if path.exists():
        raise InputError(f"{path} is already there. Edit it, or choose another folder.")
    try:
        directory.mkdir(parents=True, exist_ok=True)
        path.write_text(spec_text("topic" if topic else "site", directory.resolve().name), encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path} cannot be written ({error.strerror}). Choose another folder.") from None
    typer.echo(f"Wrote {path}.\nEdit it, then: lycosa crawl {path}")


@app.command()
def crawl(
    spec: Annotated[Path, typer.Argument(help="The crawl.toml.")],
    out: Out = None,
    max_pages: Annotated[int | None, typer.Option(help="Instead of limits.pages.")] = None,
    strategy: Annotated[str | None, typer.Option(help="Instead of the spec's strategy.")] = None,
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
    summary = crawl_file(spec, out, tuple(extra), say=say, quiet=quiet or json)
    if json:
        typer.echo(_as_json(summary))
    else:
        typer.echo(
            f"{summary.pages:,} pages, {summary.relevant:,} relevant (harvest {summary.harvest:.2f}), "
            f"{summary.waiting:,} waiting; {summary.ended}.\nThe collection: {summary.collection}"
        )
    if summary.resumable:
        raise StoppedEarly("Stopped early; run the same command again and it goes on.")


@app.command()
def why(
    collection: Annotated[Path, typer.Argument(help="A collection.")],
    url: Annotated[str, typer.Argument(help="Any URL.")],
    json: Json = False,
) -> None:
    """Explain a URL: taken, refused, waiting or never seen, and by which evidence and rule."""
    from lycosa.report.why import explain, explanation_text

    explanation = explain(collection, url)
    typer.echo(_as_json(explanation) if json else explanation_text(explanation))


@app.command()
def report(collection: Annotated[Path, typer.Argument(help="A collection.")], out: Out = None) -> None:
    """Write the collection's report: one HTML file with everything in it."""
    from lycosa.report.html import write_report

    typer.echo(f"Wrote {write_report(collection, out)}")


@app.command()
def demo(out: Out = None, json: Json = False) -> None:
    """Serve a small built-in web on loopback, crawl it and report; works offline."""
    from lycosa.lab.demo.show import run_demo, tell_demo

    directory = out or Path("demo")
    summary = run_demo(directory, say, quiet=json)
    typer.echo(_as_json(summary) if json else tell_demo(directory, summary))


@app.command()
def bench(
    pages: Annotated[int, typer.Option(help="Pages to crawl.")] = 3000,
    repeat: Annotated[int, typer.Option(help="How often; the median is shown.")] = 3,
    json: Json = False,
) -> None:
    """Measure our own speed on this machine, and Scrapy's beside it, as a ratio."""
    from lycosa.lab.bench import run_bench

    run_bench(pages, repeat, json=json, say=say)


def main() -> NoReturn:
    """Run the command line; errors are one line and an exit code."""
    try:
        app(standalone_mode=False)
    except LycosaError as error:
        typer.echo(f"lycosa: {error}", err=True)
        sys.exit(error.exit_code)
    except typer.Abort:
        sys.exit(1)
    except typer.Exit as done:
        sys.exit(done.exit_code)
    except KeyboardInterrupt:
        sys.exit(3)
    except Exception as error:
        import click

        if isinstance(error, click.ClickException):
            error.show()
            sys.exit(2)
        raise
    sys.exit(0)
