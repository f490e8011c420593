from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from lycosa.library.replay import PLACED_CHARS, _shown, rewritten_css, rewritten_html
from lycosa.values import Fetched, Link
from tests.library import sample_library

KEY = sample_library.KEYS.replay_key()


@pytest.fixture
def other(storm):
    with sample_library.replayer(storm) as one:
        yield one


def test_an_archived_page_is_shown_disarmed(other):
    """No script, frame, form target, refresh or base is left; what is shown comes from the archive."""
    answer = other.get(f"/{KEY}/storm/{sample_library.SEED}/1")
    assert answer.status_code == 200
    tree = LexborHTMLParser(answer.text)
    assert not tree.css("script, iframe, base, meta[http-equiv], [onload], [onerror], [action], [formaction]")
    assert all(
        not (node.attributes.get("href") or "").lower().startswith("javascript") for node in tree.css("*")
    )
    assert "http://evil.example/x.png" not in answer.text.replace(
        f"/{KEY}/storm/http://evil.example/x.png", ""
    )


def test_links_lead_to_the_library_and_never_only_on_within_the_frame(other):
    """So the library names every page that is shown; the page's own targets are gone."""
    html = (
        '<a href="/b?x=1&y" target=frame>b</a><a href="#top" target="_top">t</a><area href=c>'
        '<a href="data:text/html,x">d</a><svg><a xlink:href="/e">e</a></svg>'
    )
    tree = LexborHTMLParser(
        rewritten_html(html, "http://a.example/", lambda url: "/k/" + url, lambda url: "/lib?url=" + url)
    )
    links = [(node.attributes.get("href") or node.attributes.get("xlink:href"), node.attributes.get("target")) for node in tree.css("a, area")]  # fmt: skip
    assert links[:4] == [
        ("/lib?url=http://a.example/b?x=1&y", "_top"),
        ("#top", "_self"),
        ("/lib?url=http://a.example/c", "_top"),
        ("#", "_self"),
    ]
    answer = other.get(f"/{KEY}/storm/{sample_library.SEED}/1")
    assert (
        f"http://{sample_library.HOST}:{sample_library.PORT}/c/storm/archived?url=http%3A%2F%2Fevil.example%2Fstorm"
        in answer.text
    )


def test_every_answer_is_a_sandbox(other):
    """Errors too: no script can run, and only the library may frame it."""
    for path in (
        f"/{KEY}/storm/{sample_library.SEED}",
        f"/{KEY}/storm/http://no.example/",
        "/",
        "/wrong/storm/http://a.example/",
    ):
        policy = other.get(path).headers["content-security-policy"]
        assert policy.startswith("sandbox allow-top-navigation-by-user-activation;")
        assert "allow-scripts" not in policy
        assert f"frame-ancestors http://{sample_library.HOST}:{sample_library.PORT}" in policy


@pytest.mark.parametrize(
    "path",
    [f"/wrong/storm/{sample_library.SEED}", f"/{KEY}/nosuch/{sample_library.SEED}", f"/{KEY}/storm/file:///etc/passwd", f"/{KEY}/storm/../../etc/passwd",
     f"/{KEY}/storm/", "/c/storm/", "/api/collections", f"/{KEY}/..%2f..%2f/x"],
)  # fmt: skip
def test_only_archived_urls_are_found(other, path):
    """Without the key, the collection or an archived URL there is nothing."""
    answer = other.get(path)
    assert answer.status_code == 404
    assert "root:" not in answer.text


def test_a_rebound_name_is_refused_here_too(other):
    """The Host check holds on both ports."""
    assert (
        other.get(f"/{KEY}/storm/{sample_library.SEED}", headers={"Host": "evil.test:8766"}).status_code
        == 421
    )


def test_what_is_not_archived_is_said_as_text(other):
    """The address in the message is text."""
    answer = other.get(f"/{KEY}/storm/http://a.example/?<script>alert(1)</script>")
    assert answer.status_code == 404
    assert "<script>" not in answer.text


@given(st.text(max_size=300))
def test_any_page_is_rewritten_without_scripts(text):
    """Whatever the bytes, what comes out has no script and no handler."""
    tree = LexborHTMLParser(
        rewritten_html(text, "http://a.example/", lambda url: "/k/" + url, lambda url: "/l/" + url)
    )
    assert not tree.css("script, iframe, object, embed, base")


def test_stylesheets_lead_into_the_archive():
    """url() and @import are rewritten, data images stay."""
    css = "@import 'a.css'; b{background:URL( \"x.png\" )} c{background:url(data:image/png;base64,AA)} d{background:url(javascript:x)}"
    out = rewritten_css(css, "http://a.example/s/", lambda url: "/k/" + url)
    assert '@import "/k/http://a.example/s/a.css"' in out
    assert 'url("/k/http://a.example/s/x.png")' in out
    assert "data:image/png" in out
    assert "javascript" not in out


@pytest.mark.parametrize(
    "piece", ["url(", "url( ", 'url("', "url(a", "@import", "@import '", " ", "\n", "url('a' ", "url(a ", "'"]
)
@pytest.mark.parametrize("before", ["", "url(", "@import ", "url('"])
def test_hostile_stylesheets_take_linear_time(before, piece):
    """Beginnings without an end, of any kind, are each read once."""
    css = before + piece * (400_000 // len(piece))
    started = time.process_time()
    rewritten_css(css, "http://a.example/", lambda url: "/k/" + url)
    assert time.process_time() - started < 20  # quadratic: hours


@given(
    st.lists(
        st.sampled_from(
            ["url(", "@import", " ", '"', "'", ")", "x.png", "data:image/png;a", "javascript:1", "("]
        )
    )
)
def test_any_stylesheet_is_rewritten(pieces):
    """What is recognised as an address leads into the archive or nowhere."""
    out = rewritten_css("".join(pieces), "http://a.example/", lambda url: "/k/" + url)
    for address in re.findall(r'url\("([^"]+)"\)', out):
        assert address.startswith(("/k/http://a.example/", "data:image/", "#")), out


def test_an_answer_cannot_multiply_the_page():
    """A long base and many short references: after a while they lead nowhere."""
    base, most = "http://a.example/" + "b" * 7_900 + "/", PLACED_CHARS + 8_000
    css = rewritten_css("url(x)" * 10_000, base, lambda url: url)
    html = rewritten_html(
        f"<base href='{base}'>" + "<img src=x srcset=y>" * 5_000, base, lambda url: url, lambda url: url
    )
    assert len(css) < most + 10 * 10_000
    assert len(html) < most + 40 * 5_000
    wide = f"<base href='{base}{'b' * 200}/'><img src=x>"
    assert 'src="http://a.example/x"' in rewritten_html(
        wide, "http://a.example/", lambda url: url, lambda url: url
    )


@pytest.mark.parametrize(
    "kind", ["font/woff2", "application/font-woff", "application/octet-stream", "application/x-font-ttf"]
)
def test_archived_fonts_may_be_loaded(kind):
    """A browser loads a font only where any origin may: the sandbox makes the page another one than its files."""
    fetched = Fetched(
        Link("http://a.example/f.woff2", 1), 200, (("content-type", kind),), b"wOF2", b"", b"", 0.0, 0.0
    )
    answer = _shown(fetched, str, str)
    assert answer.status_code == 200
    assert answer.body == b"wOF2"
    assert answer.headers["access-control-allow-origin"] == "*"
