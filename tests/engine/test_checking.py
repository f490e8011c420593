"""`lycosa check`: all that a spec names is read, nothing is asked of the Web."""

from __future__ import annotations

import asyncio
import io
import json
import sys
from pathlib import Path

import pytest

from lycosa.engine.run import crawl_file
from lycosa.engine.session import prepare_shards
from lycosa.engine.start.checking import check_spec, check_text
from lycosa.engine.start.request import CrawlRequest
from lycosa.errors import LycosaError, SpecError
from lycosa.methods.lookup import all_settings
from lycosa.spec.reading import stored_spec
from lycosa.spec.writing import spec_text
from tests.crawling import spec_of

TOPIC = '[topic]\nkeywords = ["owl"]\n'
SEEDS = '[seeds]\nurls = ["http://a.test/"]\n'


def spec(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "crawl.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("kind", ["topic", "event", "site"])
def test_what_init_writes_is_right(tmp_path, kind):
    """Each template can be crawled as soon as its example URLs are replaced; as a crawl would, it notes the rest."""
    text = spec_text(kind, "mine", all_settings())
    with pytest.raises(LycosaError, match=r"example\.org"):
        check_spec(spec(tmp_path, text))
    checked = check_spec(spec(tmp_path, text.replace("example.org", "mine.test")).parent)
    assert "Set [fetch] contact" in checked.said[0]
    assert checked.collection == str(tmp_path / "mine")
    assert "is right" in check_text(checked)
    assert not (tmp_path / "mine").exists()


def test_what_is_on_the_web_is_only_counted(tmp_path):
    """Lists and examples there are named, and not asked for."""
    text = 'name = "x"\n[topic]\nexamples = ["http://a.test/owl"]\n[seeds]\nsitemaps = ["http://a.test/map.xml"]\n'
    checked = check_spec(spec(tmp_path, text))
    assert (checked.seeds, checked.lists) == (1, ("http://a.test/map.xml",))  # the example is a seed
    assert checked.examples == ("http://a.test/owl",)
    assert "and those of lists on the Web" in check_text(checked)


@pytest.mark.parametrize(
    ("keywords", "told"),
    [
        (["erruption", "lava"], "'erruption' is no common word of english, but like 'erupt…'"),
        (["mercury"], "'mercury' is all that is known of the topic"),
        (["Strom", "Spannung", "Elektrizität"], "look like german (3 of 3), but topic.language is english"),
    ],
)
def test_keywords_that_are_no_words_of_their_language_are_doubted(tmp_path, keywords, told):
    text = f'name = "x"\n[topic]\nkeywords = {json.dumps(keywords, ensure_ascii=False)}\n'
    assert told in "\n".join(check_spec(spec(tmp_path, text + SEEDS)).said)


def test_how_a_request_is_read_is_said(tmp_path):
    """What it is about, what it excludes, and what is too vague. Keywords alone need no reading."""
    description = "how volcanoes work, not charity appeals"
    text = 'name = "x"\n[topic]\nkeywords = ["lava"]\ndescription = "{}"\nexamples = ["http://a.test/"]\n'
    said = check_text(check_spec(spec(tmp_path, text.format(description) + SEEDS)))
    assert "The topic is read as about: lava, volcanoes; not: charity appeals." in said
    said = check_text(check_spec(spec(tmp_path, text.format("interesting pages") + SEEDS)))
    assert 'Nothing in "interesting pages" says what the pages are about: add keywords or an example.' in said
    assert "read as" not in check_text(check_spec(spec(tmp_path, text.format("") + SEEDS)))


def test_what_does_less_than_it_seems_is_said(tmp_path):
    """Keywords of stop words, examples that are one page, languages without stemmer, places that nobody knows."""
    for name in ("a.html", "b.html"):
        (tmp_path / name).write_text("<p>Owls hunt at night.")
    examples = '["a.html", "b.html", "http://a.test/owl?utm_source=x", "http://a.test/owl"]'
    topic = f'name = "x"\n[topic]\nkeywords = ["the of", "owl"]\nexamples = {examples}\n'
    said = "\n".join(check_spec(spec(tmp_path, topic + SEEDS)).said)
    assert "the keyword 'the of' has only words that every text has" in said
    assert "a.html and b.html are the same page" in said
    assert "like" not in said
    assert "owl?utm_source=x and http://a.test/owl are the same page" in said
    assert "stemmer" not in said
    other = 'name = "x"\n[topic]\nkeywords = ["сова"]\nlanguage = "{}"\n' + SEEDS
    assert "no stemmer for ukrainian" in " ".join(check_spec(spec(tmp_path, other.format("ukrainian"))).said)
    assert "stemmer" not in " ".join(check_spec(spec(tmp_path, other.format("chinese"))).said)


@pytest.mark.parametrize("pages", ["", 'pages = ["http://a.test/storm"]\n'])
def test_a_misspelt_place_is_said(tmp_path, pages):
    """Also where model pages on the Web are to say the rest."""
    where = 'where = ["Alexandira, Egypt", "Rome"]\ndate = 2024-05-02\nwhat = ["storm"]\n'
    text = 'name = "x"\nstrategy = "event"\n[event]\n' + pages + where + '[judge]\nkind = "event"\n' + SEEDS
    said = [word for word in check_spec(spec(tmp_path, text)).said if "no such place" in word]
    assert said == ["[event] where: Alexandira: no such place is known; did you mean Alexandria?"]


def test_seeds_in_files_are_counted(tmp_path):
    """Lines that are no URLs are noted."""
    (tmp_path / "seeds.txt").write_text("http://a.test/\nhttp://b.test/\nnonsense\n")
    checked = check_spec(spec(tmp_path, TOPIC + '[seeds]\nfiles = ["seeds.txt"]\n'))
    assert checked.seeds == 2
    assert any("nonsense" in word for word in checked.said)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (TOPIC, "There are no seeds"),
        (TOPIC + '[seeds]\nfiles = ["none.txt"]\nfeeds = ["http://a.test/feed"]\n', "none.txt"),
        (TOPIC + '[seeds]\nfeeds = ["http://a.test/feed"]\nsitemaps = ["none.xml"]\n', "none.xml"),
        ('[topic]\nexamples = ["none.html"]\n' + SEEDS, "none.html"),
        (SEEDS, "The topic is empty"),
        ('[topic]\ndescription = "good websites"\n' + SEEDS, 'nothing in "good websites" says'),
        (TOPIC + 'exclude = ["none.html"]\n' + SEEDS, "none.html"),
        ('[topic]\nkeywords = ["the", "🦉"]\n' + SEEDS, "its keywords are words that every text has"),
        ("[topic]\nkeywords = " + str(["owl"] * 1001) + "\n" + SEEDS, "at most 1000 items"),
        (".".join("a" * 3000) + " = 1\n", "nested too deeply"),
        (TOPIC + SEEDS + '[fetch]\nheaders = {X = "a\\nb"}\n', "cannot be sent"),
        (TOPIC + SEEDS + '[fetch]\nuser_agent = "a\\nb"\n', "cannot be sent"),
        (
            TOPIC + SEEDS + '[fetch]\nconnect_to = {"*" = "127.0.0.1:notaport"}\n',
            "not an address with a port",
        ),
        ('name = "crawl.toml"\n' + TOPIC + SEEDS, "which is a file"),
        (TOPIC + SEEDS + "[limits]\npage = 3\n", "Did you mean"),
        ('strategy = "nonsense"\n' + TOPIC + SEEDS, "nonsense"),
        (TOPIC + SEEDS + '[judge]\nkind = "text"\n', "examples"),
        ('[topic]\nkeywords = ["owl"]\nmodel = "none.model"\n[judge]\nkind = "text"\n' + SEEDS, "none.model"),
        ('[topic]\nkeywords = ["owl"]\nmodel = "none.model"\n' + SEEDS, r"\[topic\] model: neither"),
        ('name = "a\\nb"\n' + TOPIC + SEEDS, "line breaks"),
        (TOPIC + SEEDS + '[judge]\nkind = "event"\n', r"\[event\] is empty"),
        ('[event]\nwhat = ["storm"]\nmodel = "none.json"\n' + SEEDS, "none.json"),
        (TOPIC + SEEDS + '[event]\nwhat = ["storm"]\nsource_priors = "none"\n', "none"),
        ('[judge]\nkind = "all"\n[limits]\nuntil = "recall 0.9"\n' + SEEDS, "cannot estimate a recall"),
        (TOPIC + SEEDS + '[limits]\nuntil = "recall 90"\n', 'or as "recall 0.9"'),
        ('strategy = "genre"\n' + TOPIC + SEEDS + '[genre]\nprior = "none.json"\n', "none.json"),
    ],
)
def test_what_is_wrong_is_said(tmp_path, text, words):
    """Whatever a crawl would stumble over is found before."""
    with pytest.raises(LycosaError, match=words):
        check_spec(spec(tmp_path, text))


