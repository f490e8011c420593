"""The event lab on a small web of four events: models, tables, crawls, and the paper's figures."""

from __future__ import annotations

import csv
import itertools
from pathlib import Path

import msgspec
import numpy as np
import pytest
from research.event import measure as measure_event
from research.event.tables import markdown

from lycosa.errors import InputError
from lycosa.methods.event.model import OURS
from lycosa.methods.event.training.scoring import Sample
from lycosa.testing import CannedResponse
from lycosa_lab.demo_web import archive
from lycosa_lab.grids.grid import Laboratory
from lycosa_lab.grids.variants import Variant
from lycosa_lab.papers import reproduce_paper
from lycosa_lab.papers.event import crawls as event_crawls
from lycosa_lab.papers.event import reproduce as paper
from lycosa_lab.papers.event import seeds as event_seeds
from lycosa_lab.papers.event.crawls import Crawled, Crawls, Figures, best_size_pair, compared, source_halves
from lycosa_lab.papers.event.ranking import classification, grid_of
from lycosa_lab.papers.event.web import EventWeb
from lycosa_lab.runs.protocol import Options

CITIES = {"Orlando": 2016, "Brussels": 2011, "Denver": 2013, "Madrid": 2008}
PAGES, HOSTS = 6, 3


def url_of(city: str, number: int) -> str:
    return f"http://h{number % HOSTS}.example/{city.lower()}-shooting/{number}"


def page(city: str, year: int, number: int) -> str:
    near = [*CITIES][([*CITIES].index(city) + 1) % len(CITIES)]
    links = [(city, to) for to in range(PAGES)] + [(near, number)]
    anchors = "".join(f'<li><a href="{url_of(*to)}">Shooting in {to[0]}, {to[1]}</a>' for to in links)
    return (
        f"<title>Shooting in {city}</title><meta property='article:published_time' content='{year}-06-{number + 10}'>"
        f"<p>Police in {city} said that a gunman began a shooting near a bridge in {city}, report {number}. "
        f"The mayor of {city} spoke of {number + 3} victims of the shooting.</p><ul>{anchors}</ul>"
    )


@pytest.fixture(scope="module")
def web_folder(tmp_path_factory) -> Path:
    """Four events of six pages on three hosts, a start page, and a topic too small to be an event."""
    folder: Path = tmp_path_factory.mktemp("events") / "web"
    folder.mkdir()
    links = "".join(f'<li><a href="{url_of(city, 0)}">{city}</a>' for city in CITIES)
    pages = {"http://h0.example/": f"<title>News</title><ul>{links}</ul>"}
    for (city, year), number in itertools.product(CITIES.items(), range(PAGES)):
        pages[url_of(city, number)] = page(city, year, number)

    class Web:
        pages: dict[str, CannedResponse]

    web = Web()
    web.pages = {url: CannedResponse(text.encode()) for url, text in pages.items()}
    archive.write_warc(web, folder / "pages.warc.gz")  # type: ignore[arg-type]
    labels = [(url_of(city, number), city, 2) for city in CITIES for number in range(PAGES)]
    rows = [("url", "topic", "grade"), *labels, (url_of("Orlando", 0), "tiny", 2)]
    with (folder / "labels.csv").open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    events = [f"{city},{year}-06-10,{city},,," for city, year in CITIES.items()]
    (folder / "events.csv").write_text("\n".join(["topic,date,place,state,lat,lon", *events]))
    (folder / "web.toml").write_text('title = "events"\nstart = ["http://h0.example/"]\n')
    return folder


@pytest.fixture(scope="module")
def web(web_folder) -> EventWeb:
    return EventWeb(web_folder)


def test_a_topic_of_few_pages_is_no_event(web, web_folder, monkeypatch):
    """Three pages make the model, so there must be a fourth; and there must be other events to learn on."""
    assert [*web.events] == sorted(CITIES)
    monkeypatch.setattr("lycosa_lab.papers.event.web.MIN_PAGES", 10_000)
    with pytest.raises(InputError, match="at least two"):
        EventWeb(web_folder)


def test_model_pages_are_never_in_the_sample(web):
    """What a model is made of does not count as found."""
    sample = web.page_sample("Orlando", 0, OURS, (5, 10))
    assert len(sample.relevant) == len(web.keys) - 3
    assert sample.relevant.sum() == PAGES - 3
    links = web.link_sample("Orlando", 0, OURS, (5, 10))
    assert links.relevant.sum() == PAGES - 3


def test_place_and_date_tell_events_of_one_topic_apart(web):
    """With all aspects the ranking is perfect on this web, and each row says what was learned."""
    samples = [web.page_sample(event, 0, OURS, (2, 10)) for event in web.events]
    rows = {
        (row.variant, row.k): row
        for row in classification(samples, [*web.events], (2, 10), OURS.pages, "search")
    }
    full = rows["topic + place + date", 2]
    assert full.mean_average_precision == 1.0
    assert full.mean_average_precision >= rows["topic", 2].mean_average_precision
    assert sum((full.weights.topic, full.weights.place, full.weights.date)) == pytest.approx(1.0)
    assert all(weights.place == 0 for weights in grid_of(("topic", "date")))


