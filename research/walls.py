"""Measure how well walls are told from honest pages that look like them, on three samples modelled on real pages.

Command line: python -m research.walls [--write]     prints the table of research/politeness.md; `--write`: puts it there
Expected time: a second.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from itertools import cycle, islice
from typing import Any

from lycosa.page.response import document_of
from lycosa.page.signs.walls import BLOCK, CAPTCHA, CHALLENGE, CONSENT, LOG_IN, wall_of
from lycosa.values import Fetched, Link, Refusal
from research.measured import ROOT, arguments, table, write_part

SAMPLES = {
    "first": "walls.toml",
    "second: other products and languages": "walls_later.toml",
    "third: others again": "walls_last.toml",
}
"""Names in the table, and the files of the samples."""
KINDS = (CHALLENGE, CAPTCHA, BLOCK, CONSENT, LOG_IN)
PROSE = (
    "the owl sat on the wall of the old barn and looked over the fields where the farmer had cut the hay a week ago "
    "when rain came from the west it turned its head and waited until a mouse moved in the stubble below then it flew "
    "without a sound and was gone before anybody in the village had noticed that the evening was over"
).split()


def sample(name: str) -> Mapping[str, list[dict[str, Any]]]:
    """The walls (`wall`) and honest pages (`page`) of a file of SAMPLES."""
    return tomllib.loads((ROOT / "tests" / "page" / name).read_text(encoding="utf-8"))


def told(page: Mapping[str, Any]) -> str:
    """The kind of wall that a page of a sample is taken for; '' for none."""
    markup = re.sub(
        r"\{prose (\d+)\}", lambda found: " ".join(islice(cycle(PROSE), int(found[1]))), page["html"]
    )
    headers = tuple({"Content-Type": "text/html; charset=utf-8", **page.get("headers", {})}.items())
    link = Link(page.get("url", "http://www.a.test/page"), 1)
    fetched = Fetched(link, page.get("status", 200), headers, markup.encode(), b"", b"", 0.0, 0.0)
    document = document_of(fetched)
    assert not isinstance(document, Refusal)
    return wall_of(document, fetched)


def told_table() -> str:
    """Walls of each kind that are found, and honest pages that are left alone."""
    rows = []
    for words, name in SAMPLES.items():
        found = sample(name)
        by_kind = [[told(one) for one in found["wall"] if one["kind"] == kind] for kind in KINDS]
        honest = [told(one) for one in found["page"]]
        rows.append(
            [
                words,
                *(_of(each) for each in by_kind),
                _of([one for each in by_kind for one in each]),
                f"{honest.count('')} of {len(honest)}",
            ]
        )
    return table(["sample", *KINDS, "all walls", "honest pages left alone"], rows)


def _of(answers: list[str]) -> str:
    return f"{len(answers) - answers.count('')} of {len(answers)}"


def main() -> None:
    """Print the table, or write it."""
    options = arguments(__doc__)
    options.add_argument("--write", action="store_true", help="put the table into research/politeness.md")
    figures = told_table()
    print(figures)
    if options.parse_args().write:
        write_part(ROOT / "research" / "politeness.md", "walls", figures)


if __name__ == "__main__":
    main()
