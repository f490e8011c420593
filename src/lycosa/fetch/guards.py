"""Guards of the network. In: the host asked for and an address. Out: a refusal, or None.

The check sits where sockets are made, so it sees the very address that is about to be connected
to: neither DNS rebinding nor an address written in an odd form gets around it.
"""

from __future__ import annotations

import errno
import ipaddress
import socket
from collections.abc import Sequence
from contextvars import ContextVar
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any

from lycosa.values import Reason, Refusal

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_NAT64 = (ipaddress.IPv6Network("64:ff9b::/96"), ipaddress.IPv6Network("64:ff9b:1::/48"))
_IPV4_COMPATIBLE = ipaddress.IPv6Network("::/96")
# What the registries keep apart but some versions of Python call global, and the one address at
# which a cloud (Azure) talks to its own machines that is neither link-local nor private.
_NOT_PUBLIC = tuple(
    ipaddress.ip_network(network)
    for network in "192.0.0.0/24 192.88.99.0/24 168.63.129.16/32 64:ff9b:1::/48 fec0::/10 3fff::/20 5f00::/16".split()
)


class Attempt:
    """What the socket maker must know and tell of the request under way."""

    __slots__ = ("host", "refusal")

    def __init__(self, host: str) -> None:
        self.host = host
        self.refusal: Refusal | None = None


attempt_under_way: ContextVar[Attempt | None] = ContextVar("attempt_under_way", default=None)
"""Set for each request; the tasks that the HTTP client starts for it inherit it."""


def url_refusal(url: str, max_length: int) -> Refusal | None:
    """Refuse what is no URL of the web, or too long a one.

    >>> print(url_refusal("ftp://a.example/", 2000))
    not an http or https URL
    """
    if not url.startswith(("http://", "https://")):
        return Refusal(Reason.NOT_HTTP)
    return Refusal(Reason.LONG_URL) if len(url) > max_length else None


@lru_cache(maxsize=10_000)
def address_refusal(address: str) -> Refusal | None:
    """Refuse every address that is not one of the public internet, whatever it is wrapped in.

    >>> address_refusal("93.184.216.34") is None
    True
    >>> print(address_refusal("::ffff:127.0.0.1").detail)
    ::ffff:127.0.0.1
    """
    try:
        parsed = ipaddress.ip_address(address.strip("[]").partition("%")[0])
    except ValueError:
        return Refusal(Reason.PRIVATE_ADDRESS, f"{address} is not an IP address")
    if all(_is_public(form) for form in (parsed, *_embedded(parsed))):
        return None
    return Refusal(Reason.PRIVATE_ADDRESS, address)


def _is_public(address: _Address) -> bool:
    if isinstance(address, ipaddress.IPv6Address) and address.ipv4_mapped:
        return True  # only another way to write the IPv4 address, which is judged itself
    return (
        address.is_global
        and not address.is_multicast
        and not address.is_unspecified
        and not (isinstance(address, ipaddress.IPv4Address) and address.is_reserved)
        and not any(address in network for network in _NOT_PUBLIC)
    )


def _embedded(address: _Address) -> list[ipaddress.IPv4Address]:
    """The IPv4 addresses that an IPv6 one leads to: mapped, compatible, 6to4, Teredo, NAT64."""
    if isinstance(address, ipaddress.IPv4Address):
        return []
    found = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if address in _IPV4_COMPATIBLE or any(address in network for network in _NAT64):
        found.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return [form for form in found if form is not None]


class Guard:
    """Says which addresses may be connected to, for which host; makes sockets only to those."""

    def __init__(self, allow_private: Sequence[str]) -> None:
        # [::1] is how a URL writes ::1; as a pattern the brackets would mean a set of letters.
        self._allowed = tuple(
            (pattern.strip("[]") if ":" in pattern else pattern).lower() for pattern in allow_private
        )

    def refusal(self, host: str, address: str) -> Refusal | None:
        """Why this address may not be connected to for this host; None if it may."""
        refusal = address_refusal(address)
        if refusal is None:
            return None
        names = (host.strip("[]").rstrip(".").lower(), address.strip("[]").lower())
        if any(fnmatchcase(name, pattern) for pattern in self._allowed for name in names if name):
            return None
        return refusal

    def literal_refusal(self, host: str) -> Refusal | None:
        """The same for a host that is an address itself or means this machine; None for other names.

        For requests through a proxy, where it is the proxy that looks names up and connects.
        """
        name = host.strip("[]").rstrip(".").lower()
        if name == "localhost" or name.endswith(".localhost"):
            return self.refusal(host, "127.0.0.1")
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return None
        return self.refusal(host, name)

    def make_socket(self, addr_info: tuple[Any, ...]) -> socket.socket:
        """The socket factory of the connector: refuses before a single packet is sent."""
        family, kind, protocol, _, sockaddr = addr_info
        attempt = attempt_under_way.get()
        refusal = self.refusal(attempt.host if attempt else "", str(sockaddr[0]))
        if refusal is not None:
            if attempt is not None:
                attempt.refusal = refusal
            raise PermissionError(errno.EACCES, str(refusal))
        return socket.socket(family=family, type=kind, proto=protocol)
