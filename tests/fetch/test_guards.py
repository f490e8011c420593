"""No address of this machine or its neighbours is reached unless the spec names the host."""

from __future__ import annotations

import ipaddress
import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lycosa import urls
from lycosa.fetch.guards import Guard, address_refusal
from lycosa.fetch.http.client import HttpClient
from lycosa.fetch.http.fetcher import HttpFetcher
from lycosa.fetch.http.resolver import Resolver
from lycosa.fetch.live import live_fetcher
from lycosa.values import Fetched, NotFetched, Reason
from tests.fetch.conftest import PAGE_TYPES, link_to, reply, spec_with

PRIVATE = """
    127.0.0.1 127.8.9.10 0.0.0.0 10.1.2.3 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254 100.64.0.1
    100.100.100.200 192.0.0.192 192.0.2.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1 239.1.1.1 240.0.0.1
    255.255.255.255 168.63.129.16 :: ::1 fe80::1 fe80::1%eth0 fc00::1 fd00:ec2::254 ff02::1 ff0e::1 2001:db8::1
    ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::127.0.0.1 2002:7f00:1:: 2002:a9fe:a9fe:: 64:ff9b::127.0.0.1
    64:ff9b::a9fe:a9fe 64:ff9b:1::7f00:1 2001:0:4136:e378:8000:63bf:80ff:fffe [::1] localhost nonsense
""".split()


@pytest.mark.parametrize("address", PRIVATE)
def test_addresses_that_are_not_public_are_refused(address):
    """Loopback, private, link-local, shared, reserved, multicast, metadata, in every wrapping."""
    refusal = address_refusal(address)
    assert refusal is not None
    assert refusal.reason is Reason.PRIVATE_ADDRESS


@pytest.mark.parametrize(
    "address", ["93.184.216.34", "8.8.8.8", "2606:2800:220:1::1", "::ffff:8.8.8.8", "64:ff9b::808:808"]
)
def test_public_addresses_pass(address):
    """The public internet may be asked."""
    assert address_refusal(address) is None


@given(st.ip_addresses(v=4))
def test_wrapping_an_address_never_makes_it_public(address):
    """An IPv4 address that is refused stays refused as mapped, compatible, 6to4 and NAT64."""
    number = int(address)
    forms = [f"::ffff:{address}", f"::{address}", f"64:ff9b::{address}"]
    forms.append(str(ipaddress.IPv6Address((0x2002 << 112) | (number << 80))))
    if address_refusal(str(address)):
        assert all(address_refusal(form) for form in forms)


@given(st.text(max_size=50))
def test_any_text_is_judged(text):
    """What is no address is refused, never an error."""
    address_refusal(text)


@pytest.mark.parametrize(
    ("pattern", "host", "address", "allowed"),
    [
        ("demo.test", "demo.test", "127.0.0.1", True),
        ("*.demo.test", "a.demo.test", "127.0.0.1", True),
        ("DEMO.test", "demo.TEST.", "10.0.0.1", True),
        ("*.demo.test", "demo.example", "127.0.0.1", False),
        ("127.0.0.1", "x.test", "127.0.0.1", True),
        ("127.0.0.1", "x.test", "127.0.0.2", False),
        ("[::1]", "[::1]", "::1", True),
        ("10.0.*", "intra.test", "10.0.7.7", True),
    ],
)
def test_private_addresses_are_allowed_by_name(pattern, host, address, allowed):
    """allow_private takes patterns of host names and of addresses."""
    assert (Guard([pattern]).refusal(host, address) is None) == allowed


async def test_sockets_are_only_made_to_what_is_allowed():
    """Without knowing for whom, the socket factory refuses every private address."""
    info = (socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", ("127.0.0.1", 80))
    with pytest.raises(PermissionError, match="private"):
        Guard(["demo.test"]).make_socket(info)


@pytest.mark.parametrize(
    "url",
    [
        "http://2130706433/",
        "http://0x7f.1/",
        "http://127.1/",
        "http://0177.0.0.1/",
        "http://[::ffff:7f00:1]/",
    ],
)
async def test_odd_forms_of_addresses_are_seen_through(site, url):
    """However an address is written, the address is what is judged."""
    parsed = urls.parse(url)
    assert parsed is not None
    async with live_fetcher(spec_with(allow_private=()), PAGE_TYPES) as fetcher:
        for spelled in (url, parsed):
            result = await fetcher.fetch(link_to(spelled))
            assert isinstance(result, NotFetched)
            assert result.again_in_s is None
            assert spelled == url or result.refusal.reason is Reason.PRIVATE_ADDRESS


async def test_rebinding_is_caught_where_the_connection_is_made(site):
    """A name that first has a public address and then a private one never reaches the private one."""
    web = await site({"/": reply()})
    answers = iter([["8.8.8.8"], ["127.0.0.1"]])

    async def lookup(host):
        return next(answers)

    resolver = Resolver({}, lookup=lookup)
    async with HttpClient(spec_with(allow_private=()), resolver) as client:
        fetcher = HttpFetcher(client, PAGE_TYPES, max_bytes=1000)
        assert await resolver.addresses("evil.test") == ("8.8.8.8",)
        resolver._known.clear()  # as when the answer has expired
        result = await fetcher.fetch(link_to(f"http://evil.test:{web.port}/"))
    assert isinstance(result, NotFetched)
    assert (result.refusal.reason, result.passing) == (Reason.PRIVATE_ADDRESS, False)
    assert web.connections == 0


async def test_connecting_elsewhere_still_needs_permission(site):
    """connect_to keeps URL and Host header, and does not by itself allow a private address."""
    web = await site({"/": reply(b"demo")})
    to = {"*.demo.test": f"127.0.0.1:{web.port}"}
    async with live_fetcher(spec_with(allow_private=(), connect_to=to), PAGE_TYPES) as fetcher:
        result = await fetcher.fetch(link_to("http://a.demo.test/"))
        assert isinstance(result, NotFetched)
        assert result.refusal.reason is Reason.PRIVATE_ADDRESS
    async with live_fetcher(spec_with(allow_private=("*.demo.test",), connect_to=to), PAGE_TYPES) as fetcher:
        result = await fetcher.fetch(link_to("http://a.demo.test/"))
        assert isinstance(result, Fetched)
    assert web.asked[0].headers["host"] == "a.demo.test"


async def test_one_public_address_among_private_ones_is_no_way_in(site):
    """Of several addresses only the public ones are tried."""
    web = await site({"/": reply()})

    async def lookup(host):
        return ["127.0.0.1", "::1", "10.0.0.1"]

    async with live_fetcher(spec_with(allow_private=()), PAGE_TYPES, lookup=lookup) as fetcher:
        result = await fetcher.fetch(link_to(f"http://many.test:{web.port}/"))
    assert isinstance(result, NotFetched)
    assert result.refusal.reason is Reason.PRIVATE_ADDRESS
    assert web.connections == 0
