"""A crawl of an archive into a collection, and the lab on the same web: the same URLs in the same order."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from lycosa.engine.session import crawl_spec
from lycosa.lab.cache import CachedWeb
from lycosa.lab.given import Given
from lycosa.lab.grid import Laboratory, Variant
from lycosa.lab.protocol import Options
from lycosa.lab.user import user_spec
from lycosa.lab.web import VirtualWeb
from lycosa.spec.sections import ProcessSpec
from lycosa.spec.writing import as_run
from lycosa.urls import key_of
from tests.crawling import pages_of

OPTIONS = Options(pages=60, given=Given(keywords=True, examples=3))


def lab_and_crawl(folder: Path, topic: str, strategy: str, out: Path) -> tuple[list[int], list[int]]:
    """The keys of the URLs that the lab fetched, and of those that the crawl of the same archive did."""
    web = CachedWeb(VirtualWeb.open(folder))
    laboratory = Laboratory(web, topic, 1, OPTIONS)
    laboratory.prepare([strategy])
    in_lab = list(map(key_of, laboratory.run(Variant(strategy)).fetched))
    spec = user_spec(web, laboratory.topic, laboratory.draw, OPTIONS, 1)
    spec = spec.model_copy(
        update={
            "strategy": strategy,
            "fetch": spec.fetch.model_copy(update={"web": (str(folder),)}),
            "process": ProcessSpec(workers=0),
        }
    )
    asyncio.run(crawl_spec(spec, as_run(spec), Path(), out))
    judged = [page.link.key for page in pages_of(out).values() if page.judgement]
    return in_lab, [key for key in judged if key not in laboratory.draw.excluded]


@pytest.mark.parametrize("strategy", ["best-first", "breadth-first", "fused"])
def test_a_crawl_of_an_archive_goes_as_in_the_lab(demo_folder: Path, tmp_path: Path, strategy: str):
    in_lab, crawled = lab_and_crawl(demo_folder, "owls", strategy, tmp_path / "crawl")

    assert len(crawled) > 40
    assert crawled == in_lab
