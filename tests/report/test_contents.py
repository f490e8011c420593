"""Counts, gist and drawings of a collection, for the report and the library."""

from __future__ import annotations

import io

from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from selectolax.lexbor import LexborHTMLParser

from lycosa.collection import Record
from lycosa.collection.catalogue.statistics import PlaceCount
from lycosa.collection.collection import Collection
from lycosa.collection.writer import CollectionWriter
from lycosa.report.charts.column_chart import column_chart
from lycosa.report.charts.periods import periods
from lycosa.report.charts.world_map import HEIGHT, WIDTH, outlines, project, world_map
from lycosa.report.html import render
from lycosa.report.summary import common_terms, gist_of, key_sentences
from lycosa.values import Kind
from tests.collection.records import NOW, fetched, link_to
from tests.library import sample_library


def test_what_a_collection_is_made_of(tmp_path):
    """Places, names, genres and days of the relevant pages."""
    with Collection.open(sample_library.make(tmp_path / "storm")) as collection:
        counted = collection.statistics
        assert {(place.name, place.pages) for place in counted.places()} == {
            ("Rome", 1),
            (sample_library.EVIL, 1),
        }
        assert {("Ann Lee", 1), (sample_library.EVIL, 1)} == set(counted.values("person"))
        assert ("Tiber Bridge Trust", 1) in counted.values("organisation")
        assert ("news", 1) in counted.values("genre")
        assert counted.days() == [("2024-05-02", 1), ("2024-06-11", 1)]
        assert "river" in {term for term, _ in gist_of(collection).terms}


def test_the_report_has_it_all_and_nothing_of_a_page_is_markup(tmp_path):
    """Summary, map and timeline are in the file; titles, texts and places stay text."""
    with Collection.open(sample_library.make(tmp_path / "storm")) as collection:
        tree = LexborHTMLParser(render(collection))
    text = tree.text()
    assert tree.css("svg.map circle")
    assert tree.css("svg.columns rect")
    assert "the river rose by two metres" in text
    assert "Tiber Bridge Trust" in text
    assert not tree.css("script, img, [onerror]")


def test_a_summary_does_not_repeat_itself():
    """A sentence that stands on many pages is said once."""
    same = "The storm tore roofs off houses along the northern coast on Monday night."
    other = "Engineers measured the storm surge at the harbour wall of the northern town."
    found = key_sentences([(1, same), (2, same), (3, f"{same} {other}")], {"storm": 1.0})
    assert [one.text for one in found] == [same, other] or [one.text for one in found] == [other, same]


@given(st.lists(st.text(max_size=200), max_size=5))
def test_any_text_can_be_summed_up(texts):
    """No text breaks the summary."""
    key_sentences(list(enumerate(texts)), {"storm": 1.0})
    common_terms(texts)


@given(st.floats(-90, 90), st.floats(-180, 180))
def test_every_place_is_near_the_map(lat, lon):
    """Each point of the Earth has its place on the drawing or just below it."""
    x, y = project(lat, lon)
    assert 0 <= x <= WIDTH
    assert -10 <= y <= HEIGHT + 60


def test_the_map_shows_countries_and_places():
    """Most countries have an outline, and Rome lies where it should: east of Paris, south of Berlin."""
    assert outlines().count("<path") > 170
    rome, paris, berlin = project(41.9, 12.5), project(48.9, 2.3), project(52.5, 13.4)
    assert rome[0] > paris[0]
    assert rome[1] > berlin[1]
    drawing = world_map(
        [
            PlaceCount("Rome", "city", 41.9, 12.5, "IT", "", 3),
            PlaceCount("Nowhere", "city", None, None, "", "", 9),
        ],
        near=True,
    )
    assert drawing.count("<circle") == 1


@settings(max_examples=30)  # some are charts of ten thousand years
@given(st.lists(st.tuples(st.dates().map(lambda day: day.isoformat()), st.integers(1, 99)), max_size=8))
def test_periods_keep_every_page(found):
    """Whatever the days, no page is lost in the columns, and they can be drawn."""
    _, course = periods(sorted(found))
    assert sum(count for _, count in course) == sum(count for _, count in found)
    column_chart(course, "pages")


def test_a_column_stands_over_its_own_date():
    """The middle of each column is the middle of the name below it, however few periods there are."""
    chart = column_chart(
        [("2024-05-01", 3), ("2024-05-02", 1), ("2024-05-03", 7)], "pages", lambda name: name
    )
    tree = LexborHTMLParser(chart)
    columns = [float(rect.attributes["x"] or 0) + float(rect.attributes["width"] or 0) / 2 for rect in tree.css("rect.column")]  # fmt: skip
    names = {text.text(): float(text.attributes["x"] or 0) for text in tree.css("text[text-anchor=middle]")}
    assert list(names) == ["2024-05-01", "2024-05-02", "2024-05-03"]
    assert all(abs(column - name) < 0.1 for column, name in zip(columns, names.values(), strict=True))