def test_shards_do_not_end_by_recall(tmp_path):
    """Each knows only its own part."""
    spec = spec_of(TOPIC + SEEDS + '[limits]\nuntil = "recall 0.9"\n')
    with pytest.raises(SpecError, match="--shards"):
        asyncio.run(prepare_shards(CrawlRequest(spec, "", tmp_path, tmp_path / "out"), {}, lambda _: None))


@pytest.mark.parametrize(
    "proxy", ["proxy.example:3128", "ftp://proxy.example", "http://", "http://a:x/", "http://[::"]
)
def test_a_proxy_that_is_none_is_refused_by_both(tmp_path, proxy):
    """`check` and `crawl` say the same of it, and the crawl leaves no empty collection behind."""
    path = spec(tmp_path, TOPIC + SEEDS + f'[fetch]\nproxy = "{proxy}"\n')
    with pytest.raises(SpecError, match=r"\[fetch\] proxy: write a proxy like"):
        check_spec(path)
    with pytest.raises(SpecError, match=r"\[fetch\] proxy: write a proxy like"):
        crawl_file(path, tmp_path / "out", say=print)
    assert not (tmp_path / "out").exists()


def test_a_mark_before_the_text_is_passed_over(tmp_path):
    """Some editors begin a file with one, and nobody sees it."""
    assert check_spec(spec(tmp_path, "\ufeff" + TOPIC + SEEDS)).seeds == 1


