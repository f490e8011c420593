"""Reading a crawl.toml: what is wrong is named with its place and its fix, whatever the file holds."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa.errors import SpecError
from lycosa.methods.lookup import all_settings
from lycosa.spec.reading import load_spec, parse_spec
from lycosa.spec.sections import Spec

STRATEGIES = all_settings()
ENDPOINT = "[judge.assistant]\nendpoint"


def complaint(text: str, *changes: str) -> str:
    with pytest.raises(SpecError) as caught:
        parse_spec(text, STRATEGIES, changes, where="crawl.toml")
    return str(caught.value)


def test_an_empty_spec_is_all_defaults():
    """Nothing has to be written."""
    assert parse_spec("", STRATEGIES) == Spec()


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("\n[limits]\npage = 5", 3, ["[limits]", "'page'", "'pages'"]),
        ("[fetch]\n\n# note\nper_host_delay = 1", 4, ["'per_host_delay'", "'per_host_delay_s'"]),
        ("[limit]\npages = 5", 1, ["'limit'", "'limits'"]),
        ("strategi = 'opic'", 1, ["'strategi'", "'strategy'"]),
        ("\n[best-first]\nurl_treshold = 0.1", 3, ["[best-first]", "'url_threshold'"]),
        ("\nlimits.page = 5", 2, ["'page'", "'pages'"]),
        ("\nlimits = { page = 5 }", 2, ["'page'", "'pages'"]),
        ("options = {}", 1, ["'options'"]),
        ("[judge]\nassistent = {}", 2, ["[judge]", "'assistent'", "'assistant'"]),
        ("[judge.assistant]\nmodle = 'm'", 2, ["[judge.assistant]", "'modle'", "'model'"]),
    ],
)
def test_an_unknown_key_is_refused_with_the_nearest_known_one(text, line, words):
    """A typo never goes unnoticed: line, key, and what was probably meant."""
    message = complaint(text)
    assert message.startswith(f"crawl.toml, line {line}: ")
    assert all(word in message for word in words), message


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("[limits]\npages = 'many'", 2, ["[limits] pages", "integer", "'many'"]),
        ("[limits]\npages = 0", 2, ["[limits] pages", "greater than 0"]),
        (
            "[scope]\ndate_from = 2020-01-02\ndate_to = 2020-01-01",
            1,
            ["[scope]: date_to 2020-01-01 is before"],
        ),
        ("[limits]\nhours = -1", 2, ["[limits] hours"]),
        ("[judge]\nassistant = 5", 2, ["judge.assistant must be a table"]),
        ("[judge.assistant]\nquestions = 0", 2, ["[judge.assistant] questions", "greater than 0"]),
        ("[judge.assistant]\nmodel = 'm'", 1, ["[judge.assistant]: endpoint and model belong together"]),
        (f"{ENDPOINT} = 'ftp://a.test/v1'\nmodel = 'm'", 2, ["[judge.assistant] endpoint"]),
        (f"{ENDPOINT} = 'http://me:pass@a.test/v1'\nmodel = 'm'", 2, ["without a password"]),
        (f"{ENDPOINT} = 'http://a.test/v1'\nmodel = 'm'\nkey_env = 'K'", 1, ["https only"]),
        ("[seeds]\nurls = 'http://a.example/'", 2, ["[seeds] urls", "valid list"]),
        ("[seeds]\nurls = [1]", 2, ["[seeds] urls", "string"]),
        ("[judge]\nkind = 'topics'", 2, ["[judge] kind", "'topic'"]),
        ("[scope]\ndate_from = 'soon'", 2, ["[scope] date_from"]),
        ("[selective]\nthreshold = 'a'", 2, ["[selective] threshold", "number", "'a'", "strategy decides"]),
        ("[selective]\nthreshold = '0.5'", 2, ["[selective] threshold", "number"]),
        ("[selective]\nthreshold = 7", 2, ["[selective] threshold", "less than or equal to 1", "7"]),
        ("[best-first]\nk = -3", 2, ["[best-first] k", "greater than or equal to 0", "default is 0"]),
        ("[best-first]\nweights = 'logs'", 2, ["[best-first] weights", "'log' or 'centroid'"]),
        ("[shark-search]\nd = 2", 2, ["[shark-search] d", "less than or equal to 1"]),
        ("[profile]\ntopic_tags = [1]", 2, ["[profile] topic_tags", "string"]),
        ("[profile]\nstop_tags = [1]", 2, ["[profile] stop_tags", "string"]),
        ("[best-first]\ntunnelling = 1", 2, ["tunnelling", "true or false"]),
        ("[best-first]\nk = true", 2, ["k", "a whole number"]),
        ("[best-first]\nurl_threshold = 'low'", 2, ["url_threshold", "a number"]),
        ("limits = 5", 1, ["limits must be a table"]),
        ("best-first = 5", 1, ["best-first must be a table"]),
        ("name = 'x'\nstrategy = 'best'", 2, ["no strategy 'best'", "'best-first'"]),
    ],
)
def test_a_wrong_value_is_named_with_its_line(text, line, words):
    """The message says where, what was expected and what stands there."""
    message = complaint(text)
    assert message.startswith(f"crawl.toml, line {line}: "), message
    assert all(word in message for word in words), message


def test_set_changes_one_key():
    """--set takes TOML values, and bare words as text; it makes tables that are not there."""
    changes: tuple[str, ...] = (
        "limits.pages=7",
        "strategy=opic",
        "seeds.urls=['http://a.example/']",
        "shark-search.d=1",
    )
    changes += ("judge.assistant.model=m", "judge.assistant.endpoint=http://127.0.0.1:9/v1/")
    spec = parse_spec("[limits]\npages = 5", STRATEGIES, changes)
    assert spec.judge.assistant.endpoint == "http://127.0.0.1:9/v1"
    assert spec.limits.pages == 7
    assert spec.strategy == "opic"
    assert spec.seeds.urls == ("http://a.example/",)
    assert spec.options == {"shark-search": {"d": 1}}


@pytest.mark.parametrize("change", ["pages", "limits.pages", "=5", "a.b.c=1", ".=1", "limits.=1", "name.x=1"])
def test_a_malformed_set_is_refused(change):
    """One sentence with an example, never a traceback."""
    assert "--set" in complaint("name = 'x'", change)


def test_a_wrong_set_is_not_blamed_on_the_file():
    """What came from the command line is said to have come from there."""
    assert complaint("[limits]\npages = 5", "limits.pages=x").startswith("--set limits.pages: ")
    assert complaint("", "limits.page=5").startswith("--set limits.page: ")


def test_broken_toml_and_missing_files_are_told_apart(tmp_path):
    """Each fault has its own message and its own fix."""
    assert "not valid TOML" in complaint("[limits")
    assert "not valid TOML" in complaint("a = " + "[" * 5000)
    with pytest.raises(SpecError, match="lycosa init"):
        load_spec(tmp_path / "none.toml", STRATEGIES)
    with pytest.raises(SpecError, match="cannot be read"):
        load_spec(tmp_path, STRATEGIES)
    (tmp_path / "latin.toml").write_bytes(b"name = '\xe9'")
    with pytest.raises(SpecError, match="UTF-8"):
        load_spec(tmp_path / "latin.toml", STRATEGIES)


WORDS = st.sampled_from(
    ["limits", "pages", "seeds", "urls", "best-first", "k", "options", "name", "strategy", "x"]
)
VALUES = st.sampled_from(
    ["1", "-1", "1.5", "true", "'a'", "[]", "[1]", "{}", "{ a = 1 }", "1979-05-27", "nan"]
)
LINES = st.builds("{} = {}".format, WORDS, VALUES) | st.builds("[{}]".format, WORDS) | st.text(max_size=20)


@given(st.lists(LINES, max_size=8).map("\n".join), st.lists(st.text(max_size=12), max_size=2))
def test_any_text_is_a_spec_or_one_clear_error(text, changes):
    """Whatever the file and the command line hold, it is understood or refused as a SpecError."""
    with contextlib.suppress(SpecError):
        assert isinstance(parse_spec(text, STRATEGIES, tuple(changes)), Spec)
