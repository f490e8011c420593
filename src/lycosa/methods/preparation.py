"""What `Strategy.fit` gets: the topic as the user gave it, the judge, and fitted models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lycosa.errors import SpecError
from lycosa.evidence.text_model import TextModel
from lycosa.evidence.topic import TopicEvidence
from lycosa.learn.judges.kinds import Judge
from lycosa.learn.training.examples import ExamplePage


@dataclass(frozen=True, slots=True)
class Preparation:
    """Handed to `Strategy.fit`.

    `examples` are term counts of relevant pages; `topic` is the topic vector made of them, of the
    keywords and of the description. `models` are the fitted classifiers that the strategy `wants`;
    `methods` is what methods made of their own sections of the spec, by the method's name. Files that
    settings name begin at `folder`, where the spec is. `training` are pages of known relevance with the texts
    around their links, where these were kept (in the lab: a crawl begins at its examples and sees them there).
    `options` are the settings of strategies that the spec gives, by the strategy's name: a guide is made of its own.
    While classifiers are `missing`, as in a check, no strategy can be fitted. `source_priors` are earlier collections
    whose sources are known, `given` the URLs of pages that the user gave as relevant and that could be read.
    """

    judge: Judge
    topic: TopicEvidence
    examples: tuple[Mapping[str, int], ...] = ()
    models: Mapping[str, TextModel] = field(default_factory=dict)
    random_seed: int = 1
    methods: Mapping[str, Any] = field(default_factory=dict)
    folder: Path = Path()
    training: tuple[tuple[ExamplePage, bool], ...] = ()
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    source_priors: tuple[Path, ...] = ()
    given: tuple[str, ...] = ()

    def model(self, name: str) -> TextModel:
        """A fitted classifier by its name."""
        if name not in self.models:
            raise SpecError(
                f"This strategy needs a {name} model. Give [topic] examples to train it on, "
                "or name a trained one in the strategy's `model` setting."
            )
        return self.models[name]
