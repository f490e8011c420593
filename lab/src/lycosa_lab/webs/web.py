"""Virtual webs: directories of WARC files with labels, for repeatable experiments."""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

from lycosa import urls
from lycosa.errors import InputError
from lycosa.fetch.archive.archive import ArchiveFetcher


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic of a web: the grade (0-2) of every labelled page by key, its seeds and keywords."""

    name: str
    grades: dict[int, int]
    seeds: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    description: str = ""
    tags: tuple[str, ...] = ()
    is_event: bool = False  # events.csv names it: what happened, at one place and time
    relevant_urls: Mapping[str, int] = field(
        default_factory=dict
    )  # keys by URL as labels.csv writes it, sorted

    def relevant(self, least: int = 1) -> frozenset[int]:
        """Keys of the pages with at least that grade."""
        return frozenset(key for key, grade in self.grades.items() if grade >= least)


@dataclass(frozen=True)
class VirtualWeb:
    """An archived web with its labels. `notes` are warnings for the user."""

    path: Path
    title: str
    start: tuple[str, ...]
    folding: urls.Folding
    topics: dict[str, Topic]
    page_types: dict[int, str]
    archive_of: Path = Path()  # another web, relative to its own folder, that has its WARC files
    notes: list[str] = field(default_factory=list)

    @classmethod
    def open(cls, directory: str | PathLike[str]) -> VirtualWeb:
        """Read a web's directory; WARC files are opened on first use."""
        path = Path(directory)
        if not path.is_dir():
            raise InputError(f"{path} is not a directory. A web is a folder with *.warc.gz and labels.csv.")
        about = _about(path)
        names = urls.INDEX_NAMES | {name.lower() for name in _texts(path, about, "index_names")}
        folding = urls.Folding(names)
        topics = dict(_topics(path, about, folding))
        types = {
            urls.key_of(_parsed(row["url"]), folding): row["type"]
            for row in rows_of(path / "page-types.csv", "url", "type")
        }
        start = tuple(_parsed(url) for url in _texts(path, about, "start"))
        title, other = (
            str(about.get(key, default)) for key, default in (("title", path.name), ("archive", ""))
        )
        return cls(path, title, start, folding, topics, types, Path(other))

    @property
    def files(self) -> list[Path]:
        """Its WARC files."""
        folder = self.path / self.archive_of
        return sorted([*folder.glob("*.warc.gz"), *folder.glob("*.warc")])

    @cached_property
    def archive(self) -> ArchiveFetcher:
        """All records of the web."""
        if not self.files:
            raise InputError(
                f"{self.path / self.archive_of} has no WARC file. Record one with: lycosa lab record SPEC {self.path}"
            )
        archive = ArchiveFetcher(self.files, folding=self.folding)
        self.notes.extend(archive.damage)
        known = set(archive.keys())
        for topic in self.topics.values():
            missing = sum(key not in known for key in topic.grades)
            if missing:
                self.notes.append(
                    f"{topic.name}: {missing} of {len(topic.grades)} labelled URLs are not in the web."
                )
        return archive

    def topic(self, name: str) -> Topic:
        """A topic by its name."""
        if name not in self.topics:
            known = ", ".join(sorted(self.topics)) or "none: it has no labels.csv"
            raise InputError(f"{self.path.name} has no topic {name!r}. Known are: {known}.")
        return self.topics[name]


def _about(path: Path) -> dict[str, Any]:
    file = path / "web.toml"
    try:
        return tomllib.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    except (ValueError, RecursionError) as error:  # TOMLDecodeError and too long integers are ValueErrors
        raise InputError(f"{file} is not valid TOML ({error}). Fix or delete it.") from None


def _texts(path: Path, table: Mapping[str, Any], key: str, within: str = "") -> tuple[str, ...]:
    """A list of texts in web.toml: a single text would be taken letter by letter."""
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise InputError(
            f'{path / "web.toml"}: {within}{key} should be a list of texts. Write {key} = ["...", "..."].'
        )
    return tuple(value)


def _table(path: Path, table: Mapping[str, Any], key: str, within: str = "") -> dict[str, Any]:
    value = table.get(key, {})
    if not isinstance(value, dict):
        raise InputError(
            f"{path / 'web.toml'}: {within}{key} should be a table. See docs/webs.md for the format."
        )
    return value


def _given(path: Path, about: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """What web.toml gives of each topic that it names."""
    topics = _table(path, about, "topics")
    return {
        name: {
            key: _texts(path, _table(path, topics, name, "topics."), key, f"topics.{name}.")
            for key in ("seeds", "keywords", "tags")
        }
        | {"description": str(_table(path, topics, name, "topics.").get("description", ""))}
        for name in topics
    }


def _topics(path: Path, about: dict[str, Any], folding: urls.Folding) -> Iterator[tuple[str, Topic]]:
    grades: dict[str, dict[int, int]] = {}
    relevant: dict[str, dict[str, int]] = {}
    for row in rows_of(path / "labels.csv", "url", "topic", "grade"):
        try:
            grade = int(row["grade"])
        except ValueError:
            raise InputError(f"{path / 'labels.csv'}: grade {row['grade']!r} is not 0, 1 or 2.") from None
        key = urls.key_of(_parsed(row["url"]), folding)
        topic = grades.setdefault(row["topic"], {})
        topic[key] = max(grade, topic.get(key, 0))
        if grade > 0:
            relevant.setdefault(row["topic"], {})[row["url"]] = key
    events = {row["topic"] for row in rows_of(path / "events.csv", "topic")}
    given = _given(path, about)
    for name, graded in grades.items():
        by_url = dict(sorted(relevant.get(name, {}).items()))
        yield (
            name,
            Topic(name, graded, is_event=name in events, relevant_urls=by_url, **given.get(name, {})),
        )


def rows_of(path: Path, *columns: str) -> Iterator[dict[str, str]]:
    """The rows of a table, which have these columns, and something in the first of them."""
    if not path.exists():
        return
    with path.open(encoding="utf-8", newline="") as lines:
        reader = csv.DictReader(lines)
        try:
            for number, row in enumerate(reader, start=2):
                if None in row.values() or not row.get(columns[0]) or not row.keys() >= {*columns}:
                    raise InputError(
                        f"{path}, line {number}: columns are missing. See docs/webs.md for the format."
                    )
                yield row
        except UnicodeDecodeError as error:
            raise InputError(f"{path} is not in UTF-8 ({error}). Save it as CSV in UTF-8.") from None
        except csv.Error as error:
            raise InputError(
                f"{path}, line {reader.line_num + 1}: {error}. See docs/webs.md for the format."
            ) from None


def _parsed(url: str) -> str:
    return urls.parse(url) or url