def test_a_crawl_that_is_refused_leaves_no_collection(tmp_path):
    """What the spec names is looked at before a folder is made."""
    path = spec(tmp_path, '[topic]\nexamples = ["none.html"]\n' + SEEDS)
    with pytest.raises(LycosaError, match=r"none\.html"):
        crawl_file(path, tmp_path / "out", say=print)
    assert not (tmp_path / "out").exists()


def test_the_spec_in_a_collection_is_refused_by_both(tmp_path):
    """It only says how the collection was made: `check` must not call right what `crawl` refuses."""
    path = spec(tmp_path, TOPIC + SEEDS)
    (tmp_path / "catalogue.db").touch()
    for command in (check_spec, lambda path: crawl_file(path, None, say=print)):
        with pytest.raises(SpecError, match="is a collection"):
            command(path)


@pytest.fixture
def of_a_stranger(tmp_path):
    """A spec whose strategy is in a file that leaves a trace when it is run."""
    trace = tmp_path / "it-was-run"
    (tmp_path / "strange_ideas.py").write_text(
        f"open({str(trace)!r}, 'w').close()\n"
        "from lycosa import BaseStrategy\n"
        "class Idea(BaseStrategy):\n    def __init__(self, *, k: int = 1) -> None:\n        self.k = k\n"
        "    def rank(self, page, judgement):\n        return []\n",
        encoding="utf-8",
    )
    text = 'strategy = "strange_ideas.py:Idea"\n' + TOPIC + SEEDS + '["strange_ideas.py:Idea"]\nk = 2\n'
    yield spec(tmp_path, text), trace
    sys.modules.pop("strange_ideas", None)


def test_code_is_not_run_without_trust(of_a_stranger, lycosa):
    """`check` names the file and how to go on; with --trust it runs it."""
    path, trace = of_a_stranger
    code, _, told = lycosa("check", path)
    assert code == 2
    assert "strange_ideas.py" in told
    assert "--trust" in told
    assert not trace.exists()
    assert lycosa("check", path, "--trust")[0] == 0
    assert trace.exists()


def test_code_is_run_when_the_user_says_yes(of_a_stranger, lycosa, monkeypatch):
    """In a terminal the question is asked there."""
    path, trace = of_a_stranger
    monkeypatch.setattr("sys.stdin", Answers("n\n"))
    assert lycosa("check", path)[0] == 2
    assert not trace.exists()
    monkeypatch.setattr("sys.stdin", Answers("y\n"))
    assert lycosa("check", path)[0] == 0
    assert trace.exists()


def test_to_look_into_a_collection_runs_no_code(of_a_stranger):
    """Its spec may name a strategy in a file; only a crawl of it runs that."""
    path, trace = of_a_stranger
    assert stored_spec(path.read_text(encoding="utf-8"), all_settings()).topic.keywords == ("owl",)
    assert not trace.exists()


class Answers(io.StringIO):
    """A terminal in which somebody types."""

    def isatty(self) -> bool:
        return True
