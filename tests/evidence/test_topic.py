"""Topic evidence: the event paper's vectors and cosines."""

from __future__ import annotations

import math
import pickle

from hypothesis import given
from hypothesis import strategies as st

from lycosa.evidence.topic import TopicEvidence, centroid, projected_cosine, topic_vector
from lycosa.page.document import Document

TERMS = st.sampled_from("owl night bird bread tide".split())
COUNTS = st.dictionaries(TERMS, st.integers(1, 1000), max_size=5)
VECTORS = st.dictionaries(TERMS, st.floats(0.01, 100), max_size=5)


@given(VECTORS, COUNTS)
def test_the_cosine_is_within_bounds(topic, terms):
    """In [0, 1] whatever the texts, and 0 without a common term."""
    score = projected_cosine(topic, terms)
    assert 0 <= score <= 1
    assert (score > 0) == bool(topic.keys() & terms.keys())


@given(VECTORS, COUNTS, st.integers(2, 9))
def test_length_and_strange_words_do_not_matter(topic, terms, times):
    """The cosine is of directions, and only the topic's terms count."""
    longer = {term: count * times for term, count in terms.items()} | {"elsewher": 7}
    assert math.isclose(projected_cosine(topic, terms), projected_cosine(topic, longer), abs_tol=1e-9)


@given(st.lists(COUNTS, max_size=4), st.integers(1, 5))
def test_vectors_have_the_k_heaviest_terms(pages, k):
    """At most k, none heavier left out, whatever the order of the pages."""
    vector = topic_vector(pages, k)
    total = {term: sum(page.get(term, 0) for page in pages) for page in pages for term in page}
    assert len(vector) == min(k, len(total))
    assert all(math.isclose(weight, math.log(1 + total[term])) for term, weight in vector.items())
    assert min((total[t] for t in vector), default=0) >= max(
        (n for t, n in total.items() if t not in vector), default=0
    )
    assert vector == topic_vector(pages[::-1], k)
    assert len(centroid(pages, k)) == min(k, len(total))


def document(html: str) -> Document:
    return Document(html.encode(), "http://a.example/", "text/html")


def test_page_and_links():
    """The page by its text (with its topic words counted), each link by URL words and anchor."""
    evidence = TopicEvidence({"owl": 3.0, "night": 4.0})
    page = document(
        '<p>Owls, owls. <a href="/bread">bread</a> <a href="/owls">more</a> <a href="/x">owls at night</a>'
    )
    fact = evidence.of_page(page)
    assert math.isclose(fact.value, projected_cosine(evidence.vector, {"owl": 3, "night": 1}))
    assert fact.words == 4
    scores = evidence.of_links(page)
    assert scores[0] == 0
    assert math.isclose(scores[1], 0.6)
    assert math.isclose(scores[2], 7 / math.sqrt(2) / 5)
    assert math.isclose(evidence.of_text("owls at night"), scores[2])


def test_an_empty_topic_and_an_empty_page_score_nothing():
    """No division by zero on either side."""
    assert TopicEvidence({}).of_page(document("<p>owls")).value == 0
    assert TopicEvidence({}).of_links(document("<a href=/owls>owls</a>")) == [0]
    empty = TopicEvidence({"owl": 1.0})
    assert empty.of_page(document("")).value == 0
    assert empty.of_links(document("")) == []


def test_it_goes_to_workers():
    """Evidence crosses process borders."""
    evidence = pickle.loads(pickle.dumps(TopicEvidence({"owl": 1.0}, "english")))
    assert evidence.of_text("owls") == 1
