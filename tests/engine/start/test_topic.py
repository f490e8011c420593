"""Preparing: from keywords, descriptions and examples to a topic that is saved and reused."""

from __future__ import annotations

from pathlib import Path

import pytest

from lycosa.engine.processes.recipe import regions_of_spec
from lycosa.engine.start.prepare import preparation
from lycosa.errors import InputError, ModelError, SpecError
from lycosa.evidence.topic import TopicEvidence
from lycosa.learn.topic import load_topic, make_topic, prepared_topic
from lycosa.learn.training.examples import ExamplePage
from lycosa.page.document import Document
from lycosa.spec.sections import JudgeSpec, Spec, TopicSpec
from lycosa.values import Reason, Refusal

OWLS = "<title>Owls</title><p>The owl hunts at night. An owl hears every mouse."


async def get(url: str) -> Document | Refusal:
    if "gone" in url:
        return Refusal(Reason.HTTP_ERROR, "404")
    return Document(OWLS.encode(), url, "text/html")


def test_keywords_weigh_like_the_most_frequent_term():
    """A keyword counts as often as the examples' most frequent term, or once without examples."""
    alone = make_topic(TopicSpec(keywords=("owls", "night birds")), [], [])
    assert set(alone.vector) == {"owl", "night", "bird"}
    assert len(set(alone.vector.values())) == 1
    beside = make_topic(TopicSpec(keywords=("barn",)), [ExamplePage(1, {"owl": 5, "mous": 1})], [])
    assert beside.vector["barn"] == beside.vector["owl"] > beside.vector["mous"]


def test_the_vector_has_the_most_frequent_terms_and_all_keywords():
    """`terms` cuts what examples and description say, never the keywords."""
    model = make_topic(
        TopicSpec(keywords=("barn", "roost"), terms=1), [ExamplePage(1, {"owl": 5, "mous": 1})], []
    )
    assert set(model.vector) == {"owl", "barn", "roost"}
    described = make_topic(TopicSpec(description="The owls of the night"), [], [])
    assert set(described.vector) == {"owl", "night"}


def test_an_empty_topic_is_refused_with_the_ways_out():
    """Stop words alone are no topic."""
    for spec in (TopicSpec(), TopicSpec(keywords=("the", "of")), TopicSpec(description="It is.")):
        with pytest.raises(SpecError, match=r"topic is empty.*judge\.kind"):
            make_topic(spec, [], [])


async def test_examples_from_files_and_the_web(tmp_path):
    """Files are relative to the spec's folder; a URL that fails is a word, a missing file an error."""
    (tmp_path / "a.html").write_text(OWLS)
    (tmp_path / "b.txt").write_text("An <owl> & its pellets")
    words: list[str] = []
    spec = TopicSpec(examples=("a.html", "b.txt", "http://a.example/", "http://a.example/gone"))
    model = await prepared_topic(spec, tmp_path, None, get, words.append)
    assert len(model.examples) == 3
    assert model.examples[0].terms == model.examples[2].terms
    assert "pellet" in model.examples[1].terms
    assert len(words) == 1
    assert "gone" in words[0]
    with pytest.raises(InputError, match=r"none\.html"):
        await prepared_topic(TopicSpec(examples=("none.html",)), tmp_path, None, get, words.append)


async def test_a_saved_topic_is_reused_and_nothing_is_fetched(tmp_path):
    """A resumed crawl judges by the topic that it began with; the user may edit the file."""
    models = tmp_path / "models"
    spec = TopicSpec(keywords=("owl",), examples=("http://a.example/",))
    made = await prepared_topic(spec, tmp_path, models, get, print)

    async def never(url: str) -> Document | Refusal:
        raise AssertionError(url)

    assert await prepared_topic(spec, tmp_path, models, never, print) == made
    assert [path.name for path in models.iterdir()] == ["topic.json"]


@pytest.mark.parametrize("content", [b"", b"{", b'{"language": 1}', b"\xff", b"[]"])
def test_a_damaged_topic_is_named_with_the_fix(tmp_path: Path, content):
    """One message that names the file and what to do."""
    path = tmp_path / "topic.json"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=r"topic\.json.*Delete it"):
        load_topic(path)


def test_the_judge_is_the_specs():
    """`all` takes every page without evidence; `topic` needs the terms of the page."""
    topic = make_topic(TopicSpec(keywords=("owl",)), [], [])
    assert preparation(topic, JudgeSpec(kind="all")).judge.needs == ()
    ready = preparation(topic, JudgeSpec())
    assert [kind.name for kind in ready.judge.needs] == ["terms"]
    assert ready.topic.vector == topic.vector


def test_a_sentence_counts_by_its_subject_and_turns_away_from_what_it_excludes():
    """Words of the request weigh nothing; excluded ones have negative weights, as keywords have positive ones."""
    topic = make_topic(TopicSpec(description="pages that explain owls, not lists or owl toys"), [], [])
    assert topic.keywords == {"owl": 0.3}
    assert topic.excluded == {"toy": 1.0}
    assert topic.vector["toy"] == -topic.vector["owl"] < 0
    assert not {"page", "explain", "list"} & topic.vector.keys()
    anchors = TopicEvidence(topic.vector)
    assert anchors.of_text("toys") == 0.0 < anchors.of_text("owl toys and owls") < anchors.of_text("owls")


def test_a_sentence_without_a_subject_is_refused():
    for text in ("interesting pages", "pages that are not about sport"):
        with pytest.raises(SpecError, match=f'nothing in "{text}" says what the pages are about'):
            make_topic(TopicSpec(description=text), [], [])


async def test_excluded_pages_are_negatives_and_excluded_words_are_words(tmp_path):
    (tmp_path / "toys.html").write_text("<p>Toys that hoot")
    words: list[str] = []
    spec = TopicSpec(keywords=("owls",), exclude=("parrots", "toys.html", "owl"))
    model = await prepared_topic(spec, tmp_path, tmp_path / "models", get, words.append)
    assert len(model.negatives) == 1
    assert model.excluded == {"parrot": 1.0}
    assert words == [
        "The topic is read as about: owls; not: parrots.",
        '"owl" is excluded, but the topic has the same words: they count as wanted.',
    ]
    assert load_topic(tmp_path / "models" / "topic.json") == model


def test_an_excluded_country_is_no_place_of_the_topic():
    found = [
        regions_of_spec(Spec(topic=TopicSpec(description=f"floods in Austria{more}")))
        for more in (" and Italy", ", not Italy")
    ]
    assert found == [{("AT", ""), ("IT", "")}, {("AT", "")}]
