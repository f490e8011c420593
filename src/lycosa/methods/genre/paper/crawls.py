"""What the genre adds to best-first: genre mix, P(I, G), the sweep of w_R, margins in AUC.

In: a virtual web with labels. Out: plain data. As in the paper, relevance is a naive Bayes classifier
over title, body and anchor texts, P(I, G) is counted on what two hops from the seeds reach, labelled by
the two classifiers, and the baseline is S = R. Beyond it, w_R and P(I, G) come from one half of the
topics and the margins from the other, both ways.

    python -m lycosa.methods.genre.paper.crawls ../shared/webs/news --topics 12 --pages 300
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Self

import msgspec

from lycosa.errors import InputError
from lycosa.evidence import Evidence
from lycosa.evidence.text import PageText
from lycosa.evidence.text_model import TextModel
from lycosa.evidence.topic import TopicEvidence
from lycosa.evidence.training.text import Example, Label, TextSettings, train_text
from lycosa.evidence.training.topic import FIELDS
from lycosa.judge.kinds import TextJudge
from lycosa.lab import metrics
from lycosa.lab.cache import CachedWeb
from lycosa.lab.protocol import Draw, Options, draw
from lycosa.lab.run import Run, run_strategy
from lycosa.lab.web import Topic, VirtualWeb
from lycosa.methods.genre.evidence import GenreEvidence, built_in_model
from lycosa.methods.genre.prior import Counts, GenrePrior, count_links, prior_table
from lycosa.methods.genre.strategy import Genre
from lycosa.methods.preparation import Preparation
from lycosa.page.document import Document
from lycosa.urls import authority_of, source_of
from lycosa.values import Category, Fact, Say, Score

WEIGHTS = tuple(round(0.05 * step, 2) for step in range(21))
HOPS = 2
GRAPH_PAGES = 3_000
LEAST_SHARE = 0.05
"""A margin is claimed only where two genres have at least this share of the pages."""


def genre_mix(web: CachedWeb, extended: bool = False) -> dict[str, float]:
    """The share of each genre among the pages of a web, the largest first."""
    evidence = GenreEvidence(built_in_model(extended))
    counts = Counter(
        evidence.of_page(document).label for key in sorted(web.pages) if (document := web.document(key))
    )
    return {genre: count / len(web.pages) for genre, count in counts.most_common()}


def can_claim(mix: Mapping[str, float]) -> bool:
    """Whether a web has enough of two genres for a margin to mean something.

    >>> can_claim({"news": 0.9, "other": 0.06}), can_claim({"other": 0.99, "news": 0.01})
    (True, False)
    """
    return sum(share >= LEAST_SHARE for share in mix.values()) >= 2


class Remembered(Evidence):
    """Evidence of pages that is computed once: the runs of a sweep differ only in how they rank."""

    def __init__(self, kind: PageText | GenreEvidence) -> None:
        self.kind = kind
        self.name = kind.name
        self.facts: dict[str, Fact] = {}

    def of_page(self, document: Document) -> Fact:
        """The fact, from memory where it is known."""
        if document.url not in self.facts:
            self.facts[document.url] = self.kind.of_page(document)
        return self.facts[document.url]


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
            strategy = self.strategy(
                w_r=w_r, learn=learn, prior=str(path) if prior else "", extended=self.extended
            )
            preparation = Preparation(self.judge, TopicEvidence({}, self.web.language))
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


def pooled(cases: Sequence[Case]) -> dict[str, tuple[int, int]]:
    """The counts of P(I, G) over several topics."""
    total: dict[str, tuple[int, int]] = {}
    for case in cases:
        for name, (good, links) in case.counts().items():
            before = total.get(name, (0, 0))
            total[name] = (before[0] + good, before[1] + links)
    return total


def sweep(
    cases: Sequence[Case], prior: Counts, weights: Sequence[float] = WEIGHTS, say: Say = lambda _: None
) -> dict[float, float]:
    """The mean AUC of simulated crawls for each w_R; no link is discarded."""
    areas = {}
    for w_r in weights:
        areas[w_r] = metrics.mean_and_error([case.run(w_r, prior, learn=False).auc for case in cases]).mean
        say(f"  w_R {w_r:g}: AUC {areas[w_r]:.4f}")
    return areas


def best_weight(areas: Mapping[float, float]) -> float:
    """The w_R with the largest area; of equals the largest, which is nearest to the baseline.

    >>> best_weight({0.9: 0.5, 0.95: 0.5, 1.0: 0.4})
    0.95
    """
    return max(areas, key=lambda w_r: (areas[w_r], w_r))


def margins(cases: Sequence[Case], w_r: float, prior: Counts) -> dict[str, Any]:
    """AUC on cases that chose neither w_R nor P(I, G): baseline, counted prior, and learned on the way."""
    baseline = [case.run(1.0, None, learn=False).auc for case in cases]
    counted = [case.run(w_r, prior, learn=False).auc for case in cases]
    learned = [case.run(w_r, None, learn=True).auc for case in cases]
    return {
        "w_r": w_r,
        "baseline": baseline,
        "counted": counted,
        "learned": learned,
    }


def cases_of(
    web: CachedWeb,
    options: Options,
    random_seeds: Sequence[int],
    genres: Remembered,
    extended: bool,
    topics: int,
    say: Say,
) -> dict[str, list[Case]]:
    """The draws of each of the largest topics; one that has too few pages, or none to reach, is told."""
    cases: dict[str, list[Case]] = {}
    for topic in sorted(web.web.topics, key=lambda name: (-len(web.web.topics[name].relevant()), name)):
        try:
            cases[topic] = [make_case(web, topic, options, seed, genres, extended) for seed in random_seeds]
        except InputError as error:
            say(f"  {topic} is left out: {error}")
        if len(cases) >= topics:
            break
    return cases


def compare(
    path: Path,
    *,
    topics: int = 12,
    random_seeds: Sequence[int] = (1, 2),
    options: Options | None = None,
    extended: bool = False,
    weights: Sequence[float] = WEIGHTS,
    say: Say = lambda _: None,
) -> dict[str, Any]:
    """All figures of a web: mix, and for each half of the topics its sweep and the other's margins."""
    web = CachedWeb(VirtualWeb.open(path))
    options = options or Options()
    mix = genre_mix(web, extended)
    say(f"{path.name}: " + ", ".join(f"{genre} {share:.1%}" for genre, share in mix.items()))
    genres = Remembered(GenreEvidence(built_in_model(extended)))
    cases = cases_of(web, options, random_seeds, genres, extended, topics, say)
    names = sorted(cases)
    halves = [list(chain.from_iterable(cases[name] for name in names[part::2])) for part in (0, 1)]
    results = []
    for train, test in (halves, halves[::-1]):
        prior = pooled(train)
        areas = sweep(train, prior, weights, say)
        found = margins(test, best_weight(areas), prior)
        results.append({"sweep": areas, "prior": prior, "table": prior_table(prior), **found})
        say(f"  w_R {found['w_r']:g}; " + told(summary([results[-1]])))
    total = summary(results)
    say(f"{path.name}: {told(total)}")
    return {
        "web": path.name,
        "extended": extended,
        "mix": mix,
        "claim": can_claim(mix),
        "topics": names,
        "random_seeds": list(random_seeds),
        "pages": options.pages,
        "halves": results,
        "summary": total,
    }


