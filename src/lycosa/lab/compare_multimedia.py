"""The multimedia crawler against the same one without images, on topics of any virtual web with images.

In: a web. Out: a table of harvest by topic. The image class is what the topic's training pages show, against
the images of other training pages; the link classifier learns from the labelled links of the same pages.
"""

from __future__ import annotations

import asyncio
import csv
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from lycosa.errors import InputError
from lycosa.evidence.images import ImageEvidence, ImageModel, is_small, read_image, size_of
from lycosa.evidence.images.model import Singles, describe
from lycosa.evidence.text_model import TextModel
from lycosa.evidence.topic import TopicEvidence
from lycosa.lab.cache import CachedWeb
from lycosa.lab.grid import chosen_topics
from lycosa.lab.measure_multimedia import Remembered
from lycosa.lab.metrics import Mean, mean_and_error
from lycosa.lab.protocol import Draw, Options, draw
from lycosa.lab.run import Run, run_strategy
from lycosa.lab.seeing import images_of, remember
from lycosa.lab.web import Topic, VirtualWeb
from lycosa.strategies.judges import EveryPage
from lycosa.strategies.multimedia import Multimedia
from lycosa.strategies.preparation import Preparation
from lycosa.train.images import Examples, Setting, fit_images
from lycosa.train.links import links_of, train_links
from lycosa.train.text import Example, Label
from lycosa.values import Refusal

RUNS, PAGES = 3, 300
MOST_LINKS = 1500
"""Links that the classifier learns from: support vector machines slow down with their square."""
FEWEST_IMAGES, MOST_OTHERS = 5, 400
"""A topic whose training pages show fewer images is left out; so many other pages lend theirs."""
SETTING = (Setting(3.0, 1.0, True),)
VARIANTS: dict[str, dict[str, Any]] = {
    "text only, t1 = 0.5": {"selection": "text", "t1": 0.5},
    "text only, t1 = 0.1": {"selection": "text", "t1": 0.1},
    "either, t1 = 0.5, t2 = 0.1": {"selection": "either", "t1": 0.5, "t2": 0.1},
    "either, t1 = 0.5, t2 = 0": {"selection": "either", "t1": 0.5, "t2": 0.0},
    "text only, t1 = 0": {"selection": "text", "t1": 0.0},
    "either, t1 = 0.1, t2 = 0": {"selection": "either", "t1": 0.1, "t2": 0.0},
}

Features = Mapping[int, Singles]
"""The feature vectors of a web's images, by key."""


def compare(
    web: Path,
    out: Path,
    say: Callable[[str], None],
    topics: Sequence[str] = (),
    runs: int = RUNS,
    pages: int = PAGES,
) -> dict[tuple[str, str], list[Run]]:
    """Crawl for every topic with and without images; topics whose pages show too few images are left out."""
    cached = CachedWeb(VirtualWeb.open(web))
    features = asyncio.run(_described(cached))
    say(f"{len(features)} images of {cached.web.title} described")
    options = Options(pages=pages)
    found: dict[tuple[str, str], list[Run]] = {}
    for name in chosen_topics(cached.web, topics):
        try:
            for seed in range(1, runs + 1):
                for variant, run in _runs(cached, cached.web.topic(name), features, options, seed):
                    found.setdefault((name, variant), []).append(run)
        except InputError as error:
            say(f"{name}: left out. {error}")
            continue
        say(f"{name}: " + "; ".join(f"{v}: {_told(found[name, v])}" for v in VARIANTS))
    _write(found, out / "comparison.csv")
    return found


