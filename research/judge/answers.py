"""Whether what was chosen of learning from answers holds for topics that it was not chosen on. In: a web. Out: a table.

How far answers move the log odds of all pages (`PRIOR_SHIFT`), and of pages like the answered ones (`PRIOR_WORDS`), was
chosen by hand. Here each topic gets the setting that is best on all others, and F1 after 20 answers to what is asked is
compared with that of the shipped setting; writes its part of docs/labels.md.

Command line: python -m research.judge.answers ../shared/webs/wikischools KEPT [DRAWS]      (default: 1 draw)
Expected time: 1 minute of CPU a draw
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from unittest.mock import patch

import msgspec

from lycosa.judge import calibration, fit
from lycosa.lab import metrics
from lycosa.lab.cache import CachedWeb
from lycosa.lab.grid import chosen_topics
from lycosa.lab.web import VirtualWeb
from research.label_figures import ANSWERS, ASKED, PAGE, Interview
from research.measured import ROOT, commit_of, number, table, write_part

Setting = tuple[float, float]
"""The deviations of a shift, and of what words add."""
SETTINGS: tuple[Setting, ...] = tuple(product((0.35, 0.7), (2.0, 4.0, 6.0)))


class Answered(msgspec.Struct, frozen=True):
    """F1 of one crawl after all answers, with one setting; and what it was before."""

    topic: str
    setting: Setting
    before: float
    f1: float


class Answering(msgspec.Struct, frozen=True):
    """All that was measured, and at which commit."""

    commit: str
    answered: list[Answered]


def measure(path: Path, draws: int) -> list[Answered]:
    """Every topic and draw, with every setting."""
    web = VirtualWeb.open(path)
    pages, found = CachedWeb(web), []
    for topic in chosen_topics(web, ()):
        for seed in range(1, draws + 1):
            interview = Interview(pages, topic, seed)
            for shift, words in SETTINGS:
                with (
                    patch.multiple(calibration, PRIOR_SHIFT=shift, PRIOR_WORDS=words),
                    patch.object(fit, "PRIOR_WORDS", words),
                ):
                    f1 = interview.answer(ASKED).f1
                found.append(Answered(topic, (shift, words), f1[0], f1[-1]))
    return found


def best_of(by_topic: Mapping[str, Mapping[Setting, float]], topics: Sequence[str]) -> Setting:
    """The setting with the best F1 in the mean over topics.

    >>> best_of({"owls": {(1.0, 2.0): 0.4, (1.0, 4.0): 0.5}}, ["owls"])
    (1.0, 4.0)
    """
    settings = by_topic[topics[0]]
    return max(settings, key=lambda setting: sum(by_topic[topic][setting] for topic in topics))


def summary(answering: Answering) -> str:
    """The settings, and what it costs each topic to have no say in the choice."""
    shipped = (calibration.PRIOR_SHIFT, calibration.PRIOR_WORDS)
    topics = sorted({one.topic for one in answering.answered})
    by_topic = {
        topic: {
            setting: _mean(
                [one.f1 for one in answering.answered if (one.topic, one.setting) == (topic, setting)]
            )
            for setting in SETTINGS
        }
        for topic in topics
    }
    chosen = {topic: best_of(by_topic, [one for one in topics if one != topic]) for topic in topics}
    rows = [
        [f"{shift:g}", f"{words:g}", number(_mean([by_topic[topic][shift, words] for topic in topics])),
         str(sum(one == (shift, words) for one in chosen.values()))]
        for shift, words in SETTINGS
    ]  # fmt: skip
    before = _mean([one.before for one in answering.answered])
    left_out = _mean([by_topic[topic][chosen[topic]] for topic in topics])
    ours = _mean([by_topic[topic][shipped] for topic in topics])
    heads = ["shift", "words", f"F1 at {ANSWERS}, mean of topics", "topics it is chosen for by the others"]
    return (
        f"{table(heads, rows)}\n\nBefore any answer F1 is {number(before)}. With the setting that is best on the other topics "
        f"each time it is {number(left_out)} after {ANSWERS} answers; with the shipped one ({shipped[0]:g}, {shipped[1]:g}) "
        f"{number(ours)}. {len(topics)} topics, {len(answering.answered) // len(SETTINGS)} crawls, measured at {answering.commit}."
    )


def _mean(values: Sequence[float]) -> float:
    return metrics.mean_and_error(values).mean


def main(web: Path, kept: Path, draws: int = 1) -> None:
    """Measure what is not kept yet, and write the table."""
    path = kept / "answers.json"
    if not path.exists():
        path.write_bytes(msgspec.json.encode(Answering(commit_of(ROOT), measure(web, draws))))
    write_part(PAGE, "leave-topics-out", summary(msgspec.json.decode(path.read_bytes(), type=Answering)))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), *map(int, sys.argv[3:4]))
