"""Writing a commented `crawl.toml` and docs/spec.md from the fields of the spec."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast, get_args, get_origin

import tomli_w
from pydantic import BaseModel, Field, create_model

from lycosa.spec.reading import Known
from lycosa.spec.sections import CONTROL, NONE, PLACEHOLDER, IndexSpec, Spec, is_section

Start = Mapping[str, Mapping[str, Any]]
"""Values by key by section."""
STARTS: dict[str, Start] = {
    "topic": {
        "": {"strategy": "fused"},
        "topic": {"keywords": ["owl", "owls", "night birds"], "description": "", "examples": []},
        "seeds": {"urls": [PLACEHOLDER], "files": [], "sitemaps": [], "feeds": []},
    },
    "site": {
        "": {"strategy": "breadth-first"},
        "seeds": {"urls": [PLACEHOLDER]},
        "scope": {"domains": ["example.org"]},
        "judge": {"kind": "all"},
    },
}
"""Values that each kind of crawl starts with. Methods add their own kinds."""
BY_NAME = ("options", "methods")
"""Fields of a spec whose tables have their own names in the file."""
ALWAYS: Start = {"limits": {"pages": 1000}, "fetch": {"contact": ""}}
"""Values that every kind starts with."""


OFTEN: Mapping[str, Sequence[str]] = {
    "topic": ("exclude", "negatives", "language"),
    "scope": ("domains", "exclude", "languages", "date_from"),
    "limits": ("hours", "until", "pages_per_site"),
    "fetch": ("per_host_delay_s",),
    "archive": ("requisites",),
}
"""Keys that users often set, shown with their defaults."""
OF_THE_KIND = ("topic",)
"""Sections that are shown only if the kind of crawl has values for them."""


def spec_text(
    kind: str, name: str, known: Known, start: Start | None = None, *, every_key: bool = False
) -> str:
    """Return a crawl.toml to start from, for a kind of crawl in STARTS or of a method, or with the values in `start`.

    It has the keys that users set; with `every_key` all keys, with their defaults.
    """
    start = {**ALWAYS, **(start or start_of_kind(kind, known))}
    which = (
        "All keys are here; strategies: docs/strategies/"
        if every_key
        else f"All keys: docs/spec.md, or lycosa init DIR --{kind} --all"
    )
    lines = [
        "# A crawl of Lycosa. Change what is written out; a line behind # shows a default.",
        f"# Then: lycosa check, and lycosa crawl. {which}",
        "",
    ]
    lines += _lines(Spec, {"name": CONTROL.sub(" ", name), **start.get("", {})}, None if every_key else ())
    for section, model in _sections(known).items():
        written, often = start.get(section, {}), OFTEN.get(section, ())
        if every_key or written or (often and section not in OF_THE_KIND):
            lines += ["", f"# {model.__doc__}", f"[{section}]"]
            lines += _lines(model, written, None if every_key else often)
    return "\n".join(lines) + "\n"


def start_of_kind(kind: str, known: Known) -> Start:
    """Return the values that a kind of crawl starts with."""
    return STARTS.get(kind) or known.starts()[kind]


def as_run(spec: Spec) -> str:
    """Return a spec as TOML, without defaults."""
    given = spec.model_dump(exclude_defaults=True, mode="python")
    for by_name in BY_NAME:  # a method's section and a strategy's settings may share a table
        for name, table in given.pop(by_name, {}).items():
            given[name] = {**given.get(name, {}), **table}
    head = "# As run: the spec with the changes of the command line, defaults left out.\n"
    return head + tomli_w.dumps(_writable(given))


def spec_reference(known: Known) -> str:
    """Return docs/spec.md: every key of a crawl.toml with its type, default and meaning."""
    choices = {"judge": {"kind": known.judge_kinds()}}
    lines = [
        "# crawl.toml, key by key",
        "",
        "Written from the program's own fields by `python -m lycosa.commands.reference spec > docs/spec.md`; a test keeps it",
        "up to date. `lycosa init DIR --topic --all` writes the same as a file with comments. A key that is not",
        "listed here is refused, with the nearest one that is. Any key can be changed for one run:",
        '`lycosa crawl crawl.toml --set limits.pages=500`. A key whose default is `"none"` has no value unless you',
        'give one; where such a default is a number, `"none"` takes it away: `pages = "none"` crawls without that limit.',
        "",
        "## At the top",
        "",
        *_rows(Spec),
    ]
    for section, model in _sections(known).items():
        lines += ["", f"## [{section}]", "", str(model.__doc__), "", *_rows(model, choices.get(section, {}))]
    lines += [
        "",
        "## Settings of strategies",
        "",
        "A strategy's own settings are in a table with its name, for example:",
        "",
        "```toml",
        'strategy = "best-first"',
        "",
        "[best-first]",
        "url_threshold = 0.1",
        "```",
        "",
        "[The strategies](strategies/index.md) list theirs. Files that settings name are sought from the folder of the spec.",
    ]
    return "\n".join(lines) + "\n"


def _sections(known: Known) -> dict[str, type[BaseModel]]:
    """Return all sections of a spec by name. Those of methods follow the topic."""
    found: dict[str, type[BaseModel]] = {}
    for name, field in Spec.model_fields.items():
        if is_section(field):
            found[name] = cast(type[BaseModel], field.annotation)
            if name == "index":
                found[name] = _with_keys_of_methods(known)
            found.update(
                {
                    f"{name}.{key}": cast(type[BaseModel], inner.annotation)
                    for key, inner in found[name].model_fields.items()
                    if is_section(inner)
                }
            )
            if name == "topic":
                found.update(
                    {own: kind for own in known.section_names() if (kind := known.section_class(own))}
                )
    return found


def _with_keys_of_methods(known: Known) -> type[BaseModel]:
    """Return the class of [index] with the keys that methods add."""
    keys: dict[str, Any] = {
        name: (Literal["now", "never"], Field("never", description=index.meaning))
        for name, index in known.indexes().items()
    }
    return create_model("Index", __base__=IndexSpec, __doc__=IndexSpec.__doc__, **keys)


def _rows(model: type[BaseModel], choices: Mapping[str, Sequence[str]] | None = None) -> list[str]:
    """Return a table row for each key. `choices` are values that the installed methods add."""
    rows = ["| key | type | default | meaning |", "|---|---|---|---|"]
    for key, field in model.model_fields.items():
        if not is_section(field) and key not in BY_NAME:
            shown = f"`{toml(field.get_default())}`"
            meaning = " ".join((field.description or "").split()).replace("|", "\\|")
            kind = Literal[tuple(choices[key])] if choices and key in choices else field.annotation
            rows.append(f"| `{key}` | {_kind(kind)} | {shown} | {meaning} |")
    return rows


def _kind(annotation: Any) -> str:
    """Return the type of a key in words."""
    parts = [part for part in get_args(annotation) if part is not type(None)]
    if get_origin(annotation) is Literal:
        return ", ".join(f"`{toml(part)}`" for part in parts)
    if get_origin(annotation) in (tuple, dict):
        return "list of texts" if get_origin(annotation) is tuple else "table"
    if parts:
        return _kind(parts[0])
    words = {int: "whole number", float: "number", str: "text", bool: "true or false"}
    return words.get(annotation, "date")


def _lines(model: type[BaseModel], written: Mapping[str, Any], often: Sequence[str] | None) -> list[str]:
    """Return the lines of a section: keys with values, and keys in `often` with their defaults; None: all others."""
    lines = []
    for key, field in model.model_fields.items():
        if is_section(field) or key in BY_NAME:
            continue
        if key not in written and often is not None and key not in often:
            continue
        lines += [f"# {line.strip()}" for line in (field.description or "").splitlines()]
        if key in written:
            lines.append(f"{key} = {toml(written[key])}")
        else:
            lines.append(f"# {key} = {toml(field.get_default())}")
    return lines


def toml(value: Any) -> str:
    """Return a value on one line, for comments; `tomli_w` writes lists on several lines.

    >>> toml(("a", "b")), toml({"x.y": 1.5}), toml(True)
    ('["a", "b"]', '{ "x.y" = 1.5 }', 'true')
    >>> toml(None)  # TOML has no null
    '"none"'
    """
    value = _writable(value)
    if isinstance(value, dict):
        inner = ", ".join(f"{_key(key)} = {toml(item)}" for key, item in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return tomli_w.dumps({"x": value}).removeprefix("x = ").removesuffix("\n")


def _key(name: str) -> str:
    """Return a key, quoted if TOML requires it."""
    return tomli_w.dumps({name: 0}).removesuffix(" = 0\n")


def _writable(value: Any) -> Any:
    """Return a value that TOML can express: "none" for None, and no lone surrogates (from file names)."""
    if value is None:
        return NONE
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_writable(key): _writable(item) for key, item in value.items()}
    return [_writable(item) for item in value] if isinstance(value, list | tuple) else value
