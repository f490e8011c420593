"""Reading and writing `crawl.toml`: a typo is refused with its line and its fix."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

import msgspec
from pydantic import TypeAdapter, ValidationError
from pydantic.errors import PydanticUserError
from pydantic_core import ErrorDetails

from lycosa.errors import SpecError
from lycosa.files import read_file
from lycosa.methods import BaseStrategy, setting_hints
from lycosa.methods.third_party import in_file, seen_from
from lycosa.spec.sections import Spec

MAX_BYTES = 10_000_000
"""No spec is that large."""
LARGEST = 2**63 - 1
"""Whole numbers beyond this are no TOML, and do not fit into a catalogue."""

Settings = dict[str, Any]
"""What a strategy calls its settings, with their defaults."""
Strategies = Mapping[str, Settings]


def spec_path(given: Path) -> Path:
    """The crawl.toml that is meant: a folder stands for the one in it."""
    return given / "crawl.toml" if given.is_dir() else given


def load_spec(path: Path, strategies: Strategies, changes: tuple[str, ...] = ()) -> tuple[Spec, str]:
    """The spec in a file, with `section.key=value` changes applied, and the text it came from."""
    try:
        text = read_file(path, MAX_BYTES).decode()
    except FileNotFoundError:
        folder = path.parent if path.suffix == ".toml" else path
        raise SpecError(f"{path} does not exist. Write one with: lycosa init {folder} --topic") from None
    except OSError as error:
        raise SpecError(f"{path} cannot be read ({error.strerror}). Name a crawl.toml.") from None
    except UnicodeDecodeError as error:
        raise SpecError(f"{path} cannot be read ({error}). It should be a UTF-8 text file.") from None
    return parse_spec(text, strategies, changes, where=str(path), folder=path.parent), text


def parse_spec(
    text: str,
    strategies: Strategies,
    changes: tuple[str, ...] = (),
    where: str = "the spec",
    folder: Path = Path(),
) -> Spec:
    """The spec that a TOML text says. A wrong key is refused with its line and the nearest known one.

    A strategy in a file of the user's own is looked for in `folder`, or where the command was given.
    """
    try:
        tables = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # its own error is a ValueError; so is a number too long
        raise SpecError(f"{where} is not valid TOML: {error}. Mend that line and try again.") from None
    tables = _at_home(tables, folder)
    for change in changes:
        _apply(change, tables)
    origin = Origin(text, where, tuple(change.partition("=")[0].strip() for change in changes))
    return _checked(_at_home(tables, Path()), strategies, origin)


def spec_from(
    tables: Mapping[str, Any], strategies: Strategies, where: str = "the spec", folder: Path = Path()
) -> Spec:
    """The spec that tables say, as `parse_spec` reads them from a text; nothing is said of lines."""
    return _checked(_at_home(dict(tables), folder), strategies, Origin("", where))


def _checked(tables: dict[str, Any], strategies: Strategies, origin: Origin) -> Spec:
    _refuse_trouble(tables, origin)
    options = _take_options(tables, strategies)
    for name, table in options.items():
        _check_options(name, table, strategies[name], origin)
    known = [*(name for name in Spec.model_fields if name != "options"), *strategies]
    for key in tables:
        if key not in known:
            raise SpecError(_unknown("", key, known, origin))
    try:
        spec = Spec(**tables, options=options)
    except ValidationError as error:
        raise SpecError(_explain(error, origin)) from None
    if spec.strategy not in strategies:
        hint = _nearest(spec.strategy, list(strategies))
        raise SpecError(
            f"{origin.at('', 'strategy')}: there is no strategy {spec.strategy!r}.{hint} "
            f"Known are: {', '.join(sorted(strategies))}."
        )
    return spec


def _at_home(tables: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The tables with absolute paths in the names of strategies that are in files."""
    found = {seen_from(folder, key): value for key, value in tables.items()}
    if isinstance(found.get("strategy"), str):
        found["strategy"] = seen_from(folder, found["strategy"])
    return found


