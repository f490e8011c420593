from __future__ import annotations

import errno
import os
import socket

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lycosa.errors import LycosaError, SpecError
from lycosa.library.access import Origins, local_path, split_host
from lycosa.library.serving import serve
from tests.library import sample_library

PATHS = [
    "/",
    "/c/storm/",
    "/c/storm/search?q=storm",
    "/c/storm/page/1",
    "/c/storm/monitor",
    "/api/collections",
    "/search",
]


@pytest.mark.parametrize("path", PATHS)
def test_nothing_is_shown_without_a_token(storm, path):
    """Every address but the login and the assets refuses who has no cookie."""
    with sample_library.client(storm, let_in=False) as browser:
        answer = browser.get(path)
    assert answer.status_code == 401
    assert "storm" not in answer.text.lower().replace("lycosa serve", "")


def test_the_printed_address_lets_in_by_a_strict_cookie(storm):
    """The token becomes a cookie that scripts cannot read and other sites cannot send, and leaves the address."""
    with sample_library.client(storm, let_in=False) as browser:
        answer = browser.get(f"/c/storm/?token={sample_library.KEYS.token}")
        cookie = answer.headers["set-cookie"].lower()
        assert (answer.status_code, answer.headers["location"]) == (303, "/c/storm/")
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert sample_library.KEYS.token.lower() not in cookie
        assert browser.get("/c/storm/").status_code == 200


@pytest.mark.parametrize("token", ["", "wrong", "a-token-of-the-test", "ü"])
def test_a_wrong_token_opens_nothing(storm, token):
    """Only the exact token is one."""
    with sample_library.client(storm, let_in=False) as browser:
        assert browser.get("/c/storm/", params={"token": token}).status_code == 401


def test_a_wrong_cookie_opens_nothing(storm):
    """A cookie that we did not give is none."""
    with sample_library.client(storm, let_in=False) as browser:
        browser.cookies.set(f"lycosa-{sample_library.PORT}", "guessed")
        assert browser.get("/c/storm/").status_code == 401


@pytest.mark.parametrize(
    "host", ["evil.test:8765", "127.0.0.1:80", "127.0.0.1", "localhost.evil.test:8765", "", "[::1]:9", "a b"]
)
def test_a_rebound_name_is_refused(browser, host):
    """A request that names another host is refused, cookie or not: DNS rebinding gains nothing."""
    assert browser.get("/c/storm/", headers={"Host": host}).status_code == 421


@pytest.mark.parametrize("host", ["localhost:8765", "[::1]:8765", "127.0.0.1:8765"])
def test_all_names_of_this_machine_are_known(browser, host):
    """Loopback by any of its names is loopback."""
    assert browser.get("/static/style.css", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_other_sites_scripts_are_refused(browser, site):
    """What another origin's page fetches, the replay port's too, gets no answer even with a cookie."""
    asked = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"}
    assert browser.get("/api/collections", headers=asked).status_code == 403
    framed = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}
    assert browser.get("/c/storm/", headers=framed).status_code == 403


@pytest.mark.parametrize(
    "origin", ["http://evil.test", f"http://127.0.0.1:{sample_library.REPLAY_PORT}", "null", None]
)
def test_forms_of_others_change_nothing(browser, storm, origin):
    """A change needs our own origin, and the key that only our pages carry."""
    headers = {"Origin": origin} if origin else {}
    form = {"form_key": sample_library.KEYS.form_key(), "id": "1", "relevant": "yes"}
    assert browser.post("/c/storm/label", data=form, headers=headers).status_code == 403
    assert not (storm / "labels.db").exists()


def test_a_form_without_its_key_changes_nothing(browser, storm):
    """The right origin alone is not enough."""
    headers = {"Origin": f"http://127.0.0.1:{sample_library.PORT}"}
    assert (
        browser.post("/c/storm/label", data={"id": "1", "relevant": "yes"}, headers=headers).status_code
        == 403
    )
    assert not (storm / "labels.db").exists()


