"""Compare the multimedia crawler with and without images on the topics of any virtual web with images.

Image class, T and P are learned from a run's training pages alone.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import numpy as np

from lycosa.errors import InputError
from lycosa.evidence.text_model import TextModel
from lycosa.files import cache_directory
from lycosa.learn.training.text import Example, Label
from lycosa.methods.multimedia.image_training import Examples, Setting, fit_images
from lycosa.methods.multimedia.images import ImageEvidence, ImageModel, read_image
from lycosa.methods.multimedia.images.descriptors import Singles
from lycosa.methods.multimedia.images.model import describe
from lycosa.methods.multimedia.link_training import links_of, train_links
from lycosa.methods.multimedia.strategy import Multimedia
from lycosa.page.images.image_size import is_small, size_of
from lycosa.values import Refusal, Say
from lycosa_lab.grids.grid import Laboratory, chosen_topics
from lycosa_lab.grids.progress import Bar
from lycosa_lab.metrics import mean_and_error, paired_test
from lycosa_lab.papers.output import write_table
from lycosa_lab.papers.remembered import Remembered
from lycosa_lab.runs.protocol import Draw, Options
from lycosa_lab.runs.run import Run, run_strategy
from lycosa_lab.webs.cache import CachedWeb, all_code_digest, content_digest
from lycosa_lab.webs.seen_images import images_of, remember
from lycosa_lab.webs.web import Topic, VirtualWeb

RUNS, PAGES = 5, 300
SHARING = ("storms", "chemical-elements", "birds")
"""Topics whose pages share a kind of picture; a web without them is compared on all of its topics."""
MAX_LINKS = 1500
"""Links that the classifier learns from: support vector machines slow down with their square."""
FEWEST_IMAGES = 5
"""A topic whose training pages show fewer images is left out."""
SETTING = (Setting(3.0, 1.0, True),)
TEXT_ONLY = "f', t1 = 0"
"""The baseline: every link by its text, best first."""
VARIANTS: dict[str, dict[str, Any]] = {
    TEXT_ONLY: {"selection": "text", "t1": 0.0},
    "f', t1 = 0.1": {"selection": "text", "t1": 0.1},
    "f', t1 = 0.5": {"selection": "text", "t1": 0.5},
    "f_S, t1 = 0.1, t2 = 0": {"selection": "either", "t1": 0.1, "t2": 0.0},
    "f_S, t1 = 0.5, t2 = 0": {"selection": "either", "t1": 0.5, "t2": 0.0},
    "f_S, t1 = 0.5, t2 = 0.1": {"selection": "either", "t1": 0.5, "t2": 0.1},
    "f_S, t1 = 0.1, t2 = 0, fade = 10": {"selection": "either", "t1": 0.1, "t2": 0.0, "fade": 10.0},
    "f_S, t1 = 0.1, t2 = 0, target = 0.5": {"selection": "either", "t1": 0.1, "t2": 0.0, "target": 0.5},
    "f', t1 = 0, parent = 0.3": {"selection": "text", "t1": 0.0, "parent": 0.3},
    "f_S, t1 = 0.1, t2 = 0, parent = 0.3": {"selection": "either", "t1": 0.1, "t2": 0.0, "parent": 0.3},
}

Features = Mapping[int, Singles]
"""The feature vectors of a web's images, by key."""
Compared = dict[tuple[str, str], list[Run]]
"""The runs of each (topic, crawler), in the order of the random seeds."""


def compare(
    web: Path,
    out: Path,
    say: Say,
    topics: Sequence[str] = (),
    runs: int = RUNS,
    pages: int = PAGES,
) -> Compared:
    """Crawl for every topic with and without images; topics whose pages show too few images are left out."""
    cached = CachedWeb(VirtualWeb.open(web))
    say("Reading all pages and describing all images (minutes; kept for the next time) …")
    features = described(cached)
    say(f"{len(features)} images of {cached.web.title} described")
    wanted = list(topics) or [name for name in SHARING if name in cached.web.topics]
    names = chosen_topics(cached.web, wanted)
    found: Compared = {}
    with Bar("Draws") as bar:
        for number, name in enumerate(names):
            try:
                for seed in range(1, runs + 1):
                    laboratory = Laboratory(cached, name, seed, Options(pages=pages))
                    for variant, run in _runs(laboratory, features):
                        found.setdefault((name, variant), []).append(run)
                    bar.update(number * runs + seed, len(names) * runs)
            except InputError as error:
                say(f"{name}: left out. {error}")
    out.mkdir(parents=True, exist_ok=True)
    _write(found, out / "comparison.csv")
    for line in told(found):
        say(line)
    return found


def told(found: Compared) -> list[str]:
    """For each crawler the harvest over all topics and draws, and p against the baseline (Wilcoxon, paired)."""
    by_variant: dict[str, list[float]] = {}
    for (_, variant), runs in sorted(found.items()):
        by_variant.setdefault(variant, []).extend(len_relevant(run) for run in runs)
    lines = []
    for variant in VARIANTS:
        values = by_variant.get(variant, [])
        mean = mean_and_error(values)
        p = paired_test(values, by_variant.get(TEXT_ONLY, []))
        lines.append(
            f"{variant}: {mean.mean:.1f} ± {mean.se:.1f} relevant pages, {len(values)} draws, p {p:.3f}"
        )
    return lines


