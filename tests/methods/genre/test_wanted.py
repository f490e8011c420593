"""`genre.want`: a topic and a kind of page. What is of another kind is not relevant, whatever judges and however often."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from research.genre.labelled_pages import made_pages

from lycosa.collection.catalogue.page_filter import PageFilter
from lycosa.collection.collection import Collection
from lycosa.errors import SpecError
from lycosa.evidence.topic import TopicEvidence
from lycosa.learn.judges.kinds import Judge, OfWantedKind
from lycosa.methods.genre.evidence import WantedGenre, built_in_model
from lycosa.methods.genre.link_signs import LinkSigns
from lycosa.methods.genre.preparation import Genres, wanted_evidence
from lycosa.methods.genre.strategy import Genre
from lycosa.methods.preparation import Preparation
from lycosa.page.document import Document
from lycosa.testing import Site
from lycosa.values import EXAMPLE, Category, Fact, Judgement, Link, Page, Score
from lycosa.why import explain, explanation_text
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
        forums = opened.statistics.values("genre", PageFilter(categories=(("genre", ("forum",)),)))
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
    with Site({}) as site, pytest.raises(SpecError, match=r"no genre 'newz'. Did you mean 'news'\?"):
        crawl(spec_text(site, [START], topic=TOPIC, genre={"want": ["newz"]}), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_section_is_not_the_strategys():
    """[genre] can name wanted genres with any strategy, in the same table as the strategy's settings."""
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


class AboutOwls(Judge):
    """A judge that knows what it is to say."""

    def judge(self, page: Page) -> Judgement:
        return Judgement(True, 0.9, "topic")


def of_genre(genre: str, wanted: float, *links: Link) -> Page:
    evidence: dict[str, Fact] = {
        "genre": Category(genre, 0.8),
        "wanted-kind": Score(wanted, genre),
        "topic": Score(0.9),
    }
    return Page(
        Link("http://a.test/", 9),
        "http://a.test/",
        links=links,
        evidence=evidence,
        link_evidence={"topic": (0.5,) * len(links)},
    )


def seeker(want: str) -> Genre:
    """The strategy as a crawl for one kind fits it."""
    genres = Genres(built_in_model(extended=True), (want,))
    judge = OfWantedKind(AboutOwls(), tuple(wanted_evidence(genres)))
    return Genre().fit(Preparation(judge, TopicEvidence({"owl": 1.0}), methods={"genre": genres}))


def test_pages_of_another_kind_pass_on_what_they_are_about():
    """The home page of a database group is no course, and links to the courses: its low score must not hold them back."""
    strategy, link = seeker("course"), Link("http://a.test/cs186", 1, anchor="databases")
    ranked = []
    for genre, wanted in (("course", 0.9), ("faculty", 0.0)):
        page = of_genre(genre, wanted, link)
        (decision,) = strategy.rank(page, strategy.judge(page))
        ranked.append(decision.priority)
    assert ranked[0] == pytest.approx(ranked[1])


def test_seeds_teach_what_addresses_of_the_wanted_kind_look_like():
    """An example of the user's is of a wanted kind, whatever the forest says of it."""
    strategy = seeker("course")
    links = (Link("http://b.test/courses/1", 1), Link("http://b.test/papers/1", 2))
    strategy.learn(Link("http://c.test/courses/", 3), EXAMPLE, {"wanted-kind": Score(0.2, "other")})
    strategy.learn(
        Link("http://c.test/papers/", 4), Judgement(False, 0.1), {"wanted-kind": Score(0.1, "other")}
    )
    page = of_genre("index", 0.1, *links)
    course, paper = (step.priority for step in strategy.rank(page, strategy.judge(page)))
    assert course > paper
