"""Topics in six languages: the judge keeps the right pages, their language is told, and the search finds them."""

from __future__ import annotations

import pytest

from lycosa.collection.collection import Collection
from lycosa.testing import Page, Site, html
from tests.crawling import crawl, pages_of, spec_text
from tests.in_six_languages import LANGUAGES, Spoken

RIGHT, WRONG = ("/second", "/third"), ("/train", "/station")


def web(spoken: Spoken) -> dict[str | tuple[str, str], Page]:
    links = "".join(f"<a href={path}>{path[1:]}</a> " for path in (*RIGHT, *WRONG))
    texts = dict(zip((*RIGHT, *WRONG), (*spoken.owls[1:], *spoken.railways), strict=True))
    texts["/"] = spoken.owls[0] + links
    return {path: html(f"<title>{path}</title><p>{text}") for path, text in texts.items()}


@pytest.mark.parametrize("spoken", LANGUAGES, ids=lambda spoken: spoken.name)
def test_a_topic_in_this_language(spoken, tmp_path):
    with Site(web(spoken)) as site:
        topic = {"keywords": list(spoken.keywords), "examples": ["http://a.test/"], "language": spoken.name}
        scope = {"languages": [spoken.code]}
        text = spec_text(
            site, [], top={"strategy": "best-first"}, topic=topic, judge={"kind": "topic"}, scope=scope
        )
        crawl(text, tmp_path / "owls")
    pages = {url.removeprefix("http://a.test"): page for url, page in pages_of(tmp_path / "owls").items()}
    assert {path: page.language for path, page in pages.items()} == dict.fromkeys(pages, spoken.code)
    scores = {path: page.judgement.score for path, page in pages.items() if page.judgement}
    assert min(scores[path] for path in RIGHT) > max(scores[path] for path in WRONG), scores
    relevant = {path for path, page in pages.items() if page.judgement and page.judgement.relevant}
    assert relevant == {"/", *RIGHT}
    with Collection.open(tmp_path / "owls") as collection:
        assert [hit.url for hit in collection.search.find(spoken.word).hits] == ["http://a.test/"]
        assert {hit.url for hit in collection.search.find(spoken.keywords[0]).hits} >= {"http://a.test/"}
