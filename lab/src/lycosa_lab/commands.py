"""The commands `lycosa lab …` and `lycosa bench`, added by an entry point of the group `lycosa.commands`."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from lycosa.commands import Json, room_for, say
from lycosa.errors import SpecError

lab = typer.Typer(no_args_is_help=True, help="Compare strategies on the same archived web, repeatably.")

Web = Annotated[Path, typer.Argument(help="A virtual web: a folder with *.warc.gz and labels.csv.")]


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.add_typer(lab, name="lab")
    app.command()(bench)


@lab.command()
def run(
    web: Web,
    topic: Annotated[list[str] | None, typer.Option(help="A topic of the web; default: all.")] = None,
    strategy: Annotated[
        list[str] | None, typer.Option(help="A strategy, `oracle` or `look-ahead`; repeat it.")
    ] = None,
    pages: Annotated[int, typer.Option(min=1, max=1_000_000, help="Pages that count in each run.")] = 500,
    runs: Annotated[int, typer.Option(min=1, max=10_000, help="Random seeds per topic.")] = 5,
    random_seed: Annotated[int, typer.Option(help="The first random seed.")] = 1,
    changes: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="S.KEY=V[,V…]", help="A setting, a grid of it, or a range FIRST:LAST:STEP."
        ),
    ] = None,
    given: Annotated[
        str | None,
        typer.Option(
            metavar="keywords,examples:3", help="As a user: nothing but keywords or a few example pages."
        ),
    ] = None,
    train_share: Annotated[float, typer.Option(help="Share of the relevant pages to train on.")] = 0.2,
    train_min: Annotated[
        int, typer.Option(min=0, help="At least this many, if the topic can spare them.")
    ] = 10,
    seeds: Annotated[
        int | None,
        typer.Option(
            min=1, help="How many training pages are seeds (5); with --given keywords: relevant pages (3)."
        ),
    ] = None,
    start_from: Annotated[str, typer.Option("--from", help="seeds, start or both.")] = "seeds",
    baseline: Annotated[
        str, typer.Option(help="The strategy that the others are tested against; default: the first.")
    ] = "",
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Make all runs again, also those in the cache.")
    ] = False,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes; default: the cores.")] = None,
    json: Annotated[Path | None, typer.Option("--json", help="Write everything to this file.")] = None,
    csv: Annotated[
        Path | None, typer.Option(help="Write a row a run, and the tests to FILE-tests.csv.")
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            help="Write curves to this file (PNG, with an SVG next to it), scores to FILE-scores.png."
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            help="Write all of it to this folder: lab.json, lab.csv, lab-tests.csv, lab.png, lab-scores.png."
        ),
    ] = None,
) -> None:
    """Run strategies on topics of a web, and compare them.

    With --given keywords,examples:3 they have what a user has, and no more.

    Example: lycosa lab run WEB --topic owls --strategy breadth-first --strategy best-first --out results
    """
    from lycosa_lab import results
    from lycosa_lab.grids.comparing import compare
    from lycosa_lab.grids.progress import Bar
    from lycosa_lab.plots import figure_library, plot_curves, plot_scores
    from lycosa_lab.runs.given import parse_given
    from lycosa_lab.runs.protocol import Options
    from lycosa_lab.webs.cache import MUCH_CACHED, cache_told, cached_files

    gives = parse_given(given) if given else None
    names = strategy or ["breadth-first", "best-first", *([] if gives else ["selective"])]
    if gives and gives.examples and seeds:
        raise SpecError("--seeds: the examples are the seeds. Leave it out, or change the number in --given.")
    if start_from not in ("seeds", "start", "both"):
        raise SpecError(f"--from {start_from}: choose seeds, start or both.")
    if not 0 <= train_share < 1:
        raise SpecError(f"--train-share {train_share:g}: give a share from 0 to below 1, such as 0.2.")
    if plot and plot.suffix.lower() not in ("", ".png", ".svg"):
        raise SpecError(
            f"--plot {plot}: curves are drawn as PNG and SVG. Name a file that ends in .png or .svg."
        )
    jsons, tables, plots = (  # check that files can be written before the work starts
        [room_for(path) for path in (named, out and out / f"lab{ending}") if path]
        for named, ending in ((json, ".json"), (csv, ".csv"), (plot, ".png"))
    )
    if plots:
        figure_library()
    options = Options(pages, train_share, train_min, seeds or (3 if gives else 5), start_from, gives)  # type: ignore[arg-type]
    try:
        with Bar("runs") as bar:
            compared = compare(
                web,
                names,
                topics=topic or [],
                changes=changes or [],
                options=options,
                runs=runs,
                random_seed=random_seed,
                baseline=baseline,
                processes=workers,
                progress=bar.update,
                parsing=partial(bar.show, "pages parsed"),
                fresh=fresh,
            )
    except KeyboardInterrupt:
        say("Stopped. Finished runs are kept: the same command goes on from there.")
        raise typer.Exit(130) from None
    found = compared.results()
    for note in compared.web.notes:
        say(f"Note: {note}")
    results.print_table(found)
    for path in jsons:
        results.write_json(path, found)
        say(f"Wrote {path}")
    for path in tables:
        for written in results.write_csv(path, compared.runs, found["tests"]):
            say(f"Wrote {written}")
    for path in plots:
        scores = plot_scores(compared.runs, path.with_name(f"{path.stem}-scores.png"))
        for drawn in [*plot_curves(compared.runs, pages, path), *scores]:
            say(f"Wrote {drawn}")
    if sum(cached_files().values()) >= MUCH_CACHED:
        say(cache_told())


@lab.command()
def cache(
    clear: Annotated[
        bool, typer.Option("--clear", help="Delete parsed webs, runs and made webs; they are made again.")
    ] = False,
) -> None:
    """Show where the lab's cache is and how large, or empty it.

    Example: lycosa lab cache --clear
    """
    from lycosa_lab.webs.cache import cache_told, cached_files

    if clear:
        for path in cached_files():
            path.unlink(missing_ok=True)
    typer.echo(cache_told())


@lab.command()
def record(
    spec: Annotated[Path, typer.Argument(help="The crawl.toml of what to record, or its folder.")],
    web: Annotated[Path, typer.Argument(help="The folder to make.")],
) -> None:
    """Turn a breadth-first crawl of the live Web into a virtual web.

    Example: lycosa lab record owls owls-web
    """
    from lycosa_lab.webs.record import record_web

    typer.echo(f"Wrote {record_web(spec, web, say)}")


@lab.command()
def labels(
    web: Annotated[Path, typer.Argument(help="A web that lycosa lab record made.")],
    topic: Annotated[
        str, typer.Option(help="The topic that was asked about; default: the web's title.")
    ] = "",
) -> None:
    """Write the answers given to `lycosa label WEB/collection` into the web's labels.csv.

    Example: lycosa lab labels owls-web
    """
    from lycosa.wording import counted
    from lycosa_lab.webs.record import take_labels

    typer.echo(f"Wrote the labels of {counted(take_labels(web, topic), 'page')} into {web / 'labels.csv'}")


@lab.command()
def fit(
    webs: Annotated[
        list[Path], typer.Argument(help="Virtual webs: their topics are crawled as a user would.")
    ],
    kind: Annotated[
        list[str] | None, typer.Option(help="A kind of request, as coefficients.json names it; default: all.")
    ] = None,
    draw: Annotated[list[int] | None, typer.Option(help="A random seed; default: 1 and 2.")] = None,
    pages: Annotated[list[int] | None, typer.Option(help="Numbers of pages; default: 200 and 1000.")] = None,
    out: Annotated[
        Path, typer.Option(help="The table to write: quality on topics and webs left out.")
    ] = Path("judge.md"),
) -> None:
    """Fit the judge that Lycosa ships on virtual webs, and write its provenance.

    The coefficients of the installed Lycosa are replaced.

    Example: lycosa lab fit webs/wikischools webs/modern --kind both --out judge.md
    """
    from lycosa_lab.fit.shipped import refit, write_coefficients
    from lycosa_lab.fit.weights import SIGNALS

    draws, sizes, kinds = draw or [1, 2], sorted(pages or [200, 1000]), kind or [*SIGNALS]
    room = room_for(out)
    found, table = refit(webs, kinds, draws, sizes, say)
    room.write_text(table + "\n", encoding="utf-8")
    typer.echo(f"Wrote {write_coefficients(found, webs, len(draws), sizes)} and {room}")


@lab.command()
def reproduce(
    paper: Annotated[str, typer.Argument(help="Which paper, by its method: selective, event, …")],
    web: Annotated[Path | None, typer.Option(help="A virtual web; default: the demo web.")] = None,
    out: Annotated[Path, typer.Option(help="Where tables and figures go.")] = Path("reproduced"),
) -> None:
    """Draw a paper's tables and figures on a given web.

    Example: lycosa lab reproduce selective --web WEB --out reproduced
    """
    from lycosa_lab.papers import reproduce_paper

    for path in reproduce_paper(paper, web, out, say):
        typer.echo(f"Wrote {path}")


def bench(
    pages: Annotated[int, typer.Option(min=1, max=1_000_000, help="Pages to crawl.")] = 3000,
    repeat: Annotated[int, typer.Option(min=1, help="How often; the median is shown.")] = 3,
    strategy: Annotated[
        list[str] | None, typer.Option(help="A strategy to measure beside best-first; may be repeated.")
    ] = None,
    urls: Annotated[
        int,
        typer.Option(
            min=0, max=100_000_000, help="The frontier alone, grown to this many URLs; 0: whole crawls."
        ),
    ] = 0,
    web: Annotated[
        Path | None, typer.Option(help="An archived web to crawl instead of a made site, served on loopback.")
    ] = None,
    peers: Annotated[
        str, typer.Option(help="A Python that has Scrapy, Crawlee or crawl4ai; this one if none is named.")
    ] = "",
    json: Json = False,
) -> None:
    """Measure the speed of lycosa on this machine, and its ratio to other crawlers.

    With --urls the frontier alone, with the records that fused keeps of every URL where that is named. With --web
    the crawls are of an archived web (docs/webs.md), with the keywords of its first topic.

    Example: lycosa bench --pages 1000 --repeat 3 --strategy fused
    """
    from lycosa.methods.lookup import strategy_class
    from lycosa_lab.bench.crawled import archived_web
    from lycosa_lab.bench.run import run_bench, run_frontier_bench

    for name in strategy or ():
        strategy_class(name)  # reject a wrong name before measuring
    if urls:
        run_frontier_bench(urls, max(1, urls // 100), with_records="fused" in (strategy or ()), json=json)
    else:
        run_bench(
            pages,
            repeat,
            strategies=strategy or (),
            json=json,
            say=say,
            crawled=archived_web(web) if web else None,
            peers=peers or sys.executable,
        )
