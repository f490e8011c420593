"""Training page types: what is missing or wrong is told in words, and the command writes a model."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from lycosa.cli import app
from lycosa.errors import InputError
from lycosa.methods.profile.site.page_types import load_page_types
from lycosa.methods.profile.site.type_training import train_page_types
from lycosa.page.document import Document
from lycosa_lab.demo_web.sharing import sharing_part

PART = sharing_part(1)


def some(kind: str, count: int = 3) -> list[str]:
    return [url for url, each in PART.page_types if each == kind][5:][:count]


def documents(kind: str) -> list[Document]:
    return [Document(PART.pages[url].body, url, "text/html") for url in some(kind)]


def examples() -> dict[str, list[Document]]:
    return {kind: documents(kind) for kind in ("list", "detail", "profile")}


def test_a_type_without_examples():
    """The error says which type has no examples."""
    with pytest.raises(InputError, match="profile"):
        train_page_types(examples() | {"profile": []})


def test_an_unknown_type():
    """Only known types are taken."""
    with pytest.raises(InputError, match="no page type 'album'"):
        train_page_types(examples() | {"album": documents("list")})


def test_an_empty_example():
    """A page without text, as one behind a login may be, is named."""
    empty = Document(b"<script>login()</script>", "http://tinderbox.test/maker/x", "text/html")

    with pytest.raises(InputError, match="maker/x has no text"):
        train_page_types(examples() | {"profile": [empty]})


def test_an_example_that_asks_to_sign_in():
    """Of three profiles the one that is no profile is named."""
    some = documents("profile")[:2]
    closed = Document(b"<form class=x><p>Please sign in", "http://tinderbox.test/maker/closed", "text/html")

    with pytest.raises(InputError, match=r"maker/closed has no path string in common .* login"):
        train_page_types(examples() | {"profile": [*some, closed]})


def test_one_example_each():
    """One example of each type is enough."""
    site = train_page_types({kind: pages[:1] for kind, pages in examples().items()})

    assert all(strings.key for strings in site.types.values())


def test_an_unknown_field():
    """A field that nobody reads is refused."""
    with pytest.raises(InputError, match=r"detail\.tags"):
        train_page_types(examples(), fields={"colour": "red"})


def test_a_field_without_text(tmp_path):
    """A field has to be pointed at with a text."""
    arguments = ["train", "page-types", "--out", str(tmp_path / "site.json"), "--field", "tags"]
    for kind in ("list", "detail", "profile"):
        (tmp_path / kind).write_bytes(PART.pages[some(kind)[0]].body)
        arguments += [f"--{kind}", f"{tmp_path / kind}={some(kind)[0]}"]
    done = CliRunner().invoke(app, arguments)

    assert "--field tags is not FIELD=TEXT" in str(done.exception)


def test_command(tmp_path):
    """`lycosa train page-types` writes a model that can be loaded, and says where it finds things."""
    arguments = ["train", "page-types", "--out", str(tmp_path / "site.json")]
    for kind in ("list", "detail", "profile"):
        for number, url in enumerate(some(kind)):
            file = tmp_path / f"{kind}{number}.html"
            file.write_bytes(PART.pages[url].body)
            arguments += [f"--{kind}", f"{file}={url}"]
    done = CliRunner().invoke(app, arguments)

    assert done.exit_code == 0, done.output
    assert "Name it in the spec (path from the spec's folder)" in done.output
    assert set(load_page_types(tmp_path / "site.json").site.types) == {"list", "detail", "profile"}
