"""What images bring to `fused`, and what they cost. In: webs with images. Out: the table "guided" of docs/strategies/multimedia.md.

The same draws are crawled by `fused` with a `[multimedia]` table and without. On demo webs the built-in model of heatmaps looks,
on the encyclopaedia one that is fitted on the images of the draw's training pages: for topics that images tell
(`tools.images.picture_topics`), and for those that the web comes with.

Command line: python -m tools.images.guided ../shared/webs/wikischools OUT [--runs N] [--first N] [--pages N]
Expected time: parsing the web (4 minutes of CPU), and ten seconds for each topic and draw.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from lycosa.demo import DemoWeb
from lycosa.demo.environment import TOPIC, environment_part
from lycosa.errors import InputError
from lycosa.lab.cache import CachedWeb, cache_directory, code_digest
from lycosa.lab.given import parse_given
from lycosa.lab.grid import Laboratory
from lycosa.lab.metrics import mean_and_error, paired_test
from lycosa.lab.protocol import Options
from lycosa.lab.run import Run, crawled
from lycosa.lab.web import VirtualWeb
from lycosa.methods.lookup import fitted
from lycosa.methods.multimedia.images import ImageEvidence
from lycosa.methods.multimedia.paper.comparison import Features, described, image_model, remember_all
from lycosa.urls import key_of
from tools.images.picture_topics import MIN_PAGES, PAGE, write_web
from tools.measured import ROOT, chance, commit_of, number, table, write_part

FUSED, MULTIMEDIA = "fused", "multimedia"
ALONE = "fused"
GUIDED: Mapping[str, Mapping[str, Any]] = {"with images": {}}
"""What `[multimedia]` has beside its model."""
DEMO_WEBS = 10
DEMO_PAGES = 100
"""Of the 355 that a demo web has."""
AS_USER = "keywords,examples:3"


class Guided(msgspec.Struct, frozen=True):
    """A crawl, and the images that it looked at."""

    run: Run
    images: int


Found = dict[str, list[Guided]]
"""The crawls of each crawler, in the same order of topics and draws."""


def crawls(laboratory: Laboratory, model: str) -> Iterator[tuple[str, Guided]]:
    """The draw of a laboratory by `fused` alone and with images; `model` is a file, '' the built-in one."""
    laboratory.prepare([FUSED])
    ready = laboratory.preparations[FUSED]
    for name, settings in {ALONE: None, **GUIDED}.items():
        tables = {} if settings is None else {MULTIMEDIA: {"images": model, **settings}}
        strategy = fitted(FUSED, {}, replace(ready, options=tables))
        done = crawled(strategy, laboratory.web, laboratory.topic, laboratory.draw, laboratory.options)
        web = laboratory.web
        images = [url for url in done.store.fetched if key_of(url, web.web.folding) not in web.pages]
        yield name, Guided(done.measured(name, {}, laboratory.random_seed), len(images))


def on_demo_webs(seeds: Sequence[int], options: Options) -> Found:
    """The environmental part of the demo webs of these generator seeds, one draw of each."""
    found: Found = {}
    for seed in seeds:
        folder = cache_directory() / f"environment-{seed}-{code_digest()}"
        if not (folder / "web.toml").exists():
            DemoWeb((environment_part(seed),)).write(folder)
        _add(found, crawls(Laboratory(CachedWeb(VirtualWeb.open(folder)), TOPIC, seed, options), ""))
    return found


def on_web(web: CachedWeb, topics: Sequence[str], draws: Sequence[int], pages: int, out: Path) -> Found:
    """The topics of a web; one whose training pages show too few images is left out."""
    features, found = described(web), Found()
    for topic in topics:
        try:
            for draw in draws:
                laboratory = Laboratory(web, topic, draw, Options(pages=pages))
                _add(found, crawls(laboratory, _fitted(laboratory, features, out / f"{topic}.model")))
        except InputError as error:
            print(f"{topic}: left out. {error}")
    return found


def _fitted(laboratory: Laboratory, features: Features, path: Path) -> str:
    """A model of the images that the training pages show, as a file that `multimedia.images` can name."""
    model = image_model(laboratory.web, laboratory.topic, laboratory.draw, features)
    model.save(path)
    remember_all(laboratory.web, ImageEvidence(model), features)
    return str(path.absolute())


def _add(found: Found, made: Iterator[tuple[str, Guided]]) -> None:
    for name, one in made:
        found.setdefault(name, []).append(one)


def rows_of(where: str, found: Found) -> list[list[str]]:
    """A row for each crawler: recall, AUC, how sure it is that they differ from those of `fused` alone, and images a page."""
    rows = []
    for name, made in found.items():
        recalls, areas = [one.run.recall for one in made], [one.run.auc for one in made]
        alone = [one.run for one in found[ALONE]]
        p = [
            "" if name == ALONE else chance(paired_test(values, before))
            for values, before in (
                (recalls, [one.recall for one in alone]),
                (areas, [one.auc for one in alone]),
            )
        ]
        images = sum(one.images for one in made) / sum(len(one.run.fetched) for one in made)
        rows.append([where, name, str(len(made)), _mean(recalls), p[0], _mean(areas), p[1], f"{images:.2f}"])
    return rows


def _mean(values: Sequence[float]) -> str:
    told = mean_and_error(values)
    return f"{number(told.mean)} ± {number(told.se)}"


def main() -> None:
    """Crawl, keep the crawls, and write the table."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("web", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument(
        "--first", type=int, default=1, help="The first draw; the page is written of draws 1 and on only."
    )
    parser.add_argument("--pages", type=int, default=200)
    given = parser.parse_args()
    commit, draws = commit_of(ROOT), range(given.first, given.first + given.runs)
    given.out.mkdir(parents=True, exist_ok=True)
    demo = range(given.first, given.first + DEMO_WEBS)
    as_user = Options(pages=DEMO_PAGES, given=parse_given(AS_USER))
    found = {
        f"air quality, demo webs, {DEMO_PAGES} pages": on_demo_webs(demo, Options(pages=DEMO_PAGES)),
        f"the same, as a user, {DEMO_PAGES} pages": on_demo_webs(demo, as_user),
    }
    counts = write_web(CachedWeb(VirtualWeb.open(given.web)), given.out / "pictures")
    pictures = [topic for topic, pages in counts.items() if pages >= MIN_PAGES]
    for where, folder, topics in (
        ("picture topics", given.out / "pictures", pictures),
        ("its own topics", given.web, []),
    ):
        web = CachedWeb(VirtualWeb.open(folder))
        names = topics or sorted(web.web.topics)
        found[f"encyclopaedia, {where}, {given.pages} pages"] = on_web(
            web, names, draws, given.pages, given.out
        )
    (given.out / "guided.json").write_bytes(msgspec.json.encode(found))
    rows = [row for where, made in found.items() for row in rows_of(where, made)]
    told = table(["topics", "crawler", "crawls", "recall", "p", "AUC", "p", "images a page"], rows)
    print(told)
    if given.first == 1:
        write_part(PAGE, "guided", f"{told}\n\nMeasured at {commit}.")


if __name__ == "__main__":
    main()