def _refuse_trouble(tables: dict[str, Any], origin: Origin) -> None:
    for section, table in tables.items():
        for key, value in table.items() if isinstance(table, dict) else [("", table)]:
            if trouble := _trouble([key, value]):
                place = origin.at(section, key) if key else origin.at("", section)
                name = f"[{section}] {key}" if key else section
                raise SpecError(f"{place}: {name}: {trouble}. {origin.advice}")


def _take_options(tables: dict[str, Any], strategies: Strategies) -> dict[str, Any]:
    """Take the strategies' settings out of the tables; [event] holds a section and a strategy's settings."""
    options = {name: tables.pop(name) for name in list(tables) if name in strategies}
    for name in [name for name in options if name in Spec.model_fields]:
        if isinstance(table := options[name], dict):
            tables[name] = {key: value for key, value in table.items() if key not in strategies[name]}
            options[name] = {key: value for key, value in table.items() if key in strategies[name]}
            if not options[name]:
                del options[name]
    return options


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a spec came from, to say where a wrong key stands."""

    text: str
    where: str
    changed: tuple[str, ...] = ()

    @property
    def advice(self) -> str:
        """What to do about a value that cannot be meant."""
        return "Change that line." if self.text else "Give another value."

    def at(self, section: str, key: str) -> str:
        """The line of a key in the file, or the --set that gave it."""
        name = f"{section}.{key}" if section else key
        if name in self.changed:
            return f"--set {name}"
        line = _line_of(self.text, section, key)
        return f"{self.where}, line {line}" if line else self.where


def _apply(change: str, tables: dict[str, Any]) -> None:
    name, equals, value = change.partition("=")
    section, _, key = name.strip().rpartition(".")
    if not equals or not key or ("." in section and not in_file(section)):
        raise SpecError(f"--set {change}: write it as section.key=value, for example --set limits.pages=500")
    target = tables
    if section:
        target = target.setdefault(section, {})
        if not isinstance(target, dict):
            raise SpecError(f"--set {change}: {section} is not a section. See docs/spec.md for all keys.")
    target[key] = value_of(value)


def value_of(word: str) -> Any:
    """What a word of the command line means: a TOML value, or else itself.

    >>> value_of("3"), value_of("[1, 2]"), value_of("best-first")
    (3, [1, 2], 'best-first')
    """
    try:
        return tomllib.loads(f"x = {word}")["x"]
    except (ValueError, RecursionError):
        return word.strip()


def _check_options(name: str, table: Any, defaults: Settings, origin: Origin) -> None:
    if not isinstance(table, dict):
        raise SpecError(
            f"{origin.at('', name)}: {name} must be a table. Write [{name}] and its settings below it."
        )
    for key, value in table.items():
        check_setting(name, key, value, defaults, origin.at(name, key))


def check_setting(
    strategy: str | type[BaseStrategy], key: str, value: Any, defaults: Settings, where: str
) -> None:
    """Refuse a setting that the strategy does not have, or a value that cannot be meant. `where` said it."""
    name = strategy if isinstance(strategy, str) else strategy.__name__
    if key not in defaults:
        hint = _nearest(key, list(defaults))
        known = f"Known are: {', '.join(defaults)}." if defaults else "It has no settings."
        raise SpecError(f"{where}: [{name}] unknown key {key!r}.{hint} {known}")
    default = defaults[key]
    if not _fits(value, default):
        raise SpecError(
            f"{where}: [{name}] {key} must be {_type_name(default)}, not {value!r}. The default is {default!r}."
        )
    otherwise = "Without it, the strategy decides." if default is None else f"The default is {default!r}."
    if trouble := _trouble(value):
        raise SpecError(f"{where}: [{name}] {key}: {trouble}. {otherwise}")
    try:
        if kind := _kind(setting_hints(strategy).get(key)):
            # As JSON, since TOML too has only lists: a tuple is meant by one.
            kind.validate_json(msgspec.json.encode(value), strict=True)
    except ValidationError as error:
        raise SpecError(f"{where}: [{name}] {key}: {_complaint(error.errors()[0])}. {otherwise}") from None


def _kind(hint: Any) -> TypeAdapter[Any] | None:
    """What checks values of a type hint, with its range; None for hints that say nothing of TOML's values."""
    try:
        return None if hint is None else TypeAdapter(hint)
    except PydanticUserError:
        return None


