"""The command `seeds`: from posts and search results to URLs to start from."""

from __future__ import annotations

import datetime
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lycosa.commands import Json, as_json, room_for, say, warn_no_contact
from lycosa.errors import InputError, SpecError

if TYPE_CHECKING:
    from rich.table import Table

    from lycosa.engine.start.post_seeds import Finding
    from lycosa.seeds.posts.forms import Form
    from lycosa.seeds.posts.reading import PostFile
    from lycosa.seeds.posts.selection import PostFilter

SHOWN = 15
"""Maximum number of sources in the table."""
PLAIN_EVERY_S = 5.0

Watchers = tuple[Callable[[int, "PostFile"], None], Callable[[int, int], None]]


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command()(seeds)


def seeds(
    posts: Annotated[list[Path], typer.Argument(help="Files of posts or search results; .gz and .bz2 too.")],
    keyword: Annotated[
        list[str] | None,
        typer.Option(help="Keep URLs that contain this word or phrase; repeat it for more, any will do."),
    ] = None,
    top: Annotated[int, typer.Option(min=1, help="How many seeds.")] = 100,
    per_source: Annotated[int, typer.Option(min=1, help="At most this many seeds of one source.")] = 1,
    language: Annotated[str, typer.Option(help="Only posts in this language (en, de, …).")] = "",
    since: Annotated[str, typer.Option(help="Only posts of this day or later (YYYY-MM-DD).")] = "",
    until: Annotated[str, typer.Option(help="Only posts of this day or earlier (YYYY-MM-DD).")] = "",
    expand: Annotated[bool, typer.Option(help="Ask shorteners, politely, where their URLs lead.")] = True,
    expand_limit: Annotated[
        int, typer.Option(min=1, help="Expand at most this many, the most frequent first.")
    ] = 500,
    cache: Annotated[Path | None, typer.Option(help="Where expanded URLs are kept for next time.")] = None,
    look: Annotated[
        bool, typer.Option("--look", help="Fetch each seed, tell its kind, drop rejects.")
    ] = False,
    contact: Annotated[str, typer.Option(help="Your address, for owners of the sites that are asked.")] = "",
    form: Annotated[
        str | None,
        typer.Option("--format", help="twitter, mastodon, bluesky, json, csv or text; default: found out."),
    ] = None,
    plots: Annotated[Path | None, typer.Option(help="A folder for charts (SVG).")] = None,
    out: Annotated[Path | None, typer.Option(help="The seed list; default: standard output.")] = None,
    json: Json = False,
) -> None:
    """Find seeds in posts: URLs that contain a keyword, from the sources that are posted most.

    Example: lycosa seeds posts.jsonl --keyword storm --top 100 --out seeds.txt
    """
    from lycosa.engine.start.post_seeds import Expansion, find_seeds, looked, write_seeds
    from lycosa.report.charts.post_charts import write_plots
    from lycosa.seeds.posts.keywords import Keywords
    from lycosa.seeds.posts.reading import PostFile
    from lycosa.seeds.posts.selection import PostFilter
    from lycosa.spec.sections import FetchSpec

    wanted = PostFilter(_keywords(keyword), _language(language), _day(since), _day(until))
    if wanted.since and wanted.until and wanted.since > wanted.until:
        raise SpecError(f"--since {since} is later than --until {until}. Swap them.")
    if look and not wanted.keywords:
        raise SpecError("--look tells relevant pages by keywords. Give some: --keyword WORD.")
    if look and not contact:
        warn_no_contact()
    files = [PostFile(path, _form(form)) for path in posts]
    fetch = FetchSpec(contact=contact)
    expansion = Expansion(fetch, cache or _default_cache(), expand_limit) if expand else None
    with _progress(posts, quiet=json) as (watch, asked):
        finding = find_seeds(files, wanted, top, per_source, expansion=expansion, watch=watch, asked=asked)
        if look:
            finding = looked(finding, Keywords(wanted.keywords), fetch, asked)
    if out is not None:
        write_seeds(room_for(out), finding)
    if plots is not None:
        write_plots(plots, finding)
    if json:
        typer.echo(as_json(finding))
    else:
        _show(finding, wanted, out)


def _show(finding: Finding, wanted: PostFilter, out: Path | None) -> None:
    from rich.console import Console

    from lycosa.seeds.posts.look import Look

    # Without a file the seeds are the output, and the tables go next to it.
    console = Console(stderr=out is None)
    console.print(_statistics(finding, wanted))
    if finding.sources:
        console.print(_sources(finding))
    for title, reasons in (
        ("skipped lines", finding.posts.skipped),
        ("not expanded", finding.not_expanded),
        ("not looked at", Counter(seen for seen in finding.looks.values() if isinstance(seen, str))),
    ):
        for reason, number in reasons.items():
            console.print(f"{title}: {number:,} × {reason}", style="yellow", markup=False)
    if finding.looks:
        kinds = Counter(seen.kind.value for seen in finding.looks.values() if isinstance(seen, Look))
        told = ", ".join(f"{number:,} {kind}" for kind, number in kinds.most_common())
        console.print(f"looked at {kinds.total():,} pages{': ' * bool(told)}{told}", markup=False)
    if not finding.seeds:
        say(f"No seeds: {_why_none(finding)}")
    if out is not None:
        typer.echo(f'Wrote {len(finding.seeds)} seeds to {out}. Use them: [seeds] files = ["{out.name}"]')
    else:
        for seed in finding.seeds:
            typer.echo(seed.url)


