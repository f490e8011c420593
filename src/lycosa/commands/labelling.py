"""`lycosa label`: questions about pages, whose answers teach the judge."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command()(label)


def label(
    collection: Annotated[Path, typer.Argument(help="A collection; its crawl may be running.")],
    count: Annotated[int, typer.Option(min=1, max=1000, help="How many questions.")] = 20,
    assistant: Annotated[
        Path | None, typer.Option(help="A crawl.toml whose [judge.assistant] answers instead of you.")
    ] = None,
) -> None:
    """Ask about the pages whose answers teach most: y, n, s (skip), b (back) or q (quit).

    After every 5 answers the judge learns from them, and it is said what changed. Answers may come from a pipe, one
    a line.

    Example: lycosa label owls/owls --count 10
    """
    from lycosa.collection.collection import Collection
    from lycosa.learn.history import jump_told
    from lycosa.learn.questions import AT_ONCE, PROMPT, Interview

    if assistant:
        _assisted(collection, count, assistant)
        return
    with Collection.open(collection) as opened:
        if changed := jump_told(opened):
            typer.echo(f"{changed}\n")
    interview, trouble = Interview(collection, count), ""
    while text := interview.text:
        if not trouble:
            typer.echo(text)
        typer.echo(PROMPT, nl=False)
        line = sys.stdin.readline()
        if not sys.stdin.isatty():
            typer.echo(line.strip())
        if trouble := interview.take(line or "q"):
            typer.echo(f"  {trouble}")
        if interview.unlearned >= AT_ONCE:
            _learn(collection)
            interview.unlearned = 0
            interview.choose_again()
    if interview.unlearned:
        _learn(collection)
    if not interview.answers:
        typer.echo("No page was answered, so nothing has changed.")
    _tell_agreement(collection)
    typer.echo(f"\n{_next_step(collection)}")


def _assisted(directory: Path, count: int, path: Path) -> None:
    """Let the assistant of a spec answer; the judge learns after every 5 answers.

    The spec is one that the user names: the one in a collection may be a stranger's, and name a stranger's endpoint.
    """
    import asyncio

    from lycosa.commands import say
    from lycosa.engine.start.request import refuse_collection
    from lycosa.errors import SpecError
    from lycosa.learn.assistant.asking import Assistant
    from lycosa.learn.questions import AT_ONCE
    from lycosa.methods.lookup import all_settings
    from lycosa.spec.reading import load_spec, spec_path

    refuse_collection(spec_path(path))
    spec, _ = load_spec(spec_path(path), all_settings())
    if not spec.judge.assistant.endpoint:
        raise SpecError(
            f"{path} has no [judge.assistant]. Add one with endpoint and model (docs/assistant.md)."
        )

    async def answered() -> str:
        async with Assistant(directory, spec, say) as assistant:
            if not assistant.left and not assistant.has_failed:
                return f"No question left of judge.assistant.questions = {spec.judge.assistant.questions}. Raise it."
            while (before := len(assistant.answers)) < count:
                new = await assistant.ask(min(AT_ONCE, count - before))
                for answer in assistant.answers[before:]:
                    said = {True: "yes", False: "no", None: "no answer"}[answer.relevant]
                    typer.echo(f"{said:<9}  {answer.url}\n           {answer.reason}")
                if new:
                    await asyncio.to_thread(_learn, directory)
                if len(assistant.answers) == before:
                    break
            if assistant.has_failed and not assistant.answers:
                raise typer.Exit(1)
            return f"\n{assistant.told}"

    typer.echo(asyncio.run(answered()))
    _tell_agreement(directory)


def _tell_agreement(directory: Path) -> None:
    """Print how often the assistant and the person agree, if both answered pages."""
    from lycosa.collection.labels import agreement_in

    if agreement := agreement_in(directory):
        typer.echo(f"\n{agreement}")


def _next_step(directory: Path) -> str:
    """The next step after answering: more answers while they are few, then reading the kept pages."""
    from lycosa.collection.labels import labels_in
    from lycosa.engine.watch.health import MANY_ANSWERS
    from lycosa.wording import counted

    where, answers = shlex.quote(str(directory)), len(labels_in(directory))
    shown = f"lycosa report {where} shows what is kept now"
    if answers < MANY_ANSWERS:
        return (
            f"What would help most: lycosa label {where}, as {counted(answers, 'answer')} of about {MANY_ANSWERS} "
            f"{'is' if answers == 1 else 'are'} there. Then {shown}."
        )
    return f"Next: {shown}; the same crawl with a higher --max-pages goes on with what you taught it."


def _learn(directory: Path) -> None:
    """Teach the judge the answers, and print the changes."""
    from lycosa.collection.collection import Collection
    from lycosa.engine.catch_up.relearn import learns, relearn

    with Collection.open(directory) as collection:
        is_learning = learns(collection)
    if is_learning:
        typer.echo(f"\n{relearn(directory)}")
    else:
        typer.echo(
            "\nThe answers are kept. This judge does not learn by itself: they are used when the crawl is run again."
        )
