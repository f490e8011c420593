"""A crawl of an archive into a collection, and the lab on the same web: the same URLs in the same order.

On the larger webs of ../shared: `python -m research.archived_order`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from research.archived_order import lab_and_crawl


@pytest.mark.parametrize("strategy", ["best-first", "breadth-first", "fused"])
def test_a_crawl_of_an_archive_goes_as_in_the_lab(demo_folder: Path, tmp_path: Path, strategy: str):
    in_lab, crawled = lab_and_crawl(demo_folder, "owls", strategy, tmp_path / "crawl", 60)

    assert len(crawled) > 40
    assert crawled == in_lab
