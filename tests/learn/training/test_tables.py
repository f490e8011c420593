"""A user's CSV file is read, or it is said what is wrong with it."""

from __future__ import annotations

import pytest

from lycosa.errors import InputError
from lycosa.learn.training.tables import read_rows


def test_the_mark_of_a_spreadsheet_is_no_part_of_the_first_column(tmp_path):
    """What a spreadsheet saves as "CSV UTF-8" is read like any other."""
    (tmp_path / "a.csv").write_bytes("\ufefffile,source\na.png,b\n".encode())

    assert read_rows(tmp_path / "a.csv", ("file", "source"), "") == [{"file": "a.png", "source": "b"}]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", r"no column file\. Begin it with the line: file,source"),
        (b"file\na.png\n", r"no column source\. Begin it with the line: file,source"),
        (b"file,source\n", r"no lines below the first\. Add one for each example: file,source"),
    ],
)
def test_missing_rows_or_columns_say_how_to_begin(tmp_path, content, words):
    """The column and the first line are named."""
    (tmp_path / "a.csv").write_bytes(content)
    with pytest.raises(InputError, match=words):
        read_rows(tmp_path / "a.csv", ("file", "source"), "file,source")


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00", b'file\n"' + b"a" * 200_000])
def test_what_is_no_such_file_is_said(tmp_path, content):
    """A missing file, another encoding, a field without end."""
    if content is not None:
        (tmp_path / "a.csv").write_bytes(content)
    with pytest.raises(InputError, match="cannot be read"):
        read_rows(tmp_path / "a.csv", ("file",), "file")
