"""What path strings cost on archived webs, beside parsing. In: virtual webs. Out: CPU milliseconds, a line a web.

Command line: python -m research.path_strings WEB...
Expected time: seconds a web, of which most is opening the archive.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from lycosa.lab.web import VirtualWeb
from lycosa.methods.profile.paper.path_strings import path_cost

IMAGES = ("jpg", "jpeg", "png", "gif", "svg")


def main(paths: Sequence[str]) -> None:
    """Print a line for each web."""
    for path in paths:
        web = VirtualWeb.open(Path(path))
        pages = [url for url in web.archive.urls() if url.rsplit(".", 1)[-1].lower() not in IMAGES]
        print(Path(path).name, path_cost(web, pages), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
