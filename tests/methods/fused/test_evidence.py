"""What the words around links say."""

import math

import pytest

from lycosa.methods.fused.evidence import ContextTopic
from lycosa.page.document import Document

HTML = (
    "<p>Owls, owls and a cat <a href=x>by night</a><p>dogs <a href=y>bark</a><p>no night <a href=z>here</a>"
)


def test_the_text_around_a_link_is_compared_with_the_topic():
    """The cosine by 1 + log tf over all words of the context; 0 where it has no word of the topic, or words that are unwanted."""
    topic = ContextTopic({"owl": 3.0, "night": -4.0})
    owls = 1 + math.log(2)
    expected = (0.6 * owls - 0.8) / math.sqrt(owls**2 + 2)
    page = Document(HTML.encode(), "http://a.test/")
    assert topic.of_links(page) == pytest.approx([expected, 0.0, 0.0])


def test_a_stored_page_says_the_same():
    """Where only the counts of contexts were kept, the numbers are those of the page itself."""
    topic = ContextTopic({"owl": 1.0, "night": 0.5})
    page, stored = (Document(HTML.encode(), "http://a.test/") for _ in range(2))
    assert stored.whole_context_terms
    assert topic.of_links(stored) == topic.of_links(page)
    assert topic.of_links(Document(b"<p>none", "http://a.test/")) == []
