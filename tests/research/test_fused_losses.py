"""Crawlers that know a part of the truth differ from `fused` by that part alone."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from research.fused_losses import BEGUN, FUSED, SEEN, Losses

from lycosa.lab.comparing import compare
from research import fused_losses

CASE = msgspec.structs.replace(fused_losses.CASE, pages=60, runs=1)


@pytest.fixture(scope="module")
def losses(demo_folder: Path) -> Losses:
    """One draw of one topic."""
    return fused_losses.measure(demo_folder, CASE, ["owls"])


def test_who_knows_nothing_crawls_as_fused_does(losses: Losses, demo_folder: Path):
    """To the last URL."""
    (run,) = compare(demo_folder, ["fused"], topics=["owls"], options=CASE.options, runs=1).runs

    assert losses.runs[FUSED][0].fetched == run.fetched


def test_the_first_pages_are_the_oracles(losses: Losses):
    """As many relevant ones as the oracle has by then."""
    first = fused_losses.FIRST - 1

    assert losses.runs[BEGUN][0].curve[first] >= losses.runs["oracle"][0].curve[first] - 1
    assert losses.runs[SEEN][0].recall >= losses.runs[FUSED][0].recall


def test_relevant_pages_are_fetched_waiting_or_never_seen(losses: Losses):
    """The counts that the sentence below the table has."""
    (missed,) = losses.missed

    assert missed.fetched == losses.runs[FUSED][0].curve[-1]
    assert missed.fetched + missed.waiting <= missed.targets
    assert max(missed.one_parent, missed.silent) <= missed.waiting
    assert len(fused_losses.figures(losses).splitlines()) == 2 + 6 + 2
