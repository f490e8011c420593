"""What people said of pages, learned from when a crawl goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from lycosa.collection.labels import Label, set_label
from lycosa.testing import Page, Site, links
from lycosa.urls import key_of
from lycosa.values import Judgement
from tests.crawling import crawl, pages_of, spec_text

OWLS = "<title>{0}</title><p>The owl hunts mice at night. An owl of this wood, an owl {0}. {1}</p>"
BIRDS = "feathers and nests and eggs of birds in the old forest " * 3
STATUES = "bronze sculptor gallery marble sculpture exhibition " * 3
WEB: dict[str | tuple[str, str], Page] = {
    ("h0.test", "/"): links(*(f"/{kind}{n}" for kind in ("bird", "statue") for n in range(4))),
    **{("h0.test", f"/bird{n}"): OWLS.format(f"bird{n}", BIRDS) for n in range(4)},
    **{("h0.test", f"/statue{n}"): OWLS.format(f"statue{n}", STATUES) for n in range(4)},
}


def labelled_crawl(tmp_path: Path, labels: dict[str, bool], judge: str) -> tuple[dict[str, Judgement], ...]:
    """How pages were judged before the labels and after a crawl that went on with them, by path."""
    out = tmp_path / "owls"
    found = []
    with Site(WEB) as site:
        topic = {"keywords": ["owl"], "description": "The owl hunts at night."}
        text = spec_text(
            site, ["http://h0.test/"], top={"strategy": "best-first"}, topic=topic, judge={"kind": judge}
        )
        for run in range(2):
            crawl(text, out)
            found.append(
                {
                    url.removeprefix("http://h0.test/"): page.judgement
                    for url, page in pages_of(out).items()
                    if page.judgement
                }
            )
            for path, relevant in labels.items() if not run else ():
                set_label(out, Label(key_of(f"http://h0.test/{path}"), path, relevant, 1.0))
    return tuple(found)


def test_pages_like_one_that_is_not_relevant_score_lower(tmp_path):
    """With the topic judge a single `not relevant` lowers its like far more than the others."""
    before, after = labelled_crawl(tmp_path, {"statue0": False}, "topic")
    assert all(before[path].relevant for path in ("bird1", "statue1"))
    drop = {path: after[path].score / before[path].score for path in ("bird1", "statue1")}
    assert drop["statue1"] < 0.5 * drop["bird1"]


@pytest.mark.parametrize("judge", ["topic", "all"])
def test_a_label_holds_for_its_own_page(tmp_path, judge):
    """Whatever the judge, a labelled page is what people said, and the reason says so."""
    _, after = labelled_crawl(tmp_path, {"bird0": False, "": True}, judge)
    assert not after["bird0"].relevant
    assert after[""].relevant
    assert after[""].rule == "labelled by a person"
    assert after["bird2"].rule != "labelled by a person"
