"""Reasons in the library are those of `lycosa why`."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from selectolax.lexbor import LexborHTMLParser

from lycosa.testing import Site
from lycosa.why import explain
from tests.crawling import KEYWORDS, crawl, pages_of, small_web, spec_text
from tests.library import sample_library


def test_the_library_gives_the_reasons_of_why(tmp_path):
    """The same words and the same sums, of the score and of the rank, on the page's view and for any address."""
    out = tmp_path / "storm"
    sections: dict[str, Any] = {
        "top": {"strategy": "fused"},
        "topic": {"keywords": list(KEYWORDS)},
        "judge": {"kind": "topic"},
        "limits": {"pages": 40},
    }
    with Site(small_web(4, 40)) as site:
        crawl(spec_text(site, ["http://h0.test/"], **sections), out)
    explained = {url: explain(out, url) for url, page in pages_of(out).items() if page.judgement}
    url, why = next((url, why) for url, why in explained.items() if why.words and why.ranked_by)
    assert why.words
    with sample_library.client(out) as browser:
        for path in (f"page/{pages_of(out)[url].id}?view=reasons", f"why?{urlencode({'url': url})}"):
            tree = LexborHTMLParser(browser.get(f"/c/storm/{path}").text)
            told = " ".join(tree.text(separator=" ").split())
            for part, amount in (*why.words.words, *why.words.more, *why.ranked_by):
                assert f"{part} {amount:+.2f}" in told
            assert f"probability {why.words.probability:.2f}" in told
