"""What a strategy is prepared from: the topic as the user gave it, and where models are kept."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lycosa.evidence.topic import TopicEvidence
from lycosa.strategies.judges import Judge


@dataclass(frozen=True, slots=True)
class Preparation:
    """Handed to `Strategy.fit`.

    `examples` are term counts of relevant pages; `topic` is the topic vector made of them, of the
    keywords and of the description. `models` is where fitted models are saved (None: nowhere).
    """

    judge: Judge
    topic: TopicEvidence
    examples: tuple[dict[str, int], ...] = ()
    negatives: tuple[dict[str, int], ...] = ()
    models: Path | None = None
    random_seed: int = 1