def _trouble(value: Any) -> str:
    r"""What is wrong with a value whatever key it is for; '' if nothing is.

    >>> _trouble([1, float("nan")]), _trouble("seeds\0.txt"), _trouble(10**30), _trouble("fine")
    ('nan is not a number to count with', 'a text with a NUL character', 'the number is too large', '')
    """
    if isinstance(value, dict):
        return next(filter(None, map(_trouble, (*value, *value.values()))), "")
    if isinstance(value, list | tuple):
        return next(filter(None, map(_trouble, value)), "")
    if isinstance(value, float) and not isfinite(value):
        return f"{value} is not a number to count with"
    if isinstance(value, int) and abs(value) > LARGEST:
        return "the number is too large"
    return "a text with a NUL character" if isinstance(value, str) and "\0" in value else ""


def _fits(value: Any, default: Any) -> bool:
    """Whether a value is of its default's type. A setting without a default takes what TOML has."""
    if default is None:
        return True
    if isinstance(default, float):
        return isinstance(value, int | float) and not isinstance(value, bool)
    if isinstance(default, tuple | list):
        return isinstance(value, list)
    return type(value) is type(default)


def _type_name(value: Any) -> str:
    names = {bool: "true or false", int: "a whole number", float: "a number", str: "a text in quotes"}
    return names.get(type(value), "a table" if isinstance(value, dict) else "a list")


def _unknown(section: str, key: str, known: list[str], origin: Origin) -> str:
    place = f"[{section}] " if section else ""
    hint = _nearest(key, known)
    return f"{origin.at(section, key)}: {place}unknown key {key!r}.{hint} See docs/spec.md for all keys."


def _nearest(word: str, known: list[str]) -> str:
    near = difflib.get_close_matches(word, known, n=1, cutoff=0.5)
    near = near or [name for name in known if word and (name.startswith(word) or word.startswith(name))][:1]
    return f" Did you mean {near[0]!r}?" if near else ""


def _line_of(text: str, section: str, key: str) -> int:
    """The line on which a key stands (or the inline table that holds it); 0 if there is none."""
    name = rf"[\"']?{re.escape(key)}[\"']?"
    outside = rf"[\"']?{re.escape(section)}[\"']?\s*"
    spellings = [(section, rf"\s*{name}\s*[=.]")]
    if section:
        spellings.append(("", rf"\s*{outside}\.\s*{name}\s*[=.]"))
    current, table = "", 0
    for number, line in enumerate(text.splitlines(), start=1):
        if heading := re.match(r"\s*\[+\s*[\"']?([^\]\"']+)", line):
            current = heading[1].strip()
            if current == key and not section:
                return number
        elif any(where == current and re.match(pattern, line) for where, pattern in spellings):
            return number
        elif section and not current and re.match(rf"\s*{outside}=", line):
            table = number
    return table


def _explain(error: ValidationError, origin: Origin) -> str:
    first = error.errors()[0]
    location = [str(part) for part in first["loc"]]
    section, key = (location[0], location[1]) if len(location) > 1 else ("", location[0])
    place = f"[{section}] {key}" if section else f"[{key}]" if isinstance(first["input"], dict) else key
    if first["type"] == "extra_forbidden":
        model = Spec.model_fields[section].annotation
        return _unknown(section, key, list(getattr(model, "model_fields", {})), origin)
    if first["type"] == "model_type":
        return f"{origin.at('', key)}: {key} must be a table. Write [{key}] and its keys below it."
    return f"{origin.at(section, key)}: {place}: {_complaint(first)}. {origin.advice}"


def _complaint(first: ErrorDetails) -> str:
    complaint = (
        first["msg"]
        .lower()
        .removeprefix("value error, ")
        .replace("tuple", "list")
        .replace("dictionary", "table")
    )
    if isinstance(first["input"], dict):  # of a whole section
        return complaint
    says = repr(first["input"])
    says = says if len(says) <= 200 else says[:200] + "…"
    return f"{complaint}, but it says {says}"
