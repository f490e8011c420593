"""Path strings: display attributes only, the same whatever the order, bounded."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lycosa.page.document import Document
from lycosa.page.links.paths import LEVELS, STRING_CHARS, path_step


def outline(html: str):
    return Document(html.encode(), "http://a.test/", "text/html; charset=utf-8").outline


def test_example_of_the_paper():
    """The paper's example has the paper's path string."""
    pairs = outline('<table><tr class="people"><td>John</td><td>Doe</td></tr></table>').pairs()

    assert pairs == [
        ("<td><tr-class/people><tbody><table><body><html>", "John"),
        ("<td><tr-class/people><tbody><table><body><html>", "Doe"),
    ]


def test_only_display_attributes_count():
    """href, src, id and data attributes never show; the order of attributes and classes does not matter."""
    first = outline('<p class="b a" align="left" id="x">one</p>').pairs()
    second = outline('<p data-n="7" align="LEFT" class="a  b">one</p>').pairs()

    assert first == second == [("<p-align/left-class/a-class/b><body><html>", "one")]


def test_links_and_images():
    """Each text and image knows the link it stands in."""
    found = outline('<a href="/x"><b>name</b><img src="i.png"></a><i>none</i>')

    assert [(text, found.links[element]) for element, text in found.leaves] == [
        ("name", 0),
        ("", 0),
        ("none", -1),
    ]


def test_scripts_and_comments_are_not_text():
    """What a reader does not see has no path string."""
    assert outline("<script>x</script><style>y</style><!-- z --><p>seen").pairs() == [
        ("<p><body><html>", "seen")
    ]


def test_deep_nesting_is_bounded():
    """However deep a page nests, no path string grows beyond its cap."""
    found = outline("<div class=aaaaaaaaaaaaaaaaaaaaaaaa>" * 3000 + "x")

    assert len(found.strings) <= LEVELS + 2
    assert max(map(len, found.strings)) <= STRING_CHARS + 100


@given(st.text(max_size=300))
def test_any_text_has_an_outline(text):
    """No page breaks the outline."""
    found = outline(f"<div class={text!r}>{text}<b>{text}")

    assert all(0 <= element < len(found.parents) for element, _ in found.leaves)


@given(st.dictionaries(st.sampled_from(["class", "align", "id", "size"]), st.text(max_size=20), max_size=4))
def test_a_step_is_one_element(attributes):
    """No attribute value can end a step or begin another."""
    step = path_step("p", attributes)

    assert step.count("<") == step.count(">") == 1
