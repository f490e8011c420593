"""What images bring to `fused`, and what they cost. In: webs with images. Out: the table "guided" of
docs/strategies/multimedia.md; OUT keeps every draw, and only those that are missing are made.

The same draws are crawled by `fused` with a `[multimedia]` table and without. On demo webs the built-in model of heatmaps looks,
on the encyclopaedia one that is fitted on the images of the draw's training pages: for topics that images tell
(`research.images.picture_topics`), and for those that the web comes with.

Command line: python -m research.images.guided ../shared/webs/wikischools OUT [--runs N] [--first N] [--pages N]
Expected time: parsing the web (4 minutes of CPU), and ten seconds for each topic and draw.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import msgspec

from lycosa.demo import DemoWeb
from lycosa.demo.environment import TOPIC, environment_part
from lycosa.errors import InputError
from lycosa.files import cache_directory
from lycosa.lab.cache import CachedWeb, code_digest
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
from research.images.picture_topics import MIN_PAGES, PAGE, write_web
from research.measured import ROOT, chance, commit_of, number, table, write_part

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


class Kept(msgspec.Struct, frozen=True):
    """The crawls of one draw by crawler, and the commit that they were made at."""

    commit: str
    crawls: dict[str, Guided]


def kept(path: Path, make: Callable[[], Mapping[str, Guided]]) -> Kept:
    """The crawls of a draw that are kept in a file, or else made now."""
    if not path.exists():
        path.write_bytes(msgspec.json.encode(Kept(commit_of(ROOT), dict(make()))))
        print(path.stem, flush=True)
    return msgspec.json.decode(path.read_bytes(), type=Kept)


def crawls(laboratory: Laboratory, model: str = "") -> dict[str, Guided]:
    """The draw of a laboratory by `fused` alone and with images; `model` is a file, '' the built-in one."""
    laboratory.prepare([FUSED])
    ready, web, found = laboratory.preparations[FUSED], laboratory.web, {}
    for name, settings in {ALONE: None, **GUIDED}.items():
        tables = {} if settings is None else {MULTIMEDIA: {"images": model, **settings}}
        strategy = fitted(FUSED, {}, replace(ready, options=tables))
        done = crawled(strategy, web, laboratory.topic, laboratory.draw, laboratory.options)
        images = [url for url in done.store.fetched if key_of(url, web.web.folding) not in web.pages]
        found[name] = Guided(done.measured(name, {}, laboratory.random_seed), len(images))
    return found


def on_demo_webs(out: Path, seeds: Sequence[int], options: Options) -> list[Kept]:
    """The environmental part of the demo webs of these generator seeds, one draw of each."""
    return [
        kept(
            out / f"demo-{'user' if options.given else 'seeds'}-{seed}.json",
            partial(_on_demo_web, seed, options),
        )
        for seed in seeds
    ]


def _on_demo_web(seed: int, options: Options) -> dict[str, Guided]:
    folder = cache_directory() / f"environment-{seed}-{code_digest()}"
    if not (folder / "web.toml").exists():
        DemoWeb((environment_part(seed),)).write(folder)
    return crawls(Laboratory(CachedWeb(VirtualWeb.open(folder)), TOPIC, seed, options))


def on_web(out: Path, path: Path, topics: Sequence[str], draws: Sequence[int], pages: int) -> list[Kept]:
    """The topics of a web; draws whose training pages show too few images are left out."""
    web, found = CachedWeb(VirtualWeb.open(path)), []
    features = described(web)
    for draw, topic in product(draws, topics or sorted(web.web.topics)):
        laboratory = Laboratory(web, topic, draw, Options(pages=pages))
        try:
            made = partial(crawls_by_training_images, laboratory, features, out / f"{topic}.model")
            found.append(kept(out / f"{topic}-{draw}-{pages}.json", made))
        except InputError as error:
            print(f"{topic}, draw {draw}: left out. {error}")
    return found


def crawls_by_training_images(laboratory: Laboratory, features: Features, path: Path) -> dict[str, Guided]:
    """With a model of the images that the training pages show, put into a file."""
    model = image_model(laboratory.web, laboratory.topic, laboratory.draw, features)
    model.save(path)
    remember_all(laboratory.web, ImageEvidence(model), features)
    return crawls(laboratory, str(path.absolute()))


def rows_of(where: str, made: Sequence[Kept]) -> list[list[str]]:
    """A row for each crawler: recall, AUC, how sure it is that they differ from those of `fused` alone, and images a page."""
    rows = []
    alone = [one.crawls[ALONE].run for one in made]
    for name in (ALONE, *GUIDED):
        found = [one.crawls[name] for one in made]
        recalls, areas = [one.run.recall for one in found], [one.run.auc for one in found]
        p = [
            "" if name == ALONE else chance(paired_test(values, before))
            for values, before in (
                (recalls, [one.recall for one in alone]),
                (areas, [one.auc for one in alone]),
            )
        ]
        images = sum(one.images for one in found) / sum(len(one.run.fetched) for one in found)
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
    draws = range(given.first, given.first + given.runs)
    out, pages = given.out, given.pages
    out.mkdir(parents=True, exist_ok=True)
    counts = write_web(CachedWeb(VirtualWeb.open(given.web)), out / "pictures")
    pictures = [topic for topic, there in counts.items() if there >= MIN_PAGES]
    demo = range(given.first, given.first + DEMO_WEBS)
    as_user = Options(pages=DEMO_PAGES, given=parse_given(AS_USER))
    found = {
        f"encyclopaedia, picture topics, {pages} pages": on_web(
            out, out / "pictures", pictures, draws, pages
        ),
        f"encyclopaedia, its own topics, {pages} pages": on_web(out, given.web, [], draws, pages),
        f"air quality, demo webs, {DEMO_PAGES} pages": on_demo_webs(out, demo, Options(pages=DEMO_PAGES)),
        f"the same, as a user, {DEMO_PAGES} pages": on_demo_webs(out, demo, as_user),
    }
    rows = [row for where, made in found.items() for row in rows_of(where, made)]
    told = table(["topics", "crawler", "crawls", "recall", "p", "AUC", "p", "images a page"], rows)
    print(told)
    commits = sorted({one.commit for made in found.values() for one in made})
    if given.first == 1:
        write_part(PAGE, "guided", f"{told}\n\nMeasured at {', '.join(commits)}.")


if __name__ == "__main__":
    main()
