"""The commands of the engine: init, strategies, check, crawl, import, why, report, demo."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from lycosa.commands import Changes, Json, as_json, room_for, say, warn_no_contact, with_options
from lycosa.commands.crawl_ends import tell
from lycosa.errors import InputError, SpecError, StoppedEarly
from lycosa.methods.registry import methods


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    own = {each.name: f"A crawl of the method {each.name}." for each in methods() if each.start.template}
    kinds = {"topic": "A crawl for a topic.", **own, "site": "A crawl of whole sites."}
    demos = {each.name: each.commands.demo.help for each in methods() if each.commands.demo}
    for command in (
        with_options(init, _flags(kinds)),
        strategies,
        check,
        crawl,
        why,
        report,
        with_options(demo, _flags(demos)),
    ):
        app.command()(command)
    app.command("import")(import_)


def _flags(helps: Mapping[str, str]) -> dict[str, tuple[Any, Any]]:
    return {name: (bool, typer.Option(f"--{name}", help=text)) for name, text in helps.items()}


def init(
    directory: Annotated[Path, typer.Argument(help="A folder for the crawl; made if it is not there.")],
    more: Annotated[
        list[str] | None, typer.Argument(help="More pages, after --from.", show_default=False)
    ] = None,
    from_: Annotated[
        str | None,
        typer.Option(
            "--from", metavar="PAGE", help="Draft it from pages, URLs or files, that are about the topic."
        ),
    ] = None,
    contact: Annotated[
        str, typer.Option(help="Where site owners can reach you: for --from, and for the crawl.")
    ] = "",
    every_key: Annotated[
        bool, typer.Option("--all", help="Every key with its default, not only what users often set.")
    ] = False,
    **kinds: bool,
) -> None:
    """Write a commented crawl.toml to start from: a template, or one drafted from example pages.

    Example: lycosa init owls --from https://www.example.org/owls https://www.example.org/barn-owl
    """
    from lycosa.methods.lookup import all_settings
    from lycosa.spec.writing import spec_text

    said = [kind for kind, is_said in kinds.items() if is_said]
    if len(said) > 1:
        raise SpecError(f"A crawl is of one kind. Choose one of --{' and --'.join(said)}.")
    if not said and not from_:
        *others, last = (f"--{kind}" for kind in kinds)
        raise SpecError(
            f"Say which kind of crawl: lycosa init DIR {', '.join(others)} or {last}; or give pages: --from URL…"
        )
    if more and not from_:
        raise SpecError("Name one folder. Pages to draft the spec from come after --from.")
    if directory.parts[:1] in (("http:",), ("https:",)):
        raise SpecError("Name a folder to make; URLs to start from go into [seeds] of the crawl.toml in it.")
    path = directory / "crawl.toml"
    if path.exists():
        raise InputError(f"{path} is already there. Edit it, or choose another folder.")
    name, known = directory.resolve().name, all_settings()
    text = (
        _drafted([from_, *(more or [])], directory, contact, said, name, every_key=every_key)
        if from_
        else spec_text(said[0], name, known, every_key=every_key)
    )
    try:
        directory.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path} cannot be written ({error.strerror}). Choose another folder.") from None
    typer.echo(f"Wrote {path}.\nEdit it, then: lycosa check {path}, and lycosa crawl {path}")


def _drafted(
    given: list[str], directory: Path, contact: str, said: list[str], name: str, *, every_key: bool
) -> str:
    """The spec that pages suggest, shown before it is written; of the kind that was said, or that they are."""
    from lycosa import urls
    from lycosa.engine.start.drafting import draft_from, draft_text, start_of
    from lycosa.methods.lookup import all_settings
    from lycosa.spec.sections import FetchSpec
    from lycosa.spec.writing import spec_text, start_of_kind

    if not contact and any(map(urls.parse, given)):
        warn_no_contact()
    # Files are named from here; in the spec they begin at its folder.
    pages = [page if urls.parse(page) else os.path.relpath(page, directory) for page in given]
    draft = draft_from(pages, directory, FetchSpec(contact=contact), say)
    kind = said[0] if said else next(iter(draft.sections), "topic")
    typer.echo(draft_text(draft, kind))
    start = start_of(draft, kind, start_of_kind(kind, all_settings()))
    written = {**start, "fetch": {"contact": contact}}
    return spec_text(kind, name, all_settings(), written, every_key=every_key)


def strategies(json: Json = False) -> None:
    """Show which strategy to take when, with what the lab measured of each.

    Example: lycosa strategies
    """
    from lycosa.methods.choosing import choices, choices_text

    typer.echo(as_json(choices()) if json else choices_text())


def check(
    spec: Annotated[Path, typer.Argument(help="The crawl.toml, or the folder that it is in.")],
    trust: Annotated[
        bool, typer.Option("--trust", help="Run the Python files that the spec names, without asking.")
    ] = False,
    changes: Changes = None,
    json: Json = False,
) -> None:
    """Read a spec and everything on this machine that it names, without crawling.

    A strategy in a Python file (strategy = "FILE.py:Class") can be checked only by running that file: you are asked first.

    Example: lycosa check owls
    """
    from lycosa.engine.start.checking import check_spec, check_text

    if not trust:
        _ask_to_run(spec, tuple(changes or ()))
    checked = check_spec(spec, tuple(changes or ()))
    typer.echo(as_json(checked) if json else check_text(checked))


def _ask_to_run(spec: Path, changes: tuple[str, ...]) -> None:
    """Whoever checks a spec that is not their own does not expect its code to run."""
    from lycosa.spec.reading import code_named_in, spec_path

    files = code_named_in(spec_path(spec), changes)
    if not files:
        return
    told = f"{spec} names code, which is run when it is checked: {', '.join(files)}."
    if sys.stdin.isatty() and typer.confirm(f"{told} Have you read it, and shall it run?", err=True):
        return
    raise SpecError(f"{told} Read it first, then: lycosa check {spec} --trust")


def crawl(
    spec: Annotated[Path, typer.Argument(help="The crawl.toml, or the folder that it is in.")],
    out: Annotated[
        Path | None, typer.Option(help="The collection; default: a folder with the spec's name next to it.")
    ] = None,
    max_pages: Annotated[
        int | None, typer.Option(min=1, help="At most this many pages, instead of limits.pages.")
    ] = None,
    strategy: Annotated[str | None, typer.Option(help="Instead of the spec's strategy.")] = None,
    web: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="ARCHIVE",
            help="Crawl this archive instead of the network: a WARC or WACZ file, a folder of them, a web of the "
            "lab or a collection; repeat it.",
        ),
    ] = None,
    ask: Annotated[
        int,
        typer.Option(
            min=0,
            max=1000,
            help="After 50 pages ask this many questions (y/n) in the terminal; answers teach the judge.",
        ),
    ] = 0,
    shards: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=1024,
            help="Crawl in this many processes, each with hosts of its own; needs lycosa[cluster].",
        ),
    ] = None,
    ray: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS", help="Run the shards on this Ray cluster, such as auto or 10.0.0.1:6379."
        ),
    ] = "",
    changes: Changes = None,
    json: Json = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
) -> None:
    """Crawl as the spec says; run again, it goes on where it was.

    Example: lycosa crawl owls --max-pages 500 --set fetch.per_host_delay_s=5
    """
    from lycosa.engine.run import crawl_request
    from lycosa.engine.start.request import request_of_file

    extra = [*(changes or [])]
    if max_pages is not None:
        extra.append(f"limits.pages={max_pages}")
    if strategy is not None:
        extra.append(f"strategy={strategy}")
    if web:
        extra.append(f"fetch.web={_from_here(web)}")
    asked = request_of_file(spec, out, tuple(extra))
    there = _shards_in(asked.directory)
    wanted = shards or there
    if ray and not wanted:
        raise SpecError(f"--ray {ray}: say how many shards the crawl is to have, such as --shards 8.")
    if wanted > 1 or there or ray:
        from lycosa.cluster.run import crawl_in_shards

        if ask:
            raise SpecError(
                "--ask: a crawl of several shards asks nothing. Answer afterwards: lycosa label COLLECTION."
            )
        if asked.spec.judge.assistant.endpoint:
            say(
                "Note: a crawl of several shards asks no assistant. Ask afterwards: "
                "lycosa label COLLECTION --assistant SPEC"
            )
        summary = crawl_in_shards(asked, shards=wanted, address=ray, say=say, quiet=quiet or json)
    else:
        summary = crawl_request(asked, say=say, quiet=quiet or json, ask=ask)
    tell(summary, json=json)


def _shards_in(directory: Path) -> int:
    """Number of shards of an existing collection that a crawl would resume; 0 for a crawl in one process."""
    if not (directory / "shards.json").is_file():
        return 0
    from lycosa.cluster.run import shards_of

    return shards_of(directory)


def import_(
    archives: Annotated[
        list[Path],
        typer.Argument(metavar="ARCHIVE", help="WARC or WACZ files, folders of them, or collections."),
    ],
    out: Annotated[Path, typer.Option(help="The collection to make.")],
    spec: Annotated[
        Path | None,
        typer.Option(help="A crawl.toml that says what is relevant; default: every page is."),
    ] = None,
    changes: Changes = None,
    json: Json = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
) -> None:
    """Make a collection of an archive: every page in it is judged; run again, it goes on where it was.

    Example: lycosa import old.warc.gz more.wacz --out owls-of-old --spec owls
    """
    from lycosa.engine.run import crawl_request
    from lycosa.engine.start.request import request_for_archives

    archives = [path.resolve() for path in archives]
    request = request_for_archives(archives, out, spec, tuple(changes or ()))
    summary = crawl_request(request, say=say, quiet=quiet or json)
    tell(summary, json=json)


def _from_here(paths: list[Path]) -> str:
    """Paths as a TOML value: they are from where the command runs, not from the spec's folder."""
    from lycosa.spec.writing import toml

    return toml([str(path.resolve()) for path in paths])


