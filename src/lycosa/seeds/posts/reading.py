"""Read posts from files, one at a time."""

from __future__ import annotations

import csv
import datetime
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import Any

import msgspec

from lycosa.seeds.posts.forms import Form, delimiter_of, form_of
from lycosa.seeds.posts.lines import BROKEN, Lines, Skip, whole_or_lines
from lycosa.seeds.posts.platforms import ShapeError, bluesky_posts, mastodon_posts, twitter_posts
from lycosa.seeds.posts.post import Days, Post, urls_in
from lycosa.seeds.posts.tables import columns_of, object_posts, row_post

_READERS: dict[Form, Callable[[Any, Days], Iterator[Post]]] = {
    Form.TWITTER: twitter_posts,
    Form.MASTODON: mastodon_posts,
    Form.BLUESKY: bluesky_posts,
    Form.JSON: object_posts,
}


class PostFile:
    """The posts of a file. Iterating reads it once from the start, in flat memory.

    Lines that cannot be used are skipped; `skipped` counts them by reason. Dates after `today` (and
    one day, for the time zones) are impossible.
    """

    def __init__(
        self, path: str | PathLike[str], form: Form | None = None, *, today: datetime.date | None = None
    ) -> None:
        self.path = Path(path)
        self.form = form or form_of(whole_or_lines(Lines(self.path)))
        self._lines = Lines(self.path)
        latest = (today or datetime.datetime.now(datetime.UTC).date()) + datetime.timedelta(days=1)
        self._days = Days(latest)

    @property
    def skipped(self) -> Counter[Skip]:
        """How many lines were skipped so far, by reason."""
        return self._lines.skipped

    @property
    def bytes_read(self) -> int:
        """How much of the file, as it is on disk, was read so far."""
        return self._lines.bytes_read

    def __iter__(self) -> Iterator[Post]:
        self._lines = Lines(self.path)
        if self.form is Form.CSV:
            return self._rows()
        return self._texts() if self.form is Form.TEXT else self._objects()

    def _texts(self) -> Iterator[Post]:
        for line in self._lines:
            text = line.decode("utf-8-sig", "replace").strip()
            yield Post(text, urls=urls_in(text))

    def _rows(self) -> Iterator[Post]:
        lines = (line.decode("utf-8-sig", "replace") for line in self._lines)
        header = next(lines, "")
        rows = csv.reader(chain([header], lines), delimiter=delimiter_of(header))
        try:
            columns = columns_of(next(rows, []))
        except csv.Error:  # a header with a stray carriage return
            self.skipped[Skip.BAD_ROW] += 1
            columns = columns_of([])
        while True:
            try:
                row = next(rows)
            except StopIteration:
                return
            except csv.Error:
                self.skipped[Skip.BAD_ROW] += 1
                continue
            if any(at < len(row) and row[at].strip() for at in columns.values()):
                yield row_post(row, columns, self._days)
            else:
                self.skipped[Skip.BAD_ROW] += 1

    def _objects(self) -> Iterator[Post]:
        decode = msgspec.json.Decoder().decode
        for line in whole_or_lines(self._lines):
            is_empty = True
            try:
                for post in self._posts_in(decode(line)):
                    is_empty = False
                    yield post
            except ShapeError:
                self.skipped[Skip.SHAPE] += 1
            except BROKEN:
                self.skipped[Skip.NOT_JSON] += 1
            else:
                if is_empty:
                    self.skipped[Skip.NO_POST] += 1

    def _posts_in(self, value: Any) -> Iterator[Post]:
        posts = _READERS[self.form]
        if self.form is Form.JSON:
            return posts(value, self._days)
        values = value if isinstance(value, list) else [value]
        if not all(isinstance(each, dict) for each in values):
            raise ShapeError
        return chain.from_iterable(posts(each, self._days) for each in values)