def test_every_answer_is_fenced_in(browser):
    """No inline script, no foreign source, no framing, no sniffing; also on errors."""
    for path in ("/c/storm/", "/nowhere", "/static/app.js", "/api/collections"):
        headers = browser.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"


def test_a_password_is_asked_for_and_tries_are_counted(storm):
    """With a password the login form opens the library; guessing is slowed down."""
    own = {"Origin": f"http://{sample_library.HOST}:{sample_library.PORT}"}
    with sample_library.client(storm, password="sesame", let_in=False) as browser:
        asked = browser.get("/c/storm/", headers={"Accept": "text/html"})
        assert asked.headers["location"] == "/login?next=%2Fc%2Fstorm%2F"
        assert browser.post("/login", data={"password": "wrong"}, headers=own).status_code == 403
        opened = browser.post("/login", data={"password": "sesame", "next": "//evil.test"}, headers=own)
        assert (opened.status_code, opened.headers["location"]) == (303, "/")
        assert browser.get("/c/storm/").status_code == 200
        for _ in range(12):
            last = browser.post("/login", data={"password": "wrong"}, headers=own)
        assert "Too many" in last.text


def test_binding_beyond_this_machine_needs_a_password(storm):
    """--host alone is refused, with the way out."""
    with pytest.raises(SpecError, match="--password"):
        serve([storm], host="0.0.0.0", port=0, password="", say=print)


@pytest.mark.parametrize(("port", "words"), [(99_999, "ports go from"), (-1, "ports go from"), (0, "in use")])
def test_a_port_that_cannot_be_used(storm, port, words):
    """One sentence, with what to do."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(LycosaError, match=words):
            serve([storm], host="127.0.0.1", port=port or taken.getsockname()[1], password="", say=print)


def test_an_address_of_another_machine(storm):
    """An address that is not ours is refused with what to do."""
    with pytest.raises(LycosaError, match="--host"):
        serve([storm], host="192.0.2.1", port=0, password="x", say=print)


def test_a_machine_without_ipv6(storm, monkeypatch):
    """An IPv6 address is refused like any other that is not ours."""

    def no_ipv6(*_: object) -> socket.socket:
        raise OSError(errno.EAFNOSUPPORT, os.strerror(errno.EAFNOSUPPORT))

    monkeypatch.setattr("lycosa.library.serving.socket.socket", no_ipv6)
    with pytest.raises(LycosaError, match=r"not supported by protocol.*--host"):
        serve([storm], host="::1", port=0, password="", say=print)


def test_a_wide_binding_knows_addresses_but_not_names():
    """On all addresses a Host header may be an address, never a name that somebody else controls."""
    wide = Origins("0.0.0.0", 8765, 8766)
    assert wide.knows("192.168.1.5:8765", 8765)
    assert not wide.knows("evil.test:8765", 8765)


def test_large_bodies_are_cut_off(browser):
    """A request body beyond a form's size is refused."""
    headers = {"Origin": f"http://127.0.0.1:{sample_library.PORT}"}
    try:
        answer = browser.post("/c/storm/label", content=b"x" * 200_000, headers=headers)
    except Exception:  # the connection was closed, which is a refusal too
        return
    assert answer.status_code >= 400


@given(st.text(max_size=60))
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_a_way_back_never_leads_away(text):
    """Whatever `next` says, the redirect stays here."""
    path = local_path(text)
    assert path.startswith("/")
    assert not path.startswith(("//", "/\\"))


@given(st.text(max_size=40))
def test_a_host_header_never_crashes(text):
    """Any Host header is understood or refused."""
    split_host(text)
    assert not sample_library.ORIGINS.knows("x" + text, 8765)


def test_a_form_that_is_too_long_is_refused_plainly(storm):
    """Nobody is shown a traceback for it."""
    with sample_library.client(storm) as browser:
        answer = sample_library.post(browser, "/c/storm/label", note="x" * 100_000)
    assert answer.status_code == 413