def test_a_drawing_with_links_is_no_image():
    """Links inside of role=img are hidden from who cannot see the drawing."""
    rome = [PlaceCount("Rome", "city", 41.9, 12.5, "IT", "", 3)]
    linked = column_chart([("2024", 1)], "pages", lambda _: "/x"), world_map(rome, lambda _: "/x")
    assert all('role="group"' in drawing for drawing in linked)
    assert all('role="img"' in drawing for drawing in (column_chart([("2024", 1)], "pages"), world_map(rome)))


def test_the_report_tells_a_story(tmp_path):
    """Asked, found, how sure, missed, where next: in this order, with the commands that go on."""
    with Collection.open(sample_library.make(tmp_path / "storm")) as collection:
        tree = LexborHTMLParser(render(collection))
    questions = [node.text() for node in tree.css("h2.question")]
    assert questions == [
        "What was asked",
        "What was found",
        "How sure it is",
        "What was missed",
        "Where next",
        "In detail",
    ]
    commands = tree.css_first(".commands")
    assert commands is not None
    assert f"lycosa serve {tmp_path / 'storm'}" in commands.text()
    assert "1 page was judged and not kept" in tree.text()


def test_the_report_says_what_was_given_and_what_came_of_requests(collection):
    """The seeds and the limit; and of what is no page as much as the table below it says."""
    with Collection.open(collection) as opened:
        text = LexborHTMLParser(render(opened)).text()
    assert "Given: 1 seed, at most 4 pages." in " ".join(text.split())
    assert (
        "2 requests got no usable answer" in text
    )  # one for what robots.txt disallows, one for what is gone


def test_several_sources_are_quoted():
    """A source that has spoken waits until the others have."""
    said = "Owls of the old barn hunt mice and voles at night over the wet open meadows near {}."
    texts = [(number, said.format(place)) for number, place in enumerate(("Rome", "Oslo", "Bern", "Kyiv"))]
    sources = {0: "a.example", 1: "a.example", 2: "a.example", 3: "b.example"}
    found = key_sentences(texts, {"owl": 1.0, "mice": 1.0}, limit=2, sources=sources)
    assert {sources[one.page] for one in found} == {"a.example", "b.example"}


def test_a_page_that_is_announced_is_not_quoted():
    """A sentence with the title of another page is no statement; a short title may stand in any sentence."""
    said = "The owls of the northern valley hunt voles over wet meadows until the end of March."
    teaser = "Read on: Nest boxes for the owls of the northern valley, with pictures of the owls."
    titles = ["Nest boxes for the owls of the northern valley | Gazette", "Owls"]
    assert [one.text for one in key_sentences([(1, f"{said} {teaser}")], {"owl": 1.0}, titles=titles)] == [
        said
    ]


def test_several_pages_of_one_source_are_quoted():
    """A page speaks again only when the others of its source have spoken."""
    first = "The storm tore roofs off houses of the storm coast on Monday night. The storm surge flooded the storm harbour on Monday night."
    second = "Engineers will look at the sea wall near the old market next spring after the storm."
    found = key_sentences([(1, first), (2, second)], {"storm": 1.0}, limit=2, sources={1: "a", 2: "a"})
    assert {one.page for one in found} == {1, 2}


def test_the_report_shows_archived_images(tmp_path):
    """Small, drawn anew, inside the file; one of each page."""
    directory = sample_library.make(tmp_path / "storm")
    pixels = io.BytesIO()
    Image.new("RGB", (640, 480), "teal").save(pixels, "PNG")
    with CollectionWriter.create_or_open(directory, sample_library.SPEC, name="storm") as writer:
        for name in ("1.png", "2.png"):
            url = f"http://news.example/{name}"
            link = link_to(url, kind=Kind.IMAGE, parent=link_to(sample_library.SEED).key)
            head = b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n"
            headers = (("Content-Type", "image/png"),)
            with writer.commit():
                answer = fetched(url, pixels.getvalue(), link=link, headers=headers, response_head=head)
                writer.save(Record(NOW, answer))
    with Collection.open(directory) as collection:
        tree = LexborHTMLParser(render(collection))
    images = tree.css(".pictures img")
    assert [image.attributes["alt"] for image in images] == ["Image of Storm hits Rome"]
    assert (images[0].attributes["src"] or "").startswith("data:image/jpeg;base64,")
