"""The written crawl.toml: parses, means what it shows, and names every key."""

from __future__ import annotations

import re
import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.methods.event.section import EventSpec
from lycosa.methods.lookup import all_settings
from lycosa.spec.reading import NESTED, parse_spec
from lycosa.spec.sections import Section, Spec
from lycosa.spec.writing import OF_THE_KIND, OFTEN, STARTS, as_run, spec_text, toml

KINDS = [*STARTS, "event"]


def written(kind: str) -> Spec:
    tables: dict[str, Any] = {"name": "x", **(STARTS.get(kind) or all_settings().starts()[kind])}
    own: dict[str, Section] = {"event": EventSpec(**tables.pop("event"))} if "event" in tables else {}
    return Spec(**tables.pop("", {}), **tables, methods=own)


@pytest.mark.parametrize("every_key", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_the_written_spec_is_what_it_says(kind, every_key):
    """As written it is the defaults with what the kind of crawl changes."""
    text = spec_text(kind, "x", all_settings(), every_key=every_key)
    assert parse_spec(text, all_settings()) == written(kind)


@pytest.mark.parametrize("every_key", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_the_comments_show_the_true_defaults(kind, every_key):
    """With every comment that shows a default uncommented, the spec means the same."""
    commented = spec_text(kind, "x", all_settings(), every_key=every_key)
    text = re.sub(r"^# (\w+ = )", r"\1", commented, flags=re.M)
    assert text.count("\n#") < commented.count("\n#")
    assert parse_spec(text, all_settings()) == written(kind)


@pytest.mark.parametrize("kind", KINDS)
def test_the_written_spec_has_what_users_set(kind):
    """It fits on a page or two, and says where the rest is."""
    text = spec_text(kind, "x", all_settings())
    assert len(text.splitlines()) < 80
    assert "docs/spec.md" in text
    for section, keys in OFTEN.items():
        for key in keys if section not in OF_THE_KIND or f"[{section}]" in text else ():
            assert re.search(rf"^(# )?{key} = ", text, re.M), f"{section}.{key}"


@pytest.mark.parametrize("kind", KINDS)
def test_every_key_is_there_for_whoever_asks(kind):
    """`init --all`: nobody has to look a key up."""
    text = spec_text(kind, "x", all_settings(), every_key=True)
    sections = {name: field.annotation for name, field in Spec.model_fields.items()} | {"event": EventSpec}
    for section, model in sections.items():
        for key in getattr(model, "model_fields", {}):
            written = rf"^\[{section}\.{key}\]" if f"{section}.{key}" in NESTED else rf"^(# )?{key} = "
            assert re.search(written, text, re.M), f"{section}.{key}"
    assert "# questions = 30" in text


PLAIN = (
    st.text()
    | st.booleans()
    | st.integers(-(2**62), 2**62)
    | st.floats(allow_nan=False, allow_infinity=False)
)
TREES = st.recursive(
    PLAIN, lambda x: st.lists(x, max_size=3) | st.dictionaries(st.text(), x, max_size=3), max_leaves=8
)


@given(TREES)
def test_any_plain_value_can_be_written(value):
    """TOML reads back what was written."""
    assert tomllib.loads(f"x = {toml(value)}")["x"] == value


def test_a_folder_with_any_name_gets_a_spec():
    """Odd file names (halves of surrogate pairs, quotes, control characters) do not break the file."""
    for name in ('a"b', "new\nline", "\udce9t\udce9", "del\x7f", "back\\slash"):
        parse_spec(spec_text("topic", name, all_settings()), all_settings())


def test_a_spec_as_run_says_what_the_command_line_changed():
    """The stored spec parses to the spec that was run."""
    text = '[topic]\nkeywords = ["owl"]\n[fetch]\nconnect_to = { "*.test" = "127.0.0.1:80" }\n[best-first]\nk = 5\n'
    changes = (
        "limits.pages=none",
        "limits.pages_per_host=7",
        "strategy=breadth-first",
        "scope.date_from=2020-01-01",
    )
    spec = parse_spec(text, all_settings(), changes)

    assert parse_spec(as_run(spec), all_settings()) == spec
