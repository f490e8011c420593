"""Why a kind of page is harder to find than a subject: writes its part of docs/as-user.md. In: a web, its runs. Out: a table.

Command line: python -m research.judge.page_types WEB RUNS.json      (RUNS.json: of `lab run WEB --given … --from both --json`)
Expected time: 10 seconds, if the lab has the web cached
"""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from lycosa.lab.cache import CachedWeb
from lycosa.lab.web import Topic, VirtualWeb
from research.measured import table, write_part
from research.user_figures import PAGE

DRAWS, EXAMPLES = 200, 3


def folder_of(url: str) -> str:
    """The folder that a page lies in.

    >>> folder_of("http://a.test/cs540/homework.html"), folder_of("http://a.test/cs540/")
    ('http://a.test/cs540/', 'http://a.test/cs540/')
    """
    return url.rpartition("/")[0] + "/"


def beside(urls: Iterable[str], labelled: Collection[str]) -> list[str]:
    """Pages that lie in or under the folder of a labelled page; folders of whole hosts do not count.

    >>> beside(["http://a.test/cs540/hw.html", "http://a.test/x"], ["http://a.test/cs540/"])
    ['http://a.test/cs540/hw.html']
    """
    folders = tuple({folder for url in labelled if (folder := folder_of(url)).count("/") > 3})
    return [url for url in urls if url.startswith(folders)]


def reached_from(keys: Sequence[int], graph: Mapping[int, Sequence[int]]) -> set[int]:
    """All pages that links lead to from some.

    >>> sorted(reached_from([1], {1: [2], 2: [3], 4: [5]}))
    [1, 2, 3]
    """
    seen, left = set(keys), list(keys)
    while left:
        new = [key for key in graph.get(left.pop(), ()) if key not in seen]
        seen.update(new)
        left += new
    return seen


def from_examples(topic: Topic, web: CachedWeb) -> tuple[str, str]:
    """How many relevant pages can be reached from examples alone: in the middle of all draws, and in how many none."""
    relevant = sorted(topic.relevant() & web.graph.keys())
    chance, found = Random(topic.name), []
    for _ in range(DRAWS):
        examples = chance.sample(relevant, EXAMPLES)
        found.append(len(reached_from(examples, web.graph).intersection(relevant).difference(examples)))
    return f"{median(found):g} of {len(relevant)}", f"{found.count(0) / DRAWS:.0%}"


def summary(web: CachedWeb, runs: Sequence[Mapping[str, Any]]) -> str:
    """A row for each topic and strategy."""
    rows = []
    for topic in web.web.topics.values():
        reach = from_examples(topic, web)
        for strategy in runs:
            kept = [url for run in strategy["runs"] if run["topic"] == topic.name for url in run["collected"]]
            wrong = [url for url in kept if url not in topic.relevant_urls]
            near = beside(wrong, topic.relevant_urls)
            rows.append([topic.name, strategy["strategy"], *reach, *map(str, map(len, (kept, wrong, near)))])
    heads = ["kind", "strategy", f"reached from {EXAMPLES} examples alone", "draws that reach none"]
    return table([*heads, "kept", "wrong", "wrong, but in the folder of a right page"], rows)


def main(path: Path, runs: Path) -> None:
    """Write the table."""
    web = CachedWeb(VirtualWeb.open(path))
    write_part(PAGE, "page types", summary(web, json.loads(runs.read_text())["strategies"]))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
