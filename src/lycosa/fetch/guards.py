"""Guards against connections to private addresses.

The check is in the socket factory, where the final address is known: DNS rebinding and unusual spellings of addresses
cannot bypass it.
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
# Reserved networks that some versions of Python call global, and Azure's metadata address.
_NOT_PUBLIC = tuple(
    ipaddress.ip_network(network)
    for network in "192.0.0.0/24 192.88.99.0/24 168.63.129.16/32 64:ff9b:1::/48 fec0::/10 3fff::/20 5f00::/16".split()
)


class Attempt:
    """The request in flight, for the socket factory: its host, and the refusal of its address."""

    __slots__ = ("host", "refusal")

    def __init__(self, host: str) -> None:
        self.host = host
        self.refusal: Refusal | None = None


attempt_under_way: ContextVar[Attempt | None] = ContextVar("attempt_under_way", default=None)
"""Set for each request and inherited by the tasks of the HTTP client."""


def url_refusal(url: str, max_length: int) -> Refusal | None:
    """Refuse URLs that are not http or https, or too long.

    >>> print(url_refusal("ftp://a.example/", 2000))
    not an http or https URL
    """
    if not url.startswith(("http://", "https://")):
        return Refusal(Reason.NOT_HTTP)
    return Refusal(Reason.LONG_URL) if len(url) > max_length else None


@lru_cache(maxsize=10_000)
def address_refusal(address: str) -> Refusal | None:
    """Refuse every address outside the public internet, also if it is embedded in another address.

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
        return True  # the IPv4 address is checked itself
    return (
        address.is_global
        and not address.is_multicast
        and not address.is_unspecified
        and not (isinstance(address, ipaddress.IPv4Address) and address.is_reserved)
        and not any(address in network for network in _NOT_PUBLIC)
    )


def _embedded(address: _Address) -> list[ipaddress.IPv4Address]:
    """Return the IPv4 addresses embedded in an IPv6 address: mapped, compatible, 6to4, Teredo, NAT64."""
    if isinstance(address, ipaddress.IPv4Address):
        return []
    found = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    if address in _IPV4_COMPATIBLE or any(address in network for network in _NAT64):
        found.append(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF))
    return [form for form in found if form is not None]


class Guard:
    """Decides which addresses may be connected to, and makes sockets only for those."""

    def __init__(self, allow_private: Sequence[str]) -> None:
        # URLs write ::1 as [::1]; in a pattern, brackets would mean a set of characters.
        self._allowed = tuple(
            (pattern.strip("[]") if ":" in pattern else pattern).lower() for pattern in allow_private
        )

    def refusal(self, host: str, address: str) -> Refusal | None:
        """Return why this address is refused for this host; None if it is allowed."""
        refusal = address_refusal(address)
        if refusal is None:
            return None
        names = (host.strip("[]").rstrip(".").lower(), address.strip("[]").lower())
        if any(fnmatchcase(name, pattern) for pattern in self._allowed for name in names if name):
            return None
        return refusal

    def literal_refusal(self, host: str) -> Refusal | None:
        """Return why a host that is an address or `localhost` is refused; None for other names.

        For requests through a proxy, which resolves names itself.
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
        """Make a socket. Raise PermissionError for refused addresses, before any packet is sent."""
        family, kind, protocol, _, sockaddr = addr_info
        attempt = attempt_under_way.get()
        refusal = self.refusal(attempt.host if attempt else "", str(sockaddr[0]))
        if refusal is not None:
            if attempt is not None:
                attempt.refusal = refusal
            raise PermissionError(errno.EACCES, str(refusal))
        return socket.socket(family=family, type=kind, proto=protocol)
