"""A collection of an earlier version is refused, and the command in the message makes a new one."""

from __future__ import annotations

import re
import shlex
import sqlite3
import tarfile
from contextlib import closing
from pathlib import Path

import pytest

from lycosa.collection.collection import Collection
from lycosa.errors import CollectionError
from tests.crawling import pages_of

MADE_BY_0_1 = Path(__file__).parent / "data" / "collection-0.1.tar.xz"


def test_an_earlier_collection_is_made_again_from_its_archive(lycosa, tmp_path: Path) -> None:
    """The refusal names a command that makes a collection with the same pages."""
    with tarfile.open(MADE_BY_0_1) as tar:
        tar.extractall(tmp_path, filter="data")
    (earlier,) = (path.parent for path in tmp_path.glob("*/catalogue.db"))
    with pytest.raises(CollectionError, match="older Lycosa") as refused:
        Collection.open(earlier)

    with closing(sqlite3.connect(earlier / "catalogue.db")) as old:
        judged = {url for (url,) in old.execute("SELECT url FROM pages WHERE relevant IS NOT NULL")}

    found = re.search(r"lycosa (import .*) NEW$", str(refused.value))
    assert found
    new = tmp_path / "new"
    code, _, error = lycosa(*shlex.split(found[1]), new)
    assert code == 0, error
    assert {url for url, page in pages_of(new).items() if page.judgement} == judged
