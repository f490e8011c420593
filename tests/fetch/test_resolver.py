"""Host names are looked up once in a while, with bounds."""

from __future__ import annotations

import asyncio
import socket

import pytest

from lycosa.errors import SpecError
from lycosa.fetch.http import resolver as module
from lycosa.fetch.http.resolver import Resolver
from lycosa.fetch.live import live_fetcher
from lycosa.values import NotFetched, Reason
from tests.fetch.conftest import PAGE_TYPES, link_to, spec_with


class Names:
    """A lookup that counts and answers what it is told."""

    def __init__(self, answer):
        self.answer = answer
        self.asked = []

    async def __call__(self, host):
        self.asked.append(host)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


async def test_answers_are_remembered_for_a_while():
    """A host is looked up again only after its time."""
    times = iter([0.0, 299.0, 301.0, 301.0])
    names = Names(["192.0.2.1", "192.0.2.1", "192.0.2.2"])
    resolver = Resolver({}, lookup=names, clock=lambda: next(times))
    for _ in range(3):
        assert await resolver.addresses("a.test") == ("192.0.2.1", "192.0.2.2")
    assert len(names.asked) == 2


async def test_failures_are_remembered_shortly():
    """A host without address is not looked up for each of its URLs."""
    names = Names(socket.gaierror(socket.EAI_NONAME, "no such name"))
    resolver = Resolver({}, lookup=names, clock=lambda: 0.0)
    for _ in range(3):
        with pytest.raises(OSError, match="no such name"):
            await resolver.addresses("a.test")
    assert len(names.asked) == 1


async def test_the_cache_is_bounded(monkeypatch):
    """The longest-known hosts are forgotten when there are too many."""
    monkeypatch.setattr(module, "MAX_HOSTS", 3)
    names = Names(["192.0.2.1"])
    resolver = Resolver({}, lookup=names)
    for n in range(10):
        await resolver.addresses(f"h{n}.test")
    assert len(resolver._known) == 3


async def test_the_address_that_answered_comes_first():
    """So that per-IP limits count the address that is really used."""
    resolver = Resolver({}, lookup=Names(["2001:db8::1", "192.0.2.1"]))
    await resolver.addresses("a.test")
    resolver.prefer("a.test", "192.0.2.1")
    assert await resolver.addresses("a.test") == ("192.0.2.1", "2001:db8::1")


async def test_addresses_are_not_looked_up():
    """A host that is an address stays it."""
    names = Names([])
    resolver = Resolver({}, lookup=names)
    assert await resolver.addresses("192.0.2.7") == ("192.0.2.7",)
    assert await resolver.addresses("[::1]") == ("::1",)
    assert not names.asked


@pytest.mark.parametrize("value", ["", "127.0.0.1", "127.0.0.1:", ":80", "127.0.0.1:http", "127.0.0.1:99999"])
def test_bad_connect_to_is_refused_with_the_fix(value):
    """A target that is no address and port is named, with how to write it."""
    with pytest.raises(SpecError, match=r'fetch\.connect_to: .* Write it like "127.0.0.1:8080"'):
        Resolver({"a.test": value})


@pytest.mark.parametrize(
    ("error", "passing"),
    [
        (socket.gaierror(socket.EAI_NONAME, "no such name"), False),
        (socket.gaierror(socket.EAI_AGAIN, "try again"), True),
        (UnicodeError("label too long"), False),
    ],
)
async def test_dns_failures_are_told(error, passing):
    """A name that does not exist is final; a resolver in trouble is a passing fault."""
    async with live_fetcher(spec_with(obey_robots=True), PAGE_TYPES, lookup=Names(error)) as fetcher:
        result = await fetcher.fetch(link_to("http://nowhere.test/"))
    assert isinstance(result, NotFetched)
    assert (result.refusal.reason, result.again_in_s is not None) == (Reason.DNS, passing)


async def test_a_silent_resolver_is_given_up():
    """DNS has the time of a connection, no more."""

    async def lookup(host):
        await asyncio.Event().wait()

    async with live_fetcher(spec_with(connect_timeout_s=0.05), PAGE_TYPES, lookup=lookup) as fetcher:
        result = await fetcher.fetch(link_to("http://slow.test/"))
    assert isinstance(result, NotFetched)
    assert (result.refusal.reason, result.again_in_s is not None) == (Reason.DNS, True)
