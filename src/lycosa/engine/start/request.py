"""What a user asked for: a spec, where its relative paths begin, and the collection to crawl into."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from lycosa.errors import SpecError
from lycosa.methods.lookup import all_settings
from lycosa.spec.code_files import in_file
from lycosa.spec.reading import load_spec, parse_spec, spec_from, spec_path
from lycosa.spec.sections import PLACEHOLDER, Spec
from lycosa.spec.writing import as_run, toml

Given = Spec | str | PathLike[str]
"""A spec, or the path of a crawl.toml or of its folder."""


@dataclass(frozen=True, slots=True)
class CrawlRequest:
    """A crawl that somebody asked for; `notes` are hints about its spec."""

    spec: Spec
    text: str
    folder: Path
    directory: Path
    notes: tuple[str, ...] = ()

    @property
    def is_new(self) -> bool:
        """Whether the collection is still to be made."""
        return not (self.directory / "catalogue.db").exists()


def request_of_file(path: Path, out: Path | None, changes: tuple[str, ...] = ()) -> CrawlRequest:
    """Read the spec in a file or folder, with `section.key=value` changes."""
    path = spec_path(path)
    if out is None:
        refuse_collection(path)
    spec, text = load_spec(path, all_settings(), changes)
    names_code = in_file(spec.strategy) or in_file(spec.judge.kind)
    told = tuple(looked_over(spec, path))
    text = as_run(spec) if changes or names_code else text
    return CrawlRequest(spec, text, path.parent, out or path.parent / spec.name, told)


def request_from_python(
    given: Given | None, out: str | PathLike[str] | None, sections: Mapping[str, Any]
) -> CrawlRequest:
    """Read a spec, if one is given, with sections and keys of the caller, which win over it."""
    if given is None or isinstance(given, Spec):
        spec = given or Spec()
        asked = CrawlRequest(spec, as_run(spec), Path(), Path(spec.name), tuple(looked_over(spec, "crawl()")))
    else:
        asked = request_of_file(Path(given), Path(out) if out is not None else None)
    if sections:
        tables = _joined(tomllib.loads(asked.text), sections)
        spec = spec_from(tables, all_settings(), where="crawl()", folder=asked.folder)
        told = tuple(looked_over(spec, "crawl()"))
        asked = CrawlRequest(spec, as_run(spec), asked.folder, asked.folder / spec.name, told)
    return (
        asked if out is None else CrawlRequest(asked.spec, asked.text, asked.folder, Path(out), asked.notes)
    )


def request_for_archives(
    archives: Sequence[Path], out: Path, path: Path | None, changes: tuple[str, ...] = ()
) -> CrawlRequest:
    """A crawl of every page of archives, judged as a spec says; without one all pages are kept."""
    names = toml([str(archive) for archive in archives])
    all_of_it = (f"fetch.web={names}", "seeds.archive=true", "scope.depth=0", 'limits.pages="none"')
    known, path = all_settings(), spec_path(path) if path else None
    if path:
        spec, _ = load_spec(path, known, (*all_of_it, *changes))
    else:
        plain = f'name = {toml(out.resolve().name)}\nstrategy = "breadth-first"\n[judge]\nkind = "all"\n'
        spec = parse_spec(plain, known, (*all_of_it, *changes))
    return CrawlRequest(spec, as_run(spec), path.parent if path else Path(), out)


def _joined(tables: Mapping[str, Any], sections: Mapping[str, Any]) -> dict[str, Any]:
    """The tables of a spec with those of the caller, key by key."""
    found = dict(tables)
    strategies = sections.get("options", {})  # where a Spec keeps the settings of strategies
    for name, value in (*sections.items(), *strategies.items()):
        if name == "options":
            continue
        before = found.get(name)
        if isinstance(value, Mapping) and isinstance(before, Mapping):
            found[name] = {**before, **value}
        else:
            found[name] = value
    return found


def refuse_collection(path: Path) -> None:
    """Refuse the crawl.toml in a collection as a spec: its folder has no place for another collection."""
    if (path.parent / "catalogue.db").exists():
        raise SpecError(
            f"{path.parent} is a collection, and {path.name} in it only says how it was made. Name the spec "
            "that you wrote, or say where to write: lycosa crawl --out."
        )


def looked_over(spec: Spec, path: Path | str) -> list[str]:
    """Hints for a crawl of the live Web; a SpecError for what is still the template's."""
    if spec.fetch.connect_to or spec.fetch.web:  # a web of one's own
        return []
    _refuse_placeholder(spec, path)
    if spec.fetch.contact or spec.fetch.user_agent:
        return []
    return [f"No contact address set: site owners cannot identify you. Set [fetch] contact in {path}."]


def _refuse_placeholder(spec: Spec, path: Path | str) -> None:
    left = [
        f"[{name}] {key}"
        for name, section in {"seeds": spec.seeds, **spec.methods}.items()
        for key, value in section
        if isinstance(value, tuple) and any(str(each).startswith(PLACEHOLDER) for each in value)
    ]
    if "example.org" in spec.scope.domains:
        left.append("[scope] domains")
    if left:
        raise SpecError(
            f"{path}: {' and '.join(left)} still {'has' if len(left) == 1 else 'have'} the template's example.org, "
            "which only shows where your own go. Replace it."
        )
