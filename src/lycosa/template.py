"""Writing a commented `crawl.toml`: every key with what it means, made from the spec's own fields."""

from __future__ import annotations

import json
import re
from typing import Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from lycosa.config import Section, Spec

STARTS: dict[str, dict[str, dict[str, Any]]] = {
    "topic": {
        "": {"strategy": "best-first"},
        "topic": {"keywords": ["owl", "owls", "night birds"], "description": "", "examples": []},
        "seeds": {"urls": ["https://www.example.org/"], "files": [], "sitemaps": [], "feeds": []},
        "limits": {"pages": 1000},
        "fetch": {"contact": ""},
    },
    "site": {
        "": {"strategy": "breadth-first"},
        "seeds": {"urls": ["https://www.example.org/"]},
        "scope": {"domains": ["example.org"]},
        "limits": {"pages": 1000},
        "fetch": {"contact": ""},
        "judge": {"kind": "all"},
    },
}
"""What is written out, uncommented, for each kind of crawl; all other keys stay comments."""


def spec_text(kind: str, name: str) -> str:
    """A crawl.toml to start from."""
    start = STARTS[kind]
    lines = [
        "# A crawl of Lycosa. Change what is written out; a line behind # shows a default.",
        "# Then: lycosa crawl crawl.toml     (all keys: docs/spec.md, strategies: docs/strategies/)",
        "",
    ]
    lines += _lines(Spec, {"name": name, **start.get("", {})})
    for section, field in Spec.model_fields.items():
        if _is_section(field):
            lines += ["", f"# {field.annotation.__doc__}", f"[{section}]"]  # type: ignore[union-attr]
            lines += _lines(field.annotation, start.get(section, {}))  # type: ignore[arg-type]
    return "\n".join(lines) + "\n"


def _lines(model: type[BaseModel], written: dict[str, Any]) -> list[str]:
    lines = []
    for key, field in model.model_fields.items():
        if _is_section(field) or key == "options":
            continue
        lines += [f"# {line.strip()}" for line in (field.description or "").splitlines()]
        if key in written:
            lines.append(f"{key} = {toml(written[key])}")
        else:
            default = field.get_default()
            lines.append(f"# {key} = {'(none)' if default is None else toml(default)}")
    return lines


def _is_section(field: FieldInfo) -> bool:
    return isinstance(field.annotation, type) and issubclass(field.annotation, Section)


def toml(value: Any) -> str:
    """A value as TOML writes it.

    >>> toml(("a", "b")), toml({"x.y": 1.5}), toml(True)
    ('["a", "b"]', '{ "x.y" = 1.5 }', 'true')
    """
    if isinstance(value, dict):
        inner = ", ".join(f"{_key(key)} = {toml(item)}" for key, item in value.items())
        return f"{{ {inner} }}" if inner else "{}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(toml(item) for item in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else json.dumps(key, ensure_ascii=False)
