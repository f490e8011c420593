"""What a crawl is prepared from: the pages and files that its spec names, labels, and the collection's own pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from lycosa.engine.start.of_language import can_do_without_pages, model_of_language
from lycosa.engine.start.topic import Labelled, TopicModel, prepared_topic
from lycosa.evidence.text_model import TextModel
from lycosa.learn.training.example import ExamplePage
from lycosa.learn.training.fitting import fit_in_child, model_path, saved_models
from lycosa.learn.training.text import Label
from lycosa.methods import Means
from lycosa.spec.sections import TopicSpec


@dataclass(frozen=True, slots=True)
class CrawlMaterial:
    """The material of a crawl.

    `fitted` is where classifiers are saved. `unlabelled` gives pages of which nothing is known, to fit them
    with; without it, as when a spec is only checked, none is fitted.
    """

    spec: TopicSpec
    means: Means
    fitted: Path
    labelled: Callable[[], Labelled] = Labelled
    unlabelled: Callable[[], Sequence[ExamplePage]] | None = None

    async def topic(self) -> TopicModel:
        """The saved topic, or one made of what the spec and the labels say."""
        return await prepared_topic(
            self.spec, self.means.folder, self.means.models, self.means.get, self.means.say, self.labelled
        )

    def classifiers(self, wants: Sequence[str], topic: TopicModel) -> dict[str, TextModel]:
        """Those that the user named or an earlier run fitted; the others are fitted on the topic's examples."""
        found = saved_models(wants, self.fitted)
        if self.spec.model and "text" in wants:
            found["text"] = TextModel.load(self.means.folder / self.spec.model)
        missing = [name for name in wants if name not in found]
        if not missing or self.unlabelled is None:
            return found
        unlabelled = () if topic.negatives else self.unlabelled()
        if not topic.negatives and not unlabelled and can_do_without_pages(missing, topic.language):
            self.fitted.mkdir(parents=True, exist_ok=True)
            model = model_of_language(topic)
            for name in missing:
                model.save(model_path(self.fitted, name))
            return found | dict.fromkeys(missing, model)
        self.means.say(f"Training on {len(topic.examples)} examples: {', '.join(missing)}.")
        pages = {
            Label.POSITIVE: topic.examples,
            Label.NEGATIVE: topic.negatives,
            Label.UNLABELLED: unlabelled,
        }
        about = {"language": topic.language, "from": "the examples of the crawl"}
        return found | fit_in_child(missing, pages, self.fitted, about)
