"""axe-core over every view of the library, the report, what is published and the documentation: three widths, and the dark."""

from __future__ import annotations

from collections import Counter
from importlib.resources import files

import pytest

from lycosa.cluster.division import Division, note_division, shard_directory
from lycosa.collection.labels import Label, set_label
from lycosa.library.publish.publishing import publish
from lycosa.report.html import write_report
from lycosa.urls import key_of
from tests.library import sample_library
from tests.library.test_browser import base, chromium, page, playwright, pytestmark, served  # noqa: F401
from tests.library.test_html_routes import PAGES

axe = pytest.importorskip(
    "axe_playwright_python", reason="axe is not installed: pip install axe-playwright-python"
)

WIDTHS = (390, 820, 1400)
SCHEMES = {
    "light": {},
    "dark": {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}},
}
"""What axe looks at in each: in the dark only colours differ, and those of no element depend on the width."""
VIEWS = [*PAGES, "page/999999"]


@pytest.fixture
def looked_at(page):  # noqa: F811
    """A page that has axe in all that it loads."""
    page.context.add_init_script((files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8"))
    return page


def findings(page, where: str, widths=WIDTHS) -> Counter[tuple[str, str, str]]:  # noqa: F811
    """What axe finds, by how grave it is, its rule and the element; in all widths, and in the last of them in the dark."""
    found: Counter[tuple[str, str, str]] = Counter()
    for width, scheme in [*((width, "light") for width in widths), (widths[-1], "dark")]:
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)
        options = {"resultTypes": ["violations"], "iframes": False, **SCHEMES[scheme]}
        found_now = page.evaluate("o => axe.run(document, o).then(all => all.violations)", options)
        for rule in found_now:
            for node in rule["nodes"]:
                found[rule["impact"], rule["id"], f"{where} {width} {scheme}: {node['html'][:120]}"] += 1
    return found


def test_nobody_is_shut_out(looked_at, tmp_path):
    """Nothing is found on any view."""
    page = looked_at  # noqa: F811
    directory = sample_library.make(tmp_path / "storm")
    set_label(directory, Label(key_of(sample_library.SEED), sample_library.SEED, True, 1.0))
    other = sample_library.make(tmp_path / "other")
    note_division(other, Division(2))
    for shard in range(2):
        sample_library.make(shard_directory(other, shard))
    found: Counter[tuple[str, str, str]] = Counter()
    with served(directory, str(other)) as address:
        page.goto(address)
        found += findings(page, "collections")
        page.goto(f"{base(address)}/search?q=storm")
        found += findings(page, "search of all")
        page.goto(f"{base(address)}/c/other/monitor")
        assert page.locator("h2:text-is('Shards')").count() == 1
        found += findings(page, "monitor of shards")
        for path in VIEWS:
            page.goto(f"{base(address)}/c/storm/{path}")
            found += findings(page, path)
        page.goto(f"{base(address)}/c/storm/labels")
        page.click("form[action$='/try'] button")
        page.wait_for_selector("h1:has-text('would change')")
        found += findings(page, "trial")
    publish(directory, tmp_path / "site", say=lambda _: None)
    for name in ("index.html", "list-1.html", "pages/1.html"):
        page.goto((tmp_path / "site" / name).as_uri())
        found += findings(page, f"site {name}")
    page.goto(write_report(directory, tmp_path / "report.html").as_uri())
    found += findings(page, "report")
    assert not found, "\n".join(map(str, found))


def test_the_documentation_shuts_nobody_out(looked_at, docs_site):
    """The site as it is built: landing page, a tutorial, a page with tables and pictures."""
    page = looked_at  # noqa: F811
    found: Counter[tuple[str, str, str]] = Counter()
    for name in ("index", "tutorials/archivist", "library"):
        for width in WIDTHS:  # the theme looks at the width when a page is loaded
            page.set_viewport_size({"width": width, "height": 900})
            page.goto((docs_site / f"{name}.html").as_uri())
            found += findings(page, name, (width,))
    assert not found, "\n".join(map(str, found))
