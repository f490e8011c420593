"""The crawls of the genre paper: genre mix, relevance, P(I, G), and a run for one w_R.

As in the paper, relevance is a naive Bayes classifier over title, body and anchor texts, P(I, G) is counted within
two hops of the seeds, labelled by both classifiers, and the baseline is S = R.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self

from lycosa.evidence.text import PageText
from lycosa.evidence.text_model import TextModel
from lycosa.evidence.topic import TopicEvidence
from lycosa.learn.judges.kinds import TextJudge
from lycosa.learn.training.classifiers import FIELDS
from lycosa.learn.training.text import Example, Label, TextSettings, train_text
from lycosa.methods.genre.evidence import GenreEvidence, built_in_model
from lycosa.methods.genre.preparation import Genres
from lycosa.methods.genre.prior import Counts, GenrePrior, class_name
from lycosa.methods.genre.strategy import Genre
from lycosa.methods.preparation import Preparation
from lycosa.page.document import Document
from lycosa.urls import authority_of, source_of
from lycosa.values import Category, Score
from lycosa_lab.papers.remembered import Remembered
from lycosa_lab.runs.protocol import Draw, Options, draw
from lycosa_lab.runs.run import Run, run_strategy
from lycosa_lab.webs.cache import CachedWeb
from lycosa_lab.webs.web import Topic

WEIGHTS = tuple(round(0.05 * step, 2) for step in range(21))
HOPS = 2
GRAPH_PAGES = 3_000


def genre_mix(web: CachedWeb, extended: bool = False) -> dict[str, float]:
    """The share of each genre among the pages of a web, the largest first."""
    evidence = GenreEvidence(built_in_model(extended))
    counts = Counter(
        evidence.of_page(document).label for key in sorted(web.pages) if (document := web.document(key))
    )
    return {genre: count / len(web.pages) for genre, count in counts.most_common()}


class RememberingGenre(Genre):
    """The strategy with evidence that is shared between runs."""

    def fit(self, preparation: Preparation) -> Self:
        """Load the prior; the case's judge brings both kinds of evidence."""
        super().fit(preparation)
        self.needs = preparation.judge.needs
        return self


@dataclass(frozen=True)
class Case:
    """A topic with one draw and its relevance classifier."""

    web: CachedWeb
    topic: Topic
    draw: Draw
    judge: TextJudge
    options: Options
    random_seed: int
    extended: bool
    strategy: type[RememberingGenre] = RememberingGenre

    def run(self, w_r: float, prior: Counts | None, learn: bool) -> Run:
        """One crawl; with `prior` P(I, G) starts from those counts."""
        with TemporaryDirectory() as folder:
            path = Path(folder) / "prior.json"
            if prior:
                GenrePrior(dict(prior)).save(path)
            strategy = self.strategy(w_r=w_r, learn=learn, prior=str(path) if prior else "")
            genres = Genres(built_in_model(self.extended))
            preparation = Preparation(
                self.judge, TopicEvidence({}, self.web.language), methods={"genre": genres}
            )
            return run_strategy(
                f"genre w_r={w_r:g}",
                strategy.fit(preparation),
                {"w_r": w_r, "learn": learn},
                self.web,
                self.topic,
                self.draw,
                self.options,
                self.random_seed,
            )

    def hops(self) -> list[list[int]]:
        """The seeds, what they link to, and what that links to: each page where it is first found."""
        found = [list(dict.fromkeys(self.draw.seeds))]
        known = set(found[0])
        for _ in range(HOPS):
            linked = chain.from_iterable(self.web.graph.get(key, ()) for key in found[-1])
            fresh = [key for key in dict.fromkeys(linked) if key not in known][: GRAPH_PAGES - len(known)]
            known.update(fresh)
            found.append(fresh)
        return found

    def counts(self) -> Counts:
        """Links of each class (I, G) within two hops of the seeds, labelled by the classifiers."""
        near = list(chain.from_iterable(self.hops()))
        text, genre = self.judge.needs
        classes = {}
        for key in near:
            if (document := self.web.document(key)) is not None:
                score, kind = text.of_page(document), genre.of_page(document)
                if isinstance(score, Score) and isinstance(kind, Category):
                    classes[key] = (score.value >= self.judge.threshold, kind.label)
        return count_links(classes, ((key, to) for key in near for to in self.web.graph.get(key, ())))


def count_links(classes: Mapping[int, tuple[bool, str]], links: Iterable[tuple[int, int]]) -> Counts:
    """Count links (from, to) between pages of which relevance and genre are known.

    >>> count_links({1: (True, "news"), 2: (False, "blog")}, [(1, 2), (2, 1), (1, 9)])
    {'relevant/news': (0, 1), 'irrelevant/blog': (1, 1)}
    """
    counts: dict[str, tuple[int, int]] = {}
    for page, target in links:
        if page in classes and target in classes:
            name = class_name(*classes[page])
            good, total = counts.get(name, (0, 0))
            counts[name] = (good + classes[target][0], total + 1)
    return counts


def make_case(
    web: CachedWeb, topic: str, options: Options, random_seed: int, genres: Remembered, extended: bool
) -> Case:
    """Draw training pages and seeds for a topic, and fit its relevance classifier."""
    chosen = web.web.topic(topic)
    start = [key for key in web.start if key in web.graph]
    drawn = draw(chosen, web.pages, web.graph, start, options, random_seed)
    judge = TextJudge(relevance_model(web, drawn))
    judge.needs = (Remembered(PageText(judge.needs[0].model)), genres)  # type: ignore[attr-defined]
    return Case(web, chosen, drawn, judge, options, random_seed, extended)


def relevance_model(web: CachedWeb, drawn: Draw) -> TextModel:
    """The paper's relevance classifier: naive Bayes, three fields, under-sampled, 10 folds."""
    examples = [
        Example(
            fields_of(document), label, source_of(authority_of(document.url)) if many_sources(web) else ""
        )
        for label, keys in ((Label.POSITIVE, drawn.positives), (Label.NEGATIVE, drawn.negatives))
        for key in keys
        if (document := web.document(key)) is not None
    ]
    settings = TextSettings(classifier="naive-bayes", fields=FIELDS, balance="undersample", folds=10)
    return train_text(examples, settings)


def many_sources(web: CachedWeb) -> bool:
    """Whether folds can be made by source: not where the web is one site."""
    return len({source_of(authority_of(web.url(key))) for key in list(web.pages)[:200]}) > 10


def fields_of(document: Document) -> dict[str, Counter[str]]:
    """A page as the relevance classifier reads it."""
    return {
        "title": Counter(document.title_terms),
        "body": Counter(document.terms),
        "anchor": Counter(chain.from_iterable(document.link_terms)),
    }


def best_weight(areas: Mapping[float, float]) -> float:
    """The w_R with the largest area; of equals the largest, which is nearest to the baseline.

    >>> best_weight({0.9: 0.5, 0.95: 0.5, 1.0: 0.4})
    0.95
    """
    return max(areas, key=lambda w_r: (areas[w_r], w_r))