def summary(results: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Means over all held-out runs, margins, and how much of the gain is left when learned."""
    columns = {
        name: list(chain.from_iterable(result[name] for result in results))
        for name in ("baseline", "counted", "learned")
    }
    means = {name: metrics.mean_and_error(values).mean for name, values in columns.items()}
    gains = {
        name: metrics.mean_and_error(
            [ours - base for ours, base in zip(columns[name], columns["baseline"], strict=True)]
        )
        for name in ("counted", "learned")
    }
    return {
        **means,
        "counted_margin": gains["counted"].mean,
        "counted_margin_se": gains["counted"].se,
        "learned_margin": gains["learned"].mean,
        "learned_margin_se": gains["learned"].se,
        "counted_p": metrics.paired_test(columns["counted"], columns["baseline"]),
        "learned_p": metrics.paired_test(columns["learned"], columns["baseline"]),
        "relative": gains["counted"].mean / means["baseline"] if means["baseline"] else 0.0,
        "runs": len(columns["baseline"]),
    }


def line(found: Mapping[str, Any]) -> str:
    """A web's line of the table in docs/strategies/genre.md."""
    mix = ", ".join(f"{genre} {share:.0%}" for genre, share in found["mix"].items() if share >= 0.005)
    total, weights = found["summary"], " and ".join(f"{half['w_r']:g}" for half in found["halves"])
    cells = [
        f"{found['web']}, {'ten' if found['extended'] else 'five'} genres ({mix})",
        f"{len(found['topics'])} × {len(found['random_seeds'])}, {found['pages']} pages",
        weights,
        f"{total['baseline']:.3f}",
        *(
            f"{total[name]:.3f} ({total[f'{name}_margin']:+.3f} ± {total[f'{name}_margin_se']:.3f}, "
            f"p {total[f'{name}_p']:.2f})"
            for name in ("counted", "learned")
        ),
    ]
    return "| " + " | ".join(cells) + " |"


def told(found: Mapping[str, float]) -> str:
    """The summary in a line."""
    return (
        f"AUC best-first {found['baseline']:.4f}, counted {found['counted']:.4f} "
        f"({found['counted_margin']:+.4f} ± {found['counted_margin_se']:.4f}, p {found['counted_p']:.3f}), "
        f"learned {found['learned']:.4f} ({found['learned_margin']:+.4f} ± {found['learned_margin_se']:.4f}, "
        f"p {found['learned_p']:.3f}); {found['runs']:.0f} runs"
    )


def _main() -> None:
    parser = ArgumentParser(description="What the genre adds to best-first on a web.")
    parser.add_argument("web", type=Path)
    parser.add_argument("--topics", type=int, default=12, help="at most, the largest first")
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--draws", type=int, default=2, help="random seeds per topic")
    parser.add_argument("--extended", action="store_true", help="ten genres")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    found = compare(
        given.web,
        topics=given.topics,
        random_seeds=range(1, given.draws + 1),
        options=Options(pages=given.pages),
        extended=given.extended,
        say=lambda text: print(text, flush=True),
    )
    print(line(found))
    if given.json:
        given.json.write_bytes(msgspec.json.encode(found))


if __name__ == "__main__":
    _main()