def why(
    collection: Annotated[Path, typer.Argument(help="A collection.")],
    url: Annotated[str, typer.Argument(help="Any URL.")],
    json: Json = False,
) -> None:
    """Explain a URL: taken, refused, waiting or never seen, with the evidence and the rule.

    Example: lycosa why demo http://www.nightbirds.test/reports/page07.html
    """
    from lycosa.why import explain, explanation_text

    explanation = explain(collection, url)
    typer.echo(as_json(explanation) if json else explanation_text(explanation))


def report(
    collection: Annotated[Path, typer.Argument(help="A collection.")],
    out: Annotated[
        Path | None,
        typer.Option(help="The HTML file; default: report/index.html in the collection; -: standard output."),
    ] = None,
) -> None:
    """Write the collection's report: one HTML file with everything in it.

    Example: lycosa report demo --out owls.html
    """
    from lycosa.report.html import report_text, write_report

    if out == Path("-"):
        typer.echo(report_text(collection))
    else:
        typer.echo(f"Wrote {write_report(collection, out and room_for(out))}")


def demo(
    out: Annotated[Path, typer.Option(help="The collection.")] = Path("demo"),
    strategy: Annotated[str, typer.Option(help="How links are ranked; breadth-first is blind.")] = "fused",
    json: Json = False,
    **of_methods: bool,
) -> None:
    """Serve a small built-in web on loopback, crawl it and report; works offline.

    Example: lycosa demo --strategy best-first --out owls
    """
    own = next((each.commands.demo for each in methods() if of_methods.get(each.name)), None)
    if own:
        summary, told = own.run(out, say, json)
    else:
        from lycosa.demo.show import run_demo, tell_demo

        summary = run_demo(out, say, strategy=strategy, quiet=json)
        told = "" if json else tell_demo(out, summary, strategy)
    typer.echo(as_json(summary) if json else told)
    if summary.stopped_early:
        raise StoppedEarly("Stopped early; run the same command again and it goes on.")
