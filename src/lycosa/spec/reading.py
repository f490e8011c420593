"""Reading `crawl.toml`. Errors name the line and the fix."""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from pydantic import ValidationError

from lycosa.errors import SpecError
from lycosa.files import read_file
from lycosa.spec.code_files import in_file, is_code, seen_from
from lycosa.spec.sections import IndexSpec, Section, Spec, is_section
from lycosa.spec.settings import Setting, complaint, complaint_about, trouble_with

MAX_BYTES = 10_000_000
"""Larger files are refused."""
NESTED = ("judge.assistant",)
"""Tables inside of sections."""


class Known(Protocol):
    """What the installed methods add to a spec. Methods that the spec does not name are not loaded."""

    def strategy_names(self) -> Sequence[str]: ...

    def has_strategy(self, name: str) -> bool: ...

    def settings_of(self, name: str) -> Mapping[str, Setting]: ...

    def section_names(self) -> Sequence[str]: ...

    def section_class(self, name: str) -> type[Section] | None: ...

    def judge_kinds(self) -> Sequence[str]: ...

    def indexes(self) -> Mapping[str, Any]:
        """Return the keys of [index] that methods add, each with its `meaning`."""
        ...

    def not_loaded(self) -> str:
        """Return a sentence about packages that cannot be loaded; '' if there are none."""
        ...

    def starts(self) -> Mapping[str, Mapping[str, Mapping[str, Any]]]:
        """Return the values that kinds of crawl start with: values by key by section, by kind."""
        ...


def spec_path(given: Path) -> Path:
    """Return the path of a crawl.toml, which may be given by its folder."""
    return given / "crawl.toml" if given.is_dir() else given


def load_spec(path: Path, known: Known, changes: tuple[str, ...] = ()) -> tuple[Spec, str]:
    """Return the spec in a file, with `section.key=value` changes, and its text."""
    text = _text_of(path)
    return parse_spec(text, known, changes, where=str(path), folder=path.parent), text