def len_relevant(run: Run) -> float:
    """Relevant pages that a run fetched."""
    return float(run.curve[-1]) if run.curve else 0.0


def _runs(laboratory: Laboratory, features: Features) -> list[tuple[str, Run]]:
    web, topic, drawn = laboratory.web, laboratory.topic, laboratory.draw
    images = ImageEvidence(image_model(web, topic, drawn, features))
    laboratory.prepare(["multimedia"])
    links = _link_model(web, topic, drawn, laboratory.random_seed)
    remember_all(web, images, features)
    ready = laboratory.preparations["multimedia"]
    models = {**ready.models, "text": links}
    ready = type(ready)(ready.judge, ready.topic, ready.examples, models, random_seed=laboratory.random_seed)
    known: dict[tuple[str, str, str], Any] = {}
    runs = []
    for name, settings in VARIANTS.items():
        strategy = Multimedia(**settings).fit(ready)
        strategy.needs = tuple(
            images if isinstance(kind, ImageEvidence) else Remembered(kind, known) for kind in strategy.needs
        )
        seed = laboratory.random_seed
        runs.append(
            (name, run_strategy(name, strategy, settings, web, topic, drawn, laboratory.options, seed))
        )
    return runs


def remember_all(web: CachedWeb, images: ImageEvidence, features: Features) -> None:
    """Let the lab know what a model says of all images of a web, by what they were described as."""
    keys = list(features)
    remember(web, images, dict(zip(keys, images.model.facts(_stacked(features, keys)), strict=True)))


def _link_model(web: CachedWeb, topic: Topic, drawn: Draw, seed: int) -> TextModel:
    """Learned from the links of the training pages, labelled by where they lead (the paper's 711 links)."""
    relevant = topic.relevant()
    examples: list[Example] = []
    for key in (*drawn.positives, *drawn.negatives):
        if document := web.document(key):
            examples += links_of(document, lambda link: link.key in relevant, str(key))
    positive = [example for example in examples if example.label is Label.POSITIVE]
    negative = [example for example in examples if example.label is Label.NEGATIVE]
    kept = Random(seed).sample(negative, min(len(negative), max(MAX_LINKS - len(positive), 100)))
    return train_links(positive[:MAX_LINKS] + kept, weights=(1.0,), gammas=(0.1,))


def image_model(web: CachedWeb, topic: Topic, drawn: Draw, features: Features) -> ImageModel:
    """The images of the relevant training pages against those of the others."""
    labels: dict[int, str] = {}
    for label, pages in (("other", drawn.negatives), (topic.name, drawn.positives)):
        for key in pages:
            document = web.document(key)
            labels |= {
                image.key: label for image in (document.images if document else ()) if image.key in features
            }
    for label in (topic.name, "other"):
        if (shown := list(labels.values()).count(label)) < FEWEST_IMAGES:
            raise InputError(f"Its training pages show only {shown} images of the class {label}.")
    keys = list(labels)
    sources = tuple(str(key) for key in keys)
    examples = Examples(_stacked(features, keys), tuple(labels.values()), sources, ())
    return fit_images(examples, rest="other", settings=SETTING)


def _stacked(features: Features, keys: Sequence[int]) -> Singles:
    return np.stack([features[key] for key in keys])


def described(web: CachedWeb) -> dict[int, Singles]:
    """All images of a web that are large enough, described; kept on disk for the next comparison."""
    path = cache_directory() / "images" / f"{content_digest(web.web)}-{all_code_digest()}.npz"
    try:
        with np.load(path) as stored:
            return dict(zip(stored["keys"].tolist(), stored["features"], strict=True))
    except (OSError, ValueError, KeyError):
        described = asyncio.run(_look(web))
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez(
        path, keys=np.array(list(described), np.int64), features=np.array([*described.values()], np.float32)
    )
    return described


async def _look(web: CachedWeb) -> dict[int, Singles]:
    described = {}
    async for key, body in images_of(web):
        size = size_of(body[:65_536])
        pixels = read_image(body) if size is None or not is_small(*size) else None
        if pixels is not None and not isinstance(pixels, Refusal):
            described[key] = describe(pixels)
    return described


def _write(found: Compared, path: Path) -> None:
    rows = []
    for (topic, variant), runs in found.items():
        values = [len_relevant(run) for run in runs]
        p = paired_test(values, [len_relevant(run) for run in found[topic, TEXT_ONLY]])
        mean, recall = mean_and_error(values), mean_and_error([run.recall for run in runs]).mean
        fetched = sum(len(run.fetched) for run in runs) / len(runs)
        figures = (f"{mean.mean:.1f}", f"{mean.se:.1f}", f"{p:.3f}", f"{recall:.3f}", f"{fetched:.0f}")
        rows.append([topic, variant, *figures])
    write_table(path, ["topic", "crawler", "relevant pages", "standard error", "p", "recall", "pages"], rows)
    path.with_suffix(".json").write_bytes(
        msgspec.json.encode({f"{topic}: {variant}": runs for (topic, variant), runs in found.items()})
    )