def test_crawls_count_hosts_and_leave_out_the_start(web):
    """A crawl finds the event's other pages; seeds never count."""
    crawls = Crawls(web, pages=20)
    found = crawls.event("Orlando", OURS, "mine", {"source": "mean-score"})
    assert found.recall == 1.0
    assert found.hosts == HOSTS
    assert not {*crawls.runs[0].fetched} & {web.cached.url(key) for key in crawls.draw_of("Orlando").seeds}
    assert crawls.best_first("Orlando", 10).strategy == "best-first"


def test_lab_runs_know_the_events_of_a_web(web):
    """The strategy `event` gets an event of the training pages, where events.csv says that the topic is one."""
    laboratory = Laboratory(web.cached, "Orlando", 1, Options(pages=20))
    laboratory.prepare(["event"])
    event = laboratory.preparations["event"].methods["event"]
    assert event is not None
    assert event.places[0].name == "Orlando"
    assert event.date.startswith("2016-06")
    assert laboratory.run(Variant("event")).recall == 1.0
    assert not web.cached.web.topic("tiny").is_event


def figures(**auc: list[float]) -> Figures:
    runs = [
        Crawled(name.replace("_", " "), k, f"e{at}", value, value, 0.1, int(100 * value), 1)
        for name, values in auc.items()
        for k in (10, 20)
        for at, value in enumerate(values[:: 1 if k == 10 else -1])
    ]
    return Figures(runs)


def test_the_best_size_is_that_of_the_other_events():
    """An event's own figure has no say in the size at which it is measured."""
    found = figures(event=[0.9, 0.5, 0.1])
    values, ks = found.at_best_size("event")
    assert ks == [20, 10, 10]
    assert values == pytest.approx([0.1, 0.5, 0.1])


def test_comparisons_are_paired_over_events():
    """Means differ by what the events do; equal crawlers do not."""
    found = figures(**{"event": [0.6, 0.7, 0.8, 0.9], "best-first": [0.5, 0.6, 0.7, 0.8]})
    assert compared(found, ("event", 10), ("best-first", 10))["auc"] == pytest.approx(0.1)
    assert compared(found, ("event", 10), ("event", 10))["auc p"] == 1.0
    assert best_size_pair(found)["event AUC"] == pytest.approx(0.65)


def test_sources_are_chosen_among_those_by_which_recall_holds():
    """Fewest hosts wins, but not at the price of recall on the learning half."""
    flat = {"none": [0.6] * 4, "mean-score good": [0.595] * 4, "mean-score bad": [0.3] * 4}
    runs = [
        Crawled(name, 10, f"e{at}", value, value, 0.1, {"none": 60, "mean-score good": 50}.get(name, 20), 1)
        for name, values in flat.items()
        for at, value in enumerate(values)
    ]
    rows = source_halves(Figures(runs))
    assert [row["chosen"] for row in rows] == ["mean-score good"] * 2
    assert all(row["hosts"] == 50 and row["hosts without"] == 60 for row in rows)


def test_all_figures_are_measured(web, monkeypatch):
    """The command behind the figures of the documentation runs to its end."""
    monkeypatch.setattr(event_crawls, "TRIED_SOURCES", event_crawls.TRIED_SOURCES[:2])
    monkeypatch.setattr(measure_event, "DRAWS", 1)
    found = measure_event.measure(web, lambda _: None, ks=(5,))
    assert {
        "crawls",
        "best sizes",
        "sources by halves",
        "classification",
    } <= found.keys()
    shown = markdown(msgspec.json.decode(msgspec.json.encode(found)))
    assert "MAP of pages, ours:\n\n| k | topic |" in shown
    assert "| breadth-first |  |" in shown
    with pytest.raises(InputError, match="Choose among"):
        measure_event.measure(web, lambda _: None, parts=["weather"])


def test_the_papers_tables_and_figures_are_drawn(web_folder, tmp_path, monkeypatch):
    """`lab reproduce event` writes each of them."""
    monkeypatch.setattr(paper, "KS", (5, 10))
    monkeypatch.setattr(paper, "LARGE", 20)
    monkeypatch.setattr(event_seeds, "SIZES", (2, 3))
    said: list[str] = []
    written = {path.name for path in reproduce_paper("event", web_folder, tmp_path, said.append)}
    assert {f"tables-3-6-{sort}.csv" for sort in ("links", "pages")} <= written
    assert {"tables-7-8.txt", "tables-11-12.csv", "crawls.csv", "crawls-large-scale.csv"} <= written
    assert "figure-15-large-scale.png" in written
    assert {"figure-12-links.png", "figure-13-pages.png", "figures-24-27-source-importance.png"} <= written
    assert sum(name.startswith(("figure-14", "figure-16")) and name.endswith(".png") for name in written) == 2
    with (tmp_path / "tables-11-12.csv").open() as file:
        rows = [*csv.DictReader(file)]
    assert [(row["K"], row["events"]) for row in rows] == [("2", "4"), ("3", "4")] * 2
    assert said


def test_rates_by_hand():
    """Precision, recall and F1 of the relevant, and F1 weighted by class."""
    truth = np.array([True, True, False, False])
    one = Sample(np.zeros((1, 4)), np.zeros(4), np.zeros(4), np.zeros(4), truth)
    found = paper.rates([np.array([0.9, 0.1, 0.8, 0.1])], [one], 0.5)
    assert found == pytest.approx((0.5, 0.5, 0.5, 0.5))
    precision, recall = paper.precision_recall([np.array([0.9, 0.1, 0.8, 0.1])], [one])
    assert recall[0] == 1.0
    assert precision[0] == 0.5
