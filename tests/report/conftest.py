"""A small real crawl that the tests of reports and explanations read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from lycosa.testing import Pages, Site, redirect, text
from tests.crawling import crawl, spec_text

HOSTILE_TITLE = '<script>alert(1)</script> owls \x1b[2J & "night"'
HOSTILE_PATH = "/owl?x=%22onerror=%27alert(1)%27"
PAGES: Pages = {
    "/": """<title>Start</title><p>owl night <a href="/owls">owls at night</a> <a href="/bread">bread</a>
        <a href="/secret">owl secrets</a> <a href="/gone">owl gone</a> <a href="/moved">owl moved</a>
        <a href="http://elsewhere.test/owl">owl elsewhere</a> <a href="/owl?x=%22onerror='alert(1)'">owl night</a>""",
    "/owls": '<title>Owls</title><p>owl owl night night owl owl <a href="/later/1">later</a> <a href="/later/2">x</a>',
    "/bread": "<title>Bread</title><p>flour water salt and time make the loaf of this morning",
    HOSTILE_PATH: f"<title>{HOSTILE_TITLE.replace('<', '&lt;')}</title><p>owl night owl night owl night",
    "/moved": redirect("/owls"),
    "/later/1": "<p>later",
    "/later/2": "<p>later still",
    "/robots.txt": text("User-agent: *\nDisallow: /secret\n"),
}


def spec(site: Site, **sections: dict[str, Any]) -> str:
    own: dict[str, dict[str, Any]] = {
        "top": {"name": "nightly <b>owls", "strategy": "best-first"},
        "topic": {"keywords": ["owl", "night"], "description": "Owls & <i>friends</i>"},
        "judge": {"kind": "topic", "threshold": 0.3},
        "scope": {"hosts": ["a.test"]},
    }
    return spec_text(site, ["http://a.test/"], **(own | sections))


@pytest.fixture(scope="session")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four pages of a web of its own; two more wait."""
    directory = tmp_path_factory.mktemp("report") / "owls"
    with Site(PAGES) as site:
        crawl(spec(site, limits={"pages": 4}, fetch={"concurrency": 1}), directory)
    return directory


@pytest.fixture(scope="session")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A collection whose only seed does not answer."""
    directory = tmp_path_factory.mktemp("empty") / "owls"
    with Site({}) as site:
        crawl(spec(site, scope={"hosts": ["nowhere.test"]}), directory)
    return directory
