"""`genre.want`: a topic and a kind of page. What is of another kind is not relevant, whatever judges and however often."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from tools.genre.labelled_pages import made_pages

from lycosa.errors import SpecError
from lycosa.methods.genre.evidence import WantedGenre, built_in_model
from lycosa.methods.genre.link_signs import LinkSigns
from lycosa.page.document import Document
from lycosa.report.why import explain, explanation_text
from lycosa.store.collection import Collection
from lycosa.store.page_filter import PageFilter
from lycosa.testing import Site
from lycosa.values import Category, Score
from tests.crawling import crawl, spec_of, spec_text

OWLS = "<p>" + "The owl hunts at night; owls have nests and owlets. " * 12 + "</p>"
TOPIC = {"keywords": ["owl", "owls", "nest"]}
START = "http://start.test/"


def web() -> dict[str | tuple[str, str], str]:
    """Forum and wiki pages about owls, and a page that links to all of them."""
    model = built_in_model(extended=True)
    chosen = {}
    for page in made_pages(14):
        if page.genre in ("forum", "wiki"):
            html = page.html.replace("</body>", f"{OWLS}</body>")
            url = page.url.replace(".example/", ".test/")
            evidence = WantedGenre(model, ("forum",)).of_page(Document(html.encode(), url, "text/html"))
            if evidence.label == page.genre:
                chosen[url] = html
    links = "".join(f'<li><a href="{url}">owls</a></li>' for url in chosen)
    pages = {START: f"<title>Owls</title>{OWLS}<ul>{links}</ul>", **chosen}
    return {(urlsplit(url).netloc, f"/{url.split('/', 3)[3]}"): html for url, html in pages.items()}


def crawled(out: Path, **sections: dict[str, Any]) -> None:
    with Site(web()) as site:
        crawl(spec_text(site, [START], genre={"want": ["forum"]}, **sections), out)


@pytest.mark.parametrize("judge", [{"kind": "topic"}, {"kind": "all"}])
@pytest.mark.parametrize("strategy", ["best-first", "genre"])
def test_pages_of_another_kind_are_not_relevant(tmp_path, judge, strategy):
    """By a judge that learns, which judges all pages again at the end, and by one that does not; with any strategy."""
    out = tmp_path / "out"
    crawled(out, judge=judge, topic=TOPIC, top={"strategy": strategy})

    with Collection.open(out) as opened:
        pages = [(page, opened.reader.evidence(page.id)) for page in opened.reader.pages() if page.judgement]
        forums = opened.statistics.genres(PageFilter(genres=("forum",)))
    kinds = {evidence["genre"].label for _, evidence in pages if isinstance(evidence["genre"], Category)}
    assert kinds >= {"forum", "wiki"}
    for page, evidence in pages:
        assert page.judgement is not None
        kind = evidence["wanted-kind"]
        assert isinstance(kind, Score)
        wanted = isinstance(evidence["genre"], Category) and evidence["genre"].label == "forum"
        assert wanted == (kind.value >= 0.5)
        assert wanted or not page.judgement.relevant
        assert wanted or page.judgement.score <= 0.5
    assert sum(page.judgement.relevant for page, _ in pages if page.judgement) >= 5
    assert dict(forums)["forum"] >= 5


def test_why_says_so(tmp_path):
    """The rule names what is missing, and the words that made the score are still told."""
    out = tmp_path / "out"
    crawled(out, judge={"kind": "topic"}, topic=TOPIC, top={"strategy": "best-first"})
    with Collection.open(out) as opened:
        wikis = [
            page.link.url
            for page in opened.reader.pages()
            if isinstance(genre := opened.reader.evidence(page.id).get("genre"), Category)
            and genre.label == "wiki"
        ]
    wiki = wikis[0]
    told = explanation_text(explain(out, wiki))

    assert "not of a wanted kind" in told
    assert "wiki" in told
    assert explain(out, wiki).words is not None


def test_a_genre_that_is_not_known_is_refused(tmp_path):
    """With the nearest one, before anything is fetched."""
    text = spec_text(Site({}), [START], topic=TOPIC, genre={"want": ["newz"]})
    with pytest.raises(SpecError, match=r"no genre 'newz'. Did you mean 'news'\?"):
        crawl(text, tmp_path / "out")


def test_the_section_is_not_the_strategys():
    """[genre] may say what is wanted with any strategy; the strategy's own settings are beside it."""
    spec = spec_of(
        '[topic]\nkeywords = ["x"]\n[seeds]\nurls = ["http://a.test/"]\n[genre]\nwant = ["news"]\nw_r = 0.5\n'
    )
    assert spec.methods["genre"].want == ("news",)  # type: ignore[attr-defined]
    assert spec.options["genre"] == {"w_r": 0.5}


def test_signs_of_links_are_learned():
    """What led to the wanted kind rises above what did not, and an unknown link is between them."""
    signs = LinkSigns()
    for _ in range(10):
        signs.learn(("on index", "/courses"), 0.9)
        signs.learn(("on index", "/papers"), 0.1)
    good, unknown, bad = (signs.chance(("on index", word)) for word in ("/courses", "/jobs", "/papers"))
    assert good > unknown > bad
