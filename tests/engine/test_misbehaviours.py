"""A crawl ends whatever a server does wrong."""

from __future__ import annotations

import socket
import time
from pathlib import Path
from typing import Any

import pytest

from lycosa.fetch.guards import Guard
from lycosa.testing import Site
from tests.crawling import crawl, kept, refusal_of, spec_text
from tests.misbehaviours import MISBEHAVIOURS, web_with

GOOD = {"http://start.test/", "http://good.test/", "http://good.test/one", "http://good.test/two"}
PER_SITE = 10
ENDS_WITHIN_S = 300.0  # on a very busy machine; most take a second
HUNG = {"stalls", "slow_drip", "robots_stalls"}  # only the time-outs end them; all others may take their time
HEAVY = {"huge_html", "many_links", "long_attribute", "gzip_bomb"}  # analysed in a worker, as they would be

KEPT = ""  # it is in the collection
# What becomes of the bad page: the name of the reason why it is not kept.
EXPECTED = {
    "slow": KEPT,
    "stalls": "TIMEOUT",
    "slow_drip": "TIMEOUT",
    "drops": "BROKEN_RESPONSE",
    "hangs_up": "BROKEN_RESPONSE",
    "resets": "BROKEN_RESPONSE",
    "lying_length": "BROKEN_RESPONSE",
    "broken_chunked": "BROKEN_RESPONSE",
    "not_http": "BROKEN_RESPONSE",
    "endless": "TOO_LARGE",
    "header_flood": "BROKEN_RESPONSE",
    "long_header": "BROKEN_RESPONSE",
    "endless_continue": "BROKEN_RESPONSE",
    "gzip_bomb": "BOMB",
    "not_gzip": "BAD_ENCODING",
    "cut_gzip": KEPT,  # as far as it goes
    "unknown_encoding": KEPT,  # as it is
    "bad_charset": KEPT,
    "wrong_type": KEPT,  # an HTML page, says its server, though without words
    "nul_bytes": KEPT,
    "huge_html": KEPT,
    "many_links": KEPT,
    "long_attribute": KEPT,
    "bad_links": KEPT,
    "too_many_requests": "HTTP_ERROR",  # one retry is allowed here, and it takes three
    "private_redirect": KEPT,
    "host_trap": KEPT,
    "status_503": "HTTP_ERROR",
    "status_500": "HTTP_ERROR",
    "status_unknown": "HTTP_ERROR",
    "rate_limited_for_ever": "HTTP_ERROR",
    "bad_retry_after": KEPT,
    "redirect_to_itself": "REDIRECT_LOOP",
    "redirect_loop": KEPT,
    "endless_redirects": KEPT,
    "bad_redirect": "BAD_REDIRECT",
    "no_location": "BAD_REDIRECT",
    "robots_5xx": "ROBOTS_UNREACHABLE",
    "robots_stalls": "ROBOTS_UNREACHABLE",
    "robots_endless": KEPT,
    "robots_loop": KEPT,
    "robots_is_html": KEPT,
    "robots_is_binary": KEPT,
    "robots_slow_host": "ROBOTS",
    "calendar_trap": KEPT,
    "session_trap": KEPT,
    "deep_trap": KEPT,
    "soft_404": "SOFT_404",
}
# Where the fault shows only at a URL that the bad page leads to.
FURTHER_ON = {
    "private_redirect": ("http://169.254.169.254/latest/meta-data/", "PRIVATE_ADDRESS"),
    "redirect_loop": ("http://bad.test/it/back", "REDIRECT_LOOP"),
    "endless_redirects": ("http://bad.test/it?hop=3", "TOO_MANY_REDIRECTS"),
}


def test_every_misbehaviour_has_an_expectation() -> None:
    """A misbehaviour that is added to the local web must be decided on here."""
    assert set(EXPECTED) == set(MISBEHAVIOURS)


@pytest.mark.parametrize("name", MISBEHAVIOURS)
def test_a_misbehaving_host_costs_only_itself(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The crawl ends, has the good pages, says what was wrong with the bad one, and stays on loopback."""
    addresses = _watched_addresses(monkeypatch)
    begun = time.monotonic()
    with Site(web_with(name)) as site:
        crawl(_spec(site, name), tmp_path / "out")
    assert time.monotonic() - begun < ENDS_WITHIN_S
    pages = kept(tmp_path / "out")
    bad = f"http://bad.test{MISBEHAVIOURS[name].entry}"
    assert set(pages) >= GOOD
    assert refusal_of(tmp_path / "out", bad) == EXPECTED[name]
    if name in FURTHER_ON:
        url, reason = FURTHER_ON[name]
        assert refusal_of(tmp_path / "out", url) == reason
    assert (bad in pages) == (EXPECTED[name] is KEPT and name not in FURTHER_ON)
    assert len(pages) <= len(GOOD) + PER_SITE
    assert addresses == {"127.0.0.1"}


def _watched_addresses(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The addresses that sockets are made for, from now on."""
    seen: set[str] = set()
    make_socket = Guard.make_socket

    def watched(self: Guard, info: tuple[Any, ...]) -> socket.socket:
        made = make_socket(self, info)  # raises where the guard refuses
        seen.add(info[4][0])
        return made

    monkeypatch.setattr(Guard, "make_socket", watched)
    return seen


def _spec(site: Site, name: str) -> str:
    patience_s = 2 if name in HUNG else 60
    return spec_text(
        site,
        ["http://start.test/"],
        limits={"pages": 100, "pages_per_site": PER_SITE},
        frontier={"max_waiting": 50},
        process={"workers": int(name in HEAVY), "deadline_s": 30},
        fetch={
            "per_host_delay_s": 0,
            "connect_to": site.connect_to,
            "allow_private": list(site.allow_private),
            "connect_timeout_s": patience_s,
            "read_timeout_s": patience_s,
            "total_timeout_s": 2 * patience_s,
            "retries": 1,
            "max_retry_after_s": 0.3,
            "max_bytes": 4_000_000,
            "max_decoded_bytes": 20_000_000,
            "max_redirects": 3,
        },
    )