def code_named_in(path: Path, changes: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return the Python files of a spec's strategy and judge, which `load_spec` runs."""
    tables = _tables_of(_text_of(path), changes, str(path), path.parent)
    names = [*tables, str(tables.get("strategy", "")), str(_table(tables, "judge").get("kind", ""))]
    return tuple(dict.fromkeys(name.rpartition(":")[0] for name in names if in_file(name)))


def _text_of(path: Path) -> str:
    try:
        return read_file(path, MAX_BYTES).decode("utf-8-sig")  # some editors write a byte order mark
    except FileNotFoundError:
        folder = path.parent if path.suffix == ".toml" else path
        raise SpecError(f"{path} does not exist. Write one with: lycosa init {folder} --topic") from None
    except OSError as error:
        raise SpecError(f"{path} cannot be read ({error.strerror}). Name a crawl.toml.") from None
    except UnicodeDecodeError as error:
        raise SpecError(f"{path} cannot be read ({error}). It should be a UTF-8 text file.") from None


def parse_spec(
    text: str,
    known: Known,
    changes: tuple[str, ...] = (),
    where: str = "the spec",
    folder: Path = Path(),
) -> Spec:
    """Return the spec in a TOML text. Raise SpecError for a wrong key, with its line and the nearest known key.

    Paths of the user's own files are relative to `folder`; those in `changes` to the working directory.
    """
    tables = _tables_of(text, changes, where, folder)
    origin = Origin(text, where, tuple(change.partition("=")[0].strip() for change in changes))
    return _checked(tables, known, origin)


def stored_spec(text: str, known: Known) -> Spec:
    """Return the spec of a collection without running code that it names: a stranger may have made it."""
    return _checked(
        _tables_of(text, (), "the collection's spec", Path()), known, Origin(text, "its spec"), runs=False
    )


def _tables_of(text: str, changes: tuple[str, ...], where: str, folder: Path) -> dict[str, Any]:
    """Return the tables of a spec with the changes of the command line."""
    try:
        tables = tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # also from too long numbers
        raise SpecError(f"{where} is not valid TOML: {error}. Correct that line.") from None
    tables = _at_home(tables, folder)
    for change in changes:
        _apply(change, tables)
    return _at_home(tables, Path())


def spec_from(
    tables: Mapping[str, Any], known: Known, where: str = "the spec", folder: Path = Path()
) -> Spec:
    """Return the spec in tables. Errors name no lines."""
    return _checked(_at_home(dict(tables), folder), known, Origin("", where))


def _checked(tables: dict[str, Any], known: Known, origin: Origin, *, runs: bool = True) -> Spec:
    _refuse_trouble(tables, origin)
    tables = dict(tables)
    options, own = _take_options(tables, known), _take_sections(tables, known, origin)
    for name, table in options.items():
        if not runs and in_file(name):
            continue  # only its code knows its settings
        _check_options(name, table, known.settings_of(name), origin)
    keys = [*(name for name in Spec.model_fields if name not in ("options", "methods"))]
    for key in tables:
        if key not in keys:
            named = [*keys, *known.strategy_names(), *known.section_names()]
            raise SpecError(_unknown("", key, named, origin) + known.not_loaded())
    indexes = [*IndexSpec.model_fields, *known.indexes()]
    for key in _table(tables, "index"):
        if key not in indexes:
            raise SpecError(_unknown("index", key, indexes, origin))
    if off := [key for key in known.indexes() if _table(tables, "index").get(key) == "never"]:
        # The default: the same spec as without the key.
        tables["index"] = {key: value for key, value in tables["index"].items() if key not in off}
    try:
        spec = Spec(**tables, options=options, methods=own)
    except ValidationError as error:
        raise SpecError(_explain(error, origin)) from None
    if not known.has_strategy(spec.strategy):
        where = f"{origin.at('', 'strategy')}: there is no strategy"
        raise SpecError(_no_such(where, spec.strategy, known.strategy_names()) + known.not_loaded())
    if spec.judge.kind not in known.judge_kinds() and not is_code(spec.judge.kind):
        where = f"{origin.at('judge', 'kind')}: [judge] kind: there is no judge"
        raise SpecError(_no_such(where, spec.judge.kind, known.judge_kinds()) + known.not_loaded())
    return spec


def _table(tables: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    table = tables.get(name)
    return table if isinstance(table, dict) else {}


def _no_such(where: str, word: str, names: Sequence[str]) -> str:
    return f"{where} {word!r}.{_nearest(word, list(names))} Known are: {', '.join(sorted(names))}."


def _at_home(tables: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Return tables with absolute paths in the names of strategies and judges."""
    found = {seen_from(folder, key): value for key, value in tables.items()}
    if isinstance(kind := _table(found, "judge").get("kind"), str):
        found["judge"] = {**found["judge"], "kind": seen_from(folder, kind)}
    if isinstance(found.get("strategy"), str):
        found["strategy"] = seen_from(folder, found["strategy"])
    return found


def _refuse_trouble(tables: dict[str, Any], origin: Origin) -> None:
    for section, table in tables.items():
        for key, value in table.items() if isinstance(table, dict) else [("", table)]:
            try:
                trouble = trouble_with([key, value])
            except RecursionError:
                trouble = "it is nested too deeply"
            if trouble:
                place = origin.at(section, key) if key else origin.at("", section)
                name = f"[{section}] {key}" if key else section
                raise SpecError(f"{place}: {name}: {trouble}. {origin.advice}")


def _take_options(tables: dict[str, Any], known: Known) -> dict[str, Any]:
    """Remove the strategies' settings from the tables. A method's section and its settings may share a table."""
    options: dict[str, Any] = {}
    for name in [name for name in tables if known.has_strategy(name)]:
        if known.section_class(name) is None or not isinstance(tables[name], dict):
            options[name] = tables.pop(name)
            continue
        settings = known.settings_of(name)
        if given := {key: value for key, value in tables[name].items() if key in settings}:
            options[name] = given
        tables[name] = {key: value for key, value in tables[name].items() if key not in settings}
        if given and not tables[name]:
            del tables[name]
    return options


def _take_sections(tables: dict[str, Any], known: Known, origin: Origin) -> dict[str, Section]:
    """Remove the methods' own sections from the tables."""
    found = {}
    for name in [name for name in tables if name in known.section_names()]:
        section, table = known.section_class(name), tables.pop(name)
        assert section is not None
        if not isinstance(table, dict):
            raise SpecError(_no_table(name, "keys", origin))
        try:
            if (given := section(**table)) != section():
                found[name] = given
        except ValidationError as error:
            raise SpecError(_explain(error, origin, name, section)) from None
    return found


def _no_table(name: str, what: str, origin: Origin) -> str:
    return f"{origin.at('', name)}: {name} must be a table. Write [{name}] and its {what} below it."


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a spec came from, for errors."""

    text: str
    where: str
    changed: tuple[str, ...] = ()

    @property
    def advice(self) -> str:
        """What to do about a wrong value."""
        return "Change that line." if self.text else "Give another value."

    def at(self, section: str, key: str) -> str:
        """Return the line of a key in the file, or its --set."""
        name = f"{section}.{key}" if section else key
        if name in self.changed:
            return f"--set {name}"
        line = _line_of(self.text, section, key)
        if not line and key in NESTED:  # written as a key of the outer table
            line = _line_of(self.text, *key.split("."))
        return f"{self.where}, line {line}" if line else self.where


def _apply(change: str, tables: dict[str, Any]) -> None:
    name, equals, value = change.partition("=")
    section, _, key = name.strip().rpartition(".")
    outer, _, inner = section.partition(".")
    is_nested = section in NESTED
    if not equals or not key or ("." in section and not in_file(section) and not is_nested):
        raise SpecError(f"--set {change}: write it as section.key=value, for example --set limits.pages=500")
    target = tables
    for part in (outer, inner) if is_nested else filter(None, [section]):
        target = target.setdefault(part, {})
        if not isinstance(target, dict):
            raise SpecError(f"--set {change}: {section} is not a section. See docs/spec.md for all keys.")
    target[key] = value_of(value)


def value_of(word: str) -> Any:
    """Return a word of the command line as a TOML value, or else as text.

    >>> value_of("3"), value_of("[1, 2]"), value_of("best-first")
    (3, [1, 2], 'best-first')
    """
    try:
        return tomllib.loads(f"x = {word}")["x"]
    except (ValueError, RecursionError):
        return word.strip()


def _check_options(name: str, table: Any, settings: Mapping[str, Setting], origin: Origin) -> None:
    if not isinstance(table, dict):
        raise SpecError(_no_table(name, "settings", origin))
    for key, value in table.items():
        check_setting(name, key, value, settings, origin.at(name, key))


def check_setting(name: str, key: str, value: Any, settings: Mapping[str, Setting], where: str) -> None:
    """Raise SpecError for an unknown setting or a wrong value. `where` is its place."""
    if key not in settings:
        hint = _nearest(key, list(settings))
        names = f"Known are: {', '.join(settings)}." if settings else "It has no settings."
        raise SpecError(f"{where}: [{name}] unknown key {key!r}.{hint} {names}")
    if trouble := complaint_about(value, settings[key]):
        raise SpecError(f"{where}: [{name}] {key}: {trouble}. {settings[key].otherwise}")


def _unknown(section: str, key: str, known: list[str], origin: Origin) -> str:
    place = f"[{section}] " if section else ""
    hint = _nearest(key, known)
    return f"{origin.at(section, key)}: {place}unknown key {key!r}.{hint} See docs/spec.md for all keys."


def _nearest(word: str, known: list[str]) -> str:
    near = difflib.get_close_matches(word, known, n=1, cutoff=0.5)
    near = near or [name for name in known if word and (name.startswith(word) or word.startswith(name))][:1]
    return f" Did you mean {near[0]!r}?" if near else ""


def _line_of(text: str, section: str, key: str) -> int:
    """Return the line of a key (or of its inline table); 0 if there is none."""
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


def _explain(
    error: ValidationError, origin: Origin, within: str = "", kind: type[Section] | None = None
) -> str:
    """Return the first error of a spec, or of a method's own section."""
    first = error.errors()[0]
    location = [*([within] if within else []), *(str(part) for part in first["loc"])]
    section, key = (location[0], location[1]) if len(location) > 1 else ("", location[0])
    model: Any = kind or (Spec.model_fields[section].annotation if section else Spec)
    if section and key in model.model_fields and is_section(model.model_fields[key]):
        model = model.model_fields[key].annotation
        section, key = (f"{section}.{key}", location[2]) if len(location) > 2 else ("", f"{section}.{key}")
    place = f"[{section}] {key}" if section else f"[{key}]" if isinstance(first["input"], dict) else key
    if first["type"] == "extra_forbidden":
        return _unknown(section, key, list(model.model_fields), origin)
    if first["type"] == "model_type":
        return _no_table(key, "keys", origin)
    return f"{origin.at(section, key)}: {place}: {complaint(first)}. {origin.advice}"
