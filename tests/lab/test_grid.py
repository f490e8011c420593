"""Grids of runs: the same random seed gives the same result, to the last URL."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

import lycosa
from lycosa.engine.processes.analysis import InlineAnalyser, Recipe
from lycosa.errors import InputError, LycosaError, SpecError
from lycosa.files import cache_directory
from lycosa.values import Fetched, Link, Page
from lycosa_lab import results
from lycosa_lab.grids.grid import Laboratory, by_variant, run_grid
from lycosa_lab.grids.variants import Variant, variants
from lycosa_lab.plots import plot_curves
from lycosa_lab.runs.protocol import Options
from lycosa_lab.runs.run import Run
from lycosa_lab.webs.cache import CachedWeb
from lycosa_lab.webs.web import VirtualWeb

FLOORS = tomllib.loads((Path(__file__).parents[2] / "lab" / "floors.toml").read_text())
SMALL = Options(pages=40)


def test_a_cached_page_equals_a_parsed_one(web: CachedWeb):
    """The cache changes nothing but the time."""
    archive = web.web.archive
    inline = InlineAnalyser(Recipe(folding=web.web.folding))
    for key in sorted(web.pages)[::40]:
        link = Link(web.url(key), key)
        fetched = asyncio.run(archive.fetch(link))
        assert isinstance(fetched, Fetched)
        parsed = asyncio.run(inline.analyse(fetched))
        cached = asyncio.run(web.analyse(asyncio.run(web.fetch(link))))  # type: ignore[arg-type]

        assert isinstance(parsed, Page)
        assert parsed == cached


def test_results_do_not_depend_on_the_number_of_processes(
    web: CachedWeb, demo_folder: Path, monkeypatch, tmp_path
):
    """One process or two: the same URLs in the same order. Parsed pages they share, finished runs they do not."""
    wanted = variants(["best-first", "selective"], [])
    pages = [path for path in cache_directory().iterdir() if path.name != "runs"]
    orders = []
    for processes in (1, 2):
        own = tmp_path / str(processes)
        own.mkdir()
        for path in pages:
            (own / path.name).symlink_to(path)
        monkeypatch.setenv("LYCOSA_CACHE", str(own))
        runs = run_grid(demo_folder, ["owls", "bread"], wanted, SMALL, random_seeds=[1], processes=processes)
        orders.append([(run.strategy, run.topic, run.fetched) for run in runs])

    assert orders[0] == orders[1]


def test_a_finished_grid_is_read_again(demo_folder: Path, monkeypatch):
    """The second time nothing is run."""
    wanted = variants(["breadth-first"], [])
    first = run_grid(demo_folder, ["comets"], wanted, SMALL, random_seeds=[7], processes=1)
    monkeypatch.setattr(Laboratory, "__init__", None)

    assert run_grid(demo_folder, ["comets"], wanted, SMALL, random_seeds=[7], processes=1) == first


def test_a_web_without_page_types_is_cached_apart(demo_folder: Path, tmp_path: Path):
    """Pages parsed when a web had no page types are not taken for those with their path strings."""
    for name in ("web.toml", "labels.csv", *(path.name for path in demo_folder.glob("*.warc.gz"))):
        (tmp_path / name).write_bytes((demo_folder / name).read_bytes())
    bare = CachedWeb(VirtualWeb.open(tmp_path))
    typed = CachedWeb(VirtualWeb.open(demo_folder))
    key = next(iter(typed.web.page_types))

    assert bare.document(key) is not None
    assert typed.document(key).outline.pairs()  # type: ignore[union-attr]


def test_training_pages_and_seeds_never_count(web: CachedWeb):
    """Neither in the curve nor in the targets."""
    laboratory = Laboratory(web, "owls", 1, SMALL)
    laboratory.prepare(["best-first"])
    run = laboratory.run(Variant("best-first"))
    excluded = {web.url(key) for key in laboratory.draw.excluded}

    assert not excluded & set(run.fetched)
    assert not laboratory.draw.excluded & laboratory.draw.targets
    assert len(run.curve) == SMALL.pages


def test_nothing_beats_the_oracle(web: CachedWeb):
    """The upper bound is one."""
    laboratory = Laboratory(web, "bridges", 1, Options(pages=60))
    names = ["breadth-first", "best-first", "link-context", "selective", "fused"]
    laboratory.prepare(names)
    best = laboratory.run(Variant("oracle")).auc

    assert all(laboratory.run(Variant(name)).auc <= best for name in names)
    assert laboratory.run(Variant("look-ahead")).auc >= best


def test_a_grid_sweeps_settings():
    """Each value of each setting is a variant with its name."""
    found = variants(["selective", "opic"], ["selective.threshold=0.2,0.4", "selective.drop=false"])

    assert [variant.name for variant in found] == [
        "selective threshold=0.2 drop=False",
        "selective threshold=0.4 drop=False",
        "opic",
    ]


@pytest.mark.parametrize(
    "change",
    [
        "threshold=1",
        "selective.treshold=1",
        "anchor.x=1",
        "selective",
        "selective.threshold=a,b",
        "selective.threshold=0.5,7",
    ],
)
def test_a_wrong_setting_is_refused_with_the_known_ones(change: str):
    """The message says how to write it, or what there is."""
    with pytest.raises(SpecError):
        variants(["selective"], [change])


def test_a_topic_without_reachable_pages_is_explained(web: CachedWeb):
    """No target can be reached: the message says what to try."""
    lonely = Laboratory(web, "owls", 1, Options(pages=5, seeds=1, train_share=0.99))

    assert lonely.draw.targets  # a well linked web has something left even so
    with pytest.raises(InputError, match="names no start pages"):
        Laboratory(_without_start(web), "owls", 1, Options(start_from="start"))


def _without_start(web: CachedWeb) -> CachedWeb:
    other = web.for_evidence(())
    other.web = VirtualWeb(web.web.path, "", (), web.web.folding, web.web.topics, {})
    return other


def test_results_are_written_as_documented(demo_folder: Path, tmp_path: Path):
    """JSON, CSV and plots have what DESIGN and docs say."""
    runs = run_grid(
        demo_folder,
        ["owls"],
        variants(["breadth-first", "best-first"], []),
        SMALL,
        random_seeds=[1, 2],
        processes=1,
    )
    found = results.summary(runs, SMALL, web="demo")
    assert found["versions"]["lycosa"] == lycosa.__version__

    assert [s["strategy"] for s in found["strategies"]] == ["breadth-first", "best-first"]
    assert set(found["strategies"][0]["harvest"]) == {"mean", "se"}
    assert found["strategies"][0]["runs"][0]["curve"][0][0] == 1
    assert {test["measure"] for test in found["tests"]} == {"harvest", "recall", "auc", "f1"}
    assert found["options"]["pages"] == 40
    assert len(found["strategies"][0]["runs"][0]["sliding"]) == 40 - found["options"]["window"] + 1
    results.write_csv(tmp_path / "a.csv", runs, found["tests"])
    assert len((tmp_path / "a.csv").read_text().splitlines()) == 5
    assert len((tmp_path / "a-tests.csv").read_text().splitlines()) == 5
    assert [path.suffix for path in plot_curves(runs, 40, tmp_path / "p.png")] == [".png", ".svg"]


@pytest.fixture(scope="module")
def floor_runs(demo_folder: Path) -> dict[str, list[Run]]:
    """All strategies at once, so that the models are fitted once."""
    options, wanted = Options(pages=FLOORS["pages"]), variants(list(FLOORS["harvest"]), [])
    seeds = FLOORS["random_seeds"]
    return by_variant(
        run_grid(demo_folder, FLOORS["topics"], wanted, options, random_seeds=seeds, processes=1)
    )


@pytest.mark.parametrize("name", sorted(FLOORS["harvest"]))
def test_harvest_stays_above_its_floor(floor_runs: dict[str, list[Run]], name: str):
    """Each strategy reaches its pinned harvest on the demo web (mean over topics and seeds)."""
    runs = floor_runs[name]

    assert sum(run.harvest for run in runs) / len(runs) >= FLOORS["harvest"][name]


def test_page_types_are_learned_by_the_lab(web: CachedWeb):
    """On a web with page types `profile` needs no model of the site; what the user sets counts more."""
    laboratory = Laboratory(web, "kites", 1, SMALL)
    laboratory.prepare(["profile"])
    run = laboratory.run(Variant("profile"))
    other = laboratory.run(Variant("profile", (("topic_tags", ("clock",)),)))

    assert run.harvest > 0.5
    assert other.harvest < run.harvest


def test_what_a_run_needs_is_looked_at_first(demo_folder, monkeypatch, tmp_path):
    """Minutes of parsing do not come before the word that something is missing."""

    def parse(*_: object) -> None:
        raise AssertionError("the web is parsed before what the run needs is looked at")

    for name in ("web.toml", "labels.csv"):  # no page types
        (tmp_path / name).write_bytes((demo_folder / name).read_bytes())
    monkeypatch.setattr("lycosa_lab.grids.grid.CachedWeb", parse)
    with pytest.raises(LycosaError, match="page_types is missing"):
        run_grid(tmp_path, ["owls"], variants(["profile"], []), Options(), random_seeds=[1])


def test_workers_do_not_outlive_a_run_that_is_killed(demo_folder):
    """Killed with SIGKILL, it closes nothing: its processes end all the same."""
    code = (
        "from pathlib import Path; from lycosa_lab.grids.grid import *; from lycosa_lab.grids.variants import *; from lycosa_lab.runs.protocol import Options\n"
        f"if __name__ == '__main__': run_grid(Path({str(demo_folder)!r}), ['owls', 'tides'], [Variant('best-first')],"
        " Options(pages=40), random_seeds=range(5000), processes=2)"
    )
    process = subprocess.Popen([sys.executable, "-c", code])
    try:
        while len(workers := _workers_of(process.pid)) < 2:
            assert process.poll() is None
            time.sleep(0.02)
    finally:
        process.kill()
        process.wait()
    given_up_at = time.monotonic() + 300  # a failure should not hang
    while any(map(_is_alive, workers)):
        assert time.monotonic() < given_up_at
        time.sleep(0.02)


def _workers_of(process: int) -> list[int]:
    children = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii").split()
    commands = {int(child): Path(f"/proc/{child}/cmdline") for child in children}
    return [child for child, command in commands.items() if b"spawn_main" in command.read_bytes()]


def _is_alive(process: int) -> bool:
    try:
        return b"spawn_main" in Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return False
