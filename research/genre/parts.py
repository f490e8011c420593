"""Which part of the genre's term helps or harms: C · P(I, G), P(I, G) without C, C without P.

In: the web of news, and the demo web. Out: how the area under the coverage curve differs from best-first, a table of
docs/strategies/genre.md. P(I, G) is counted on the same topics: this explains what a sweep found, and chooses nothing.

Command line: python -m research.genre.parts ../shared/webs KEPT
Expected time: half a minute of CPU; KEPT is a folder where the demo web is written.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from lycosa.lab.cache import CachedWeb
from lycosa.lab.metrics import Mean, mean_and_error
from lycosa.lab.protocol import Options
from lycosa.lab.web import VirtualWeb
from lycosa.methods.genre.evidence import GenreEvidence, built_in_model
from lycosa.methods.genre.paper.crawls import Case, Remembered, RememberingGenre
from lycosa.methods.genre.strategy import genre_priority
from lycosa.values import Category, Decision, Judgement, Page, Say, fact_of
from research.genre.crawls import PAGE, cases_of, pooled
from research.measured import ROOT, commit_of, number, table, web_of, write_part

W_R = 0.9
PAGES, TOPICS = 200, 12
WEBS = ("demo", "news")


class WithoutConfidence(RememberingGenre):
    """S = w_R · R + w_G · P(I, G)."""

    def rank(self, page: Page, judgement: Judgement) -> list[Decision]:
        """All links of a page alike."""
        leads = self.prior_.probability(judgement.relevant, fact_of(page.evidence, "genre", Category).label)
        return _alike(page, genre_priority(judgement.score, 1.0, leads, self.w_r))


class WithoutGenre(RememberingGenre):
    """S = w_R · R + w_G · C · P(I): the genre itself plays no part, only how sure the forest is of it."""

    def rank(self, page: Page, judgement: Judgement) -> list[Decision]:
        """All links of a page alike."""
        leads = self.prior_.probability(judgement.relevant, "")
        return _alike(
            page,
            genre_priority(judgement.score, fact_of(page.evidence, "genre", Category).value, leads, self.w_r),
        )


PARTS: dict[str, type[RememberingGenre]] = {
    "C · P(I, G), the paper's": RememberingGenre,
    "P(I, G), without C": WithoutConfidence,
    "C · P(I), without the genre": WithoutGenre,
}


def _alike(page: Page, priority: float) -> list[Decision]:
    return [Decision(link, priority) for link in page.links]


def parts(cases: Sequence[Case], say: Say) -> tuple[Mean, dict[str, Mean]]:
    """The area of best-first, and how much each variant of the term adds to it at w_R = 0.9."""
    prior = pooled(cases)
    base = [case.run(1.0, None, learn=False).auc for case in cases]
    say(f"best-first: AUC {mean_and_error(base).mean:.3f}, {len(cases)} topics")
    found = {}
    for name, kind in PARTS.items():
        areas = [replace(case, strategy=kind).run(W_R, prior, learn=False).auc for case in cases]
        found[name] = mean_and_error([ours - theirs for ours, theirs in zip(areas, base, strict=True)])
        say(f"{name}: {found[name].mean:+.3f} ± {found[name].se:.3f}")
    return mean_and_error(base), found


def main(webs: Path, folder: Path) -> None:
    """Take the term apart on both webs, and write the table."""
    folder.mkdir(parents=True, exist_ok=True)
    genres, commit = Remembered(GenreEvidence(built_in_model(True))), commit_of(ROOT)
    heads, columns = ["term beside R"], []
    for name in WEBS:
        web = CachedWeb(VirtualWeb.open(web_of(name, webs, folder)))
        made = cases_of(web, Options(pages=PAGES), (1,), genres, extended=True, topics=TOPICS, say=print)
        base, found = parts([one for group in made.values() for one in group], partial(print, flush=True))
        heads.append(f"{name}, {len(made)} topics (best-first: {number(base.mean)})")
        columns.append([f"{number(found[part].mean)} ± {number(found[part].se)}" for part in PARTS])
    rows = [[part, *(column[at] for column in columns)] for at, part in enumerate(PARTS)]
    write_part(PAGE, "parts", f"{table(heads, rows)}\n\nMeasured at {commit}, {PAGES} pages.")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
