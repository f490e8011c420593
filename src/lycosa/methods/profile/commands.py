"""`lycosa train page-types`, `lycosa train cotags` and `lycosa train items`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lycosa.commands import room_for, say
from lycosa.errors import InputError, SpecError

Pages = Annotated[
    list[str], typer.Option(help="FILE=URL: a saved page and where it is from; give it several times.")
]
Stored = Annotated[Path, typer.Argument(help="A collection crawled with the profile strategy.")]

FROM_FOLDER = "path from the spec's folder"


def register(train: typer.Typer) -> None:
    """Add the commands to `train`."""
    train.command("page-types")(page_types)
    train.command("cotags")(cotags)
    train.command("items")(items)


def page_types(
    lists: Annotated[list[str], typer.Option("--list", help="FILE=URL of a list page; one to three.")],
    details: Annotated[list[str], typer.Option("--detail", help="FILE=URL of a detail page; one to three.")],
    profiles: Annotated[
        list[str], typer.Option("--profile", help="FILE=URL of a profile page; one to three.")
    ],
    out: Annotated[Path, typer.Option(help="Where the model goes (JSON).")],
    others: Annotated[
        list[str] | None, typer.Option("--other", help="FILE=URL of a page of no type.")
    ] = None,
    fields: Annotated[
        list[str] | None,
        typer.Option("--field", help="[TYPE.]FIELD=TEXT: a text that an example shows, tags=sunset."),
    ] = None,
    share: Annotated[
        float, typer.Option(help="A text on at least this share of the examples is schema, not data.")
    ] = 1.0,
) -> None:
    """Learn a sharing site's list, detail and profile pages from a few examples of each.

    Example: lycosa train page-types --list l.html=https://a.org/new --detail d.html=https://a.org/p/1
    --profile u.html=https://a.org/u/ann --out a.json
    """
    from lycosa.files import read_file
    from lycosa.methods.profile.site.page_types import save_page_types
    from lycosa.methods.profile.site.type_training import missing_fields, train_page_types
    from lycosa.page.document import Document

    room_for(out)  # before the work, not after it

    def page(told: str) -> Document:
        name, sign, url = told.partition("=")
        if not sign or "://" not in url:
            raise InputError(
                f"{told!r} is not FILE=URL. Save the page, and say where it is from: ann.html=https://…"
            )
        try:
            return Document(read_file(Path(name)), url, "text/html")
        except OSError as error:
            raise InputError(
                f"{name} cannot be read ({error.strerror}). Save the page there first."
            ) from None

    if not 0 < share <= 1:
        raise SpecError(f"--share {share:g}: give a share above 0, up to 1.")
    told = {"list": lists, "detail": details, "profile": profiles, "other": others or []}
    examples = {kind: [page(each) for each in pages] for kind, pages in told.items() if pages}
    for each in fields or ():
        if "=" not in each:
            raise InputError(
                f"--field {each} is not FIELD=TEXT. Write a text that an example shows: {each}=sunset"
            )
    named = dict(each.split("=", 1) for each in fields or ())
    site = train_page_types(examples, name=out.stem, fields=named, share=share)
    save_page_types(out, site)
    for kind, strings in site.types.items():
        say(f"{kind}: {' and '.join(strings.key)}")
        for field, where in site.fields.get(kind, {}).items():
            say(f"  {field}: {where[0]}")
        for field in missing_fields(site, kind):
            say(
                f"  {field}: not found. Give other {kind} examples that show them, or point at one: "
                f"--field {kind}.{field}=TEXT"
            )
    typer.echo(f'Wrote {out}. Name it in the spec ({FROM_FOLDER}): [profile] page_types = "{out}"')


def cotags(
    collection: Stored,
    tag: Annotated[str, typer.Option(help="The tag that the topic starts from.")],
    out: Annotated[Path, typer.Option(help="Where the table goes (CSV).")],
    top: Annotated[int, typer.Option(min=1, help="How many tags to add to the start tag.")] = 15,
    by: Annotated[str, typer.Option(help="count, or phi (eq. 6).")] = "count",
    support: Annotated[
        int, typer.Option(min=1, help="A tag counts from this many different tag sets on.")
    ] = 3,
    min_phi: Annotated[float, typer.Option(help="At least so close to the tag (eq. 6).")] = 0.0,
    stop: Annotated[list[str] | None, typer.Option(help="Noise tags to leave out.")] = None,
) -> None:
    """Write a table of the tags that go with a tag; edit it, then give it to the spec as topic_tags.

    Example: lycosa train cotags photos --tag sunset --out tags.csv
    """
    from lycosa.methods.profile.cotags import co_tags, write_table
    from lycosa.methods.profile.items import stored_items

    room_for(out)  # before the work, not after it
    if by not in ("count", "phi"):
        raise SpecError(f"--by {by}: choose count or phi.")
    found = [row.tags for row in stored_items(collection)]
    rows = co_tags(found, tag, top=top, by=by, support=support, min_phi=min_phi, stop=stop or ())
    write_table(out, rows)
    for row in rows:
        say(f"{row.tag:30} {row.together:6} {row.alone:6} {row.phi:.5f}")
    typer.echo(
        f"Wrote {out}. Delete what does not belong, then name it in the spec ({FROM_FOLDER}): "
        f'[profile] topic_tags = "{out}"'
    )


def items(
    collection: Stored,
    out: Annotated[Path, typer.Option(help="Where the rows go (JSON lines).")],
) -> None:
    """Write the detail pages of a collection as rows: URL, title, tags, uploader, rank, relevant.

    Example: lycosa train items photos --out photos.jsonl
    """
    from lycosa.methods.profile.items import write_items

    room_for(out)  # before the work, not after it
    typer.echo(f"Wrote {write_items(collection, out)} rows to {out}.")
