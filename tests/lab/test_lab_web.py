"""Virtual webs: what is wrong with one is said in words."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from lycosa.errors import ArchiveError, InputError
from lycosa_lab.demo_web import demo_web
from lycosa_lab.webs.web import VirtualWeb


def test_the_demo_web_opens_with_its_topics(demo_folder: Path):
    """Topics, grades, seeds and start pages are read."""
    web = VirtualWeb.open(demo_folder)

    assert "owls" in web.topics
    assert len(web.topic("owls").relevant()) > 50
    assert web.start
    assert len(web.archive) > 500


def test_a_web_may_have_the_pages_of_another(demo_folder: Path, tmp_path: Path):
    """It brings labels and topics of its own."""
    page = VirtualWeb.open(demo_folder).start[0]
    (tmp_path / "web.toml").write_text(f'archive = "{demo_folder}"\ntitle = "More"\n', encoding="utf-8")
    (tmp_path / "labels.csv").write_text(f"url,topic,grade\n{page},begin,2\n", encoding="utf-8")
    web = VirtualWeb.open(tmp_path)
    assert set(web.topics) == {"begin"}
    assert len(web.archive) == len(VirtualWeb.open(demo_folder).archive)
    assert not web.notes


def test_an_unknown_topic_is_named_with_the_known_ones(demo_folder: Path):
    """The message lists what there is."""
    with pytest.raises(InputError, match=r"no topic 'cats'.*owls"):
        VirtualWeb.open(demo_folder).topic("cats")


def test_a_missing_folder_is_named(tmp_path: Path):
    """The message says what a web is."""
    with pytest.raises(InputError, match="is not a directory"):
        VirtualWeb.open(tmp_path / "none")


def test_a_folder_without_warcs_says_how_to_record_one(tmp_path: Path):
    """The message ends with the command."""
    with pytest.raises(InputError, match="lycosa lab record"):
        _ = VirtualWeb.open(tmp_path).archive


def test_an_empty_warc_is_named(tmp_path: Path):
    """A file without a record is an error that names it."""
    (tmp_path / "a.warc.gz").write_bytes(gzip.compress(b""))

    with pytest.raises(ArchiveError, match=r"a\.warc\.gz"):
        _ = VirtualWeb.open(tmp_path).archive


def test_a_truncated_warc_is_used_as_far_as_it_goes(demo_folder: Path, tmp_path: Path):
    """What precedes the damage counts, and a note says where it is."""
    source = next(demo_folder.glob("*.warc.gz")).read_bytes()
    (tmp_path / "a.warc.gz").write_bytes(source[: len(source) // 2])
    web = VirtualWeb.open(tmp_path)

    assert 0 < len(web.archive) < len(demo_web().pages)
    assert any("a.warc.gz" in note for note in web.notes)


def test_labels_outside_the_web_are_noted(demo_folder: Path, tmp_path: Path):
    """Labels for URLs that are not there are counted, not fatal."""
    for file in demo_folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    with (tmp_path / "labels.csv").open("a") as labels:
        labels.write("http://nowhere.test/,owls,2\n")
    web = VirtualWeb.open(tmp_path)

    _ = web.archive

    assert any("owls: 1 of" in note for note in web.notes)


@pytest.mark.parametrize("row", ["http://a.test/,owls", "http://a.test/,owls,much", ",owls,1"])
def test_broken_labels_are_refused_with_their_place(tmp_path: Path, row: str):
    """A bad row names the file."""
    (tmp_path / "labels.csv").write_text(f"url,topic,grade\n{row}\n")

    with pytest.raises(InputError, match=r"labels\.csv"):
        VirtualWeb.open(tmp_path)


def test_a_broken_web_toml_is_named(tmp_path: Path):
    """A syntax error names the file."""
    (tmp_path / "web.toml").write_text("title = [")

    with pytest.raises(InputError, match=r"web\.toml"):
        VirtualWeb.open(tmp_path)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("start = 5", "start should be a list of texts"),
        ("start = [5]", "start should be a list of texts"),
        ('start = "http://a.test/"', "start should be a list of texts"),
        ("index_names = 5", "index_names should be a list of texts"),
        ('index_names = "welcome.html"', "index_names should be a list of texts"),
        ("topics = 5", "topics should be a table"),
        ("[topics]\nowls = 5", r"topics\.owls should be a table"),
        ("[topics.owls]\nseeds = 5", r"topics\.owls\.seeds should be a list of texts"),
        ('[topics.owls]\nkeywords = "owl"', r"topics\.owls\.keywords should be a list of texts"),
        ("[topics.owls]\ntags = [1979-05-27]", r"topics\.owls\.tags should be a list of texts"),
        ("title = " + "[" * 5000, "not valid TOML"),
    ],
)
def test_a_web_toml_of_other_values_is_refused_with_the_key(tmp_path: Path, text: str, complaint: str):
    """A text is no list: its letters were taken for URLs and keywords."""
    (tmp_path / "web.toml").write_text(text)

    with pytest.raises(InputError, match=rf"web\.toml.*{complaint}.*\."):
        VirtualWeb.open(tmp_path)


@pytest.mark.parametrize(
    ("name", "head"),
    [("labels.csv", "url,topic,grade"), ("events.csv", "topic,date"), ("page-types.csv", "url,type")],
)
@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        (b"caf\xe9,x,1\n", "not in UTF-8.*Save it"),
        (b"http://a.test/," + b"x" * 200_000 + b",1\n", "line 2: .*See docs"),
    ],
    ids=["Latin-1", "long"],
)
def test_tables_that_are_none_are_refused(tmp_path: Path, name: str, head: str, rows: bytes, complaint: str):
    """What no program would have written as CSV in UTF-8."""
    (tmp_path / name).write_bytes(head.encode() + b"\n" + rows)

    with pytest.raises(InputError, match=rf"{name}.*{complaint}"):
        VirtualWeb.open(tmp_path)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("labels.csv", "url\nhttp://a.test/\n"),
        ("labels.csv", "url,topic\nhttp://a.test/,owls\n"),
        ("page-types.csv", "url,kind\nhttp://a.test/,list\n"),
        ("events.csv", "date\n2024-05-02\n"),
    ],
)
def test_a_table_without_a_column_is_refused(tmp_path: Path, name: str, text: str):
    """Its name is in no head of the file."""
    (tmp_path / name).write_text(text)

    with pytest.raises(InputError, match=rf"{name}, line 2: columns are missing"):
        VirtualWeb.open(tmp_path)