def _why_none(finding: Finding) -> str:
    """Where the posts' URLs were lost, and what to do."""
    posts, found = finding.posts, finding.urls
    if not posts.posts:
        return "no post could be read. Look at the file, or name its format: --format."
    if not posts.with_urls:
        return "none of the posts has a URL. Give a collection of posts with links, or name its format: --format."
    if not posts.kept_with_urls:
        return "no post with a URL is in the language and time wanted. Widen --language, --since or --until."
    if found.not_expanded == found.unique_short:
        return "all URLs are short ones that were not expanded. Leave out --no-expand, or see why above."
    if found.platform == found.unique_long:
        return "the URLs lead to the platforms themselves. Give posts with links to pages."
    if not found.with_keywords:
        return "none of the URLs contains a keyword. Try other keywords: they must be in the URL."
    return "a look at the pages found none that is worth it. Try without --look, or other keywords."


def _statistics(finding: Finding, wanted: PostFilter) -> Table:
    """Table 10 of Farag's thesis."""
    from rich.table import Table

    table = Table("", title="Posts", show_header=False)
    table.add_column(justify="right")
    for name, value in statistics(finding, wanted):
        table.add_row(name, value)
    return table


def statistics(finding: Finding, wanted: PostFilter) -> list[tuple[str, str]]:
    """The rows of table 10: what is counted, and how much of it there is."""
    posts, found = finding.posts, finding.urls
    rows = [("posts", f"{posts.posts:,}")]
    if wanted.language:
        rows.append((f"posts in {wanted.language}", f"{posts.in_language:,}"))
    if posts.by_day:
        day, number = posts.by_day.most_common(1)[0]
        rows.append((f"posts of the busiest day, {day}", f"{number:,}"))
    rows.append(("posts with URLs", f"{posts.with_urls:,}"))
    if posts.by_day_with_urls:
        day, number = posts.by_day_with_urls.most_common(1)[0]
        rows.append((f"… of the busiest day, {day}", f"{number:,}"))
    rows += [
        ("posts without date", f"{posts.undated:,} ({posts.impossible_dates:,} impossible)"),
        ("posts with URLs in language and time wanted", f"{posts.kept_with_urls:,}"),
        ("unique URLs as posted", f"{found.unique_short:,}"),
        ("… of them short and not expanded", f"{found.not_expanded:,}"),
        ("unique long URLs", f"{found.unique_long:,} ({found.platform:,} of the platforms)"),
        (
            "unique sources",
            f"{found.sources:,} ({found.sources_with_2:,} ≥ 2, {found.sources_with_10:,} ≥ 10)",
        ),
        ("de-duplicated URLs", f"{found.deduplicated:,}"),
    ]
    name = f"URLs with keywords “{', '.join(wanted.keywords)}”" if wanted.keywords else "URLs to choose from"
    return [*rows, (name, f"{found.with_keywords:,}"), ("seeds", f"{len(finding.seeds):,}")]


def _sources(finding: Finding) -> Table:
    from rich.table import Table

    table = Table("source", title="Sources")
    for name in ("URLs", "posted"):
        table.add_column(name, justify="right")
    for source in finding.sources[:SHOWN]:
        table.add_row(source.source, f"{source.urls:,}", f"{source.times:,}")
    return table


@contextmanager
def _progress(paths: list[Path], *, quiet: bool) -> Iterator[Watchers]:
    """Two functions that show progress: of reading, and of asking servers."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True, quiet=quiet)
    if quiet or not console.is_terminal:
        yield _plain_progress(quiet)
        return
    done_before: dict[Path, int] = {}
    with Progress(console=console, transient=True) as bar:
        reading = bar.add_task(
            "reading posts", total=sum(path.stat().st_size for path in paths if path.exists())
        )
        asking = bar.add_task("asking servers", total=None, visible=False)

        def watch(number: int, file: PostFile) -> None:
            done_before[file.path] = max(file.bytes_read, done_before.get(file.path, 0))
            bar.update(reading, completed=sum(done_before.values()), description=f"{number:,} posts")

        def asked(done: int, total: int) -> None:
            bar.update(asking, completed=done, total=total, visible=True)

        yield watch, asked


def _plain_progress(quiet: bool) -> Watchers:
    last = time.monotonic()

    def tell(message: str) -> None:
        nonlocal last
        if not quiet and time.monotonic() - last >= PLAIN_EVERY_S:
            last = time.monotonic()
            say(message)

    return (
        lambda number, file: tell(f"{number:,} posts read, now in {file.path.name}"),
        lambda done, total: tell(f"{done:,} of {total:,} URLs asked for"),
    )


def _keywords(given: list[str] | None) -> tuple[str, ...]:
    words = tuple(given or ())
    for word in words:
        if not any(letter.isalnum() for letter in word):
            raise SpecError(f"--keyword {word!r} has no letters. Give a word or a phrase.")
    return words


def _language(given: str) -> str:
    from lycosa.seeds.posts.post import language_code

    code = language_code(given)
    if given and not code:
        raise SpecError(f"--language {given!r} is no language code. Give one like en, de or fr.")
    return code


def _day(given: str) -> datetime.date | None:
    try:
        return datetime.date.fromisoformat(given) if given else None
    except ValueError:
        raise SpecError(f"{given!r} is not a day. Write it as YYYY-MM-DD.") from None


def _form(given: str | None) -> Form | None:
    from lycosa.seeds.posts.forms import Form

    if given is None:
        return None
    try:
        return Form(given.lower())
    except ValueError:
        raise SpecError(f"--format {given!r} is not known. Choose one of {', '.join(Form)}.") from None


def _default_cache() -> Path:
    from lycosa.files import cache_directory

    try:
        return cache_directory() / "short-urls.db"
    except RuntimeError:
        raise InputError(
            "There is no home folder to keep expanded URLs in. Name a file: --cache FILE."
        ) from None
