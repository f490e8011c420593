"""What methods say of themselves holds: every part that is named can be loaded, and knowing a method costs nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass

import msgspec
import pytest

from lycosa.methods.lookup import indexed_evidence, indexes, strategy_class
from lycosa.methods.registry import built_in
from lycosa.methods.seam import Lazy, Method
from lycosa.page.document import Document
from tests.crawling import ROOT


def lazy_parts(value: object) -> Iterator[Lazy]:
    """All lazy parts of a method, however deep."""
    if isinstance(value, Lazy):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from lazy_parts(part)
    elif is_dataclass(value):
        for one in fields(value):
            yield from lazy_parts(getattr(value, one.name))


@pytest.mark.parametrize("method", built_in(), ids=lambda method: method.name)
def test_every_part_that_is_named_is_there(method):
    """A name that leads nowhere would be found by a user."""
    for part in lazy_parts(method):
        assert part.where.startswith(f"lycosa.methods.{method.name}."), "a method's parts are in its folder"
        assert part.load() is not None
    for name in method.strategies:
        assert strategy_class(name).__name__


def test_what_an_index_computes_is_evidence():
    """[index] genre asks for it on every page, whatever the strategy."""
    for name in indexes():
        (evidence,) = indexed_evidence([name])
        assert evidence.name == name
        assert (
            evidence.of_page(Document(b"<title>News</title><p>It happened.", "http://a.example/")) is not None
        )


def test_parts_of_pages_are_made_once_and_can_be_stored():
    """The lab keeps them with each parsed page."""
    for name, part in (item for method in built_in() for item in method.evidence.page_parts.items()):
        page = Document(b"<title>News</title><p>It happened.", "http://a.example/")
        made = page.part(name, part.load())
        assert page.part(name, lambda _: None) is made
        assert msgspec.msgpack.decode(msgspec.msgpack.encode(made)) == made


def test_to_know_the_methods_loads_nothing_of_them():
    """Every command reads the registry: no strategy, model or parser comes with it."""
    code = "import json, sys; from lycosa.methods.registry import methods; [*methods()]; print(json.dumps([*sys.modules]))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    heavy = {"numpy", "pydantic", "msgspec", "selectolax", "lycosa.values", "lycosa.methods.strategy"}
    assert not heavy & {*json.loads(done.stdout)}


def test_a_method_has_at_most_eight_members():
    """More belongs into one of its parts."""
    assert len(fields(Method)) <= 8