def _runs(
    web: CachedWeb, topic: Topic, features: Features, options: Options, seed: int
) -> list[tuple[str, Run]]:
    start = [key for key in web.start if key in web.graph]
    drawn = draw(topic, web.pages, web.graph, start, options, seed)
    links = _link_model(web, topic, drawn, seed)
    images = ImageEvidence(_image_model(web, topic, drawn, features))
    keys = list(features)
    facts = images.model.facts(_stacked(features, keys)) if keys else []
    remember(web, images, dict(zip(keys, facts, strict=True)))
    ready = Preparation(EveryPage(), TopicEvidence({}), models={"text": links})
    scores: dict[str, Sequence[float] | None] = {}
    runs = []
    for name, settings in VARIANTS.items():
        strategy = Multimedia(**settings).fit(ready)
        strategy.needs = tuple(
            images if kind.name == "image" else Remembered(kind, scores) if kind.name == "link_text" else kind
            for kind in strategy.needs
        )
        runs.append((name, run_strategy(name, strategy, settings, web, topic, drawn, options, seed)))
    return runs


def _link_model(web: CachedWeb, topic: Topic, drawn: Draw, seed: int) -> TextModel:
    """Learned from the links of the training pages, labelled by where they lead (the paper's 711 links)."""
    relevant = topic.relevant()
    examples: list[Example] = []
    for key in (*drawn.positives, *drawn.negatives):
        if document := web.document(key):
            inside = [e for e in links_of(document, lambda link: link.key in relevant, str(key)) if e.terms]
            examples += inside
    positive = [example for example in examples if example.label is Label.POSITIVE]
    negative = [example for example in examples if example.label is Label.NEGATIVE]
    kept = Random(seed).sample(negative, min(len(negative), max(MOST_LINKS - len(positive), 100)))
    return train_links(positive[:MOST_LINKS] + kept, weights=(1.0,), gammas=(0.1,))


def _image_model(web: CachedWeb, topic: Topic, drawn: Draw, features: Features) -> ImageModel:
    outside = sorted(web.pages - topic.relevant())
    others = Random(f"{topic.name} others").sample(outside, min(MOST_OTHERS, len(outside)))
    labels: dict[int, str] = {}
    for label, pages in (("other", (*drawn.negatives, *others)), (topic.name, drawn.positives)):
        for key in pages:
            document = web.document(key)
            labels |= {
                image.key: label for image in (document.images if document else ()) if image.key in features
            }
    shown = list(labels.values()).count(topic.name)
    if shown < FEWEST_IMAGES:
        raise InputError(f"Its training pages show only {shown} images.")
    keys = list(labels)
    sources = tuple(str(key) for key in keys)
    examples = Examples(_stacked(features, keys), tuple(labels.values()), sources, ())
    return fit_images(examples, rest="other", settings=SETTING)


def _stacked(features: Features, keys: Sequence[int]) -> Singles:
    import numpy as np

    return np.stack([features[key] for key in keys])


async def _described(web: CachedWeb) -> dict[int, Singles]:
    described = {}
    async for key, body in images_of(web):
        size = size_of(body[:65_536])
        pixels = read_image(body) if size is None or not is_small(*size) else None
        if pixels is not None and not isinstance(pixels, Refusal):
            described[key] = describe(pixels)
    return described


def _told(runs: Sequence[Run]) -> str:
    mean = _harvest(runs)
    return f"harvest {mean.mean:.3f} ± {mean.se:.3f}, {sum(len(run.fetched) for run in runs) / len(runs):.0f} pages"


def _harvest(runs: Sequence[Run]) -> Mean:
    return mean_and_error([run.harvest for run in runs])


def _write(found: Mapping[tuple[str, str], Sequence[Run]], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["topic", "crawler", "harvest", "standard error", "recall", "pages"])
        for (topic, variant), runs in found.items():
            mean, recall = _harvest(runs), mean_and_error([run.recall for run in runs]).mean
            pages = sum(len(run.fetched) for run in runs) / len(runs)
            rows.writerow(
                [topic, variant, f"{mean.mean:.4f}", f"{mean.se:.4f}", f"{recall:.4f}", f"{pages:.0f}"]
            )
    (path.with_suffix(".json")).write_bytes(
        msgspec.json.encode({f"{topic}: {variant}": list(runs) for (topic, variant), runs in found.items()})
    )
