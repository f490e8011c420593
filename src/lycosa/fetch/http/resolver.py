"""DNS resolution with a bounded cache.

`connect_to` redirects hosts like curl's --connect-to: URL and Host header stay.
"""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from fnmatch import fnmatchcase

from aiohttp.abc import AbstractResolver, ResolveResult

from lycosa.fetch.http.connect_to import target_of

Lookup = Callable[[str], Awaitable[Sequence[str]]]
"""Resolves a host name to its addresses, best first. Raises OSError if there is none."""

TTL_S = 300.0
FAILED_TTL_S = 30.0
MAX_HOSTS = 10_000
MAX_ADDRESSES = 8


async def look_up(host: str) -> Sequence[str]:
    """Resolve a host with the system's resolver."""
    found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return [str(info[4][0]) for info in found]


class Resolver(AbstractResolver):
    """Resolves hosts, caches the answers, and redirects the hosts in `connect_to`."""

    def __init__(
        self,
        connect_to: Mapping[str, str],
        *,
        lookup: Lookup = look_up,
        timeout_s: float = 10.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._connect_to = [(pattern.lower(), target_of(value)) for pattern, value in connect_to.items()]
        self._lookup = lookup
        self._timeout_s = timeout_s
        self._clock = clock
        self._known: dict[str, tuple[float, tuple[str, ...] | OSError]] = {}

    async def addresses(self, host: str) -> tuple[str, ...]:
        """Return the addresses of a host, in the order to try. Raise OSError if it has none."""
        if ":" in host or host.replace(".", "").isdigit():
            return (host.strip("[]"),)  # URLs are parsed by WHATWG: such a host is an address
        name = self._goes_to(host)[0] or host
        known = self._known.get(name)
        if known is None or known[0] < self._clock():
            known = await self._look_up(name)
        if isinstance(known[1], OSError):
            raise known[1].with_traceback(None)  # the cached error is raised again and again
        return known[1]

    async def _look_up(self, name: str) -> tuple[float, tuple[str, ...] | OSError]:
        try:
            async with asyncio.timeout(self._timeout_s):
                found = tuple(dict.fromkeys(await self._lookup(name)))[:MAX_ADDRESSES]
            answer: tuple[str, ...] | OSError = found or socket.gaierror(socket.EAI_NONAME, "no address")
        except UnicodeError as error:  # not a valid DNS name
            answer = socket.gaierror(socket.EAI_NONAME, str(error))
        except TimeoutError:
            answer = socket.gaierror(socket.EAI_AGAIN, "DNS did not answer in time")
        except OSError as error:
            answer = error
        ttl = FAILED_TTL_S if isinstance(answer, OSError) else TTL_S
        known = (self._clock() + ttl, answer)
        self._known.pop(name, None)
        self._known[name] = known
        if len(self._known) > MAX_HOSTS:
            del self._known[next(iter(self._known))]
        return known

    def prefer(self, host: str, address: str) -> None:
        """Put the address that answered first."""
        name = self._goes_to(host)[0] or host
        known = self._known.get(name)
        if known and not isinstance(known[1], OSError) and address in known[1][1:]:
            rest = (other for other in known[1] if other != address)
            self._known[name] = (known[0], (address, *rest))

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """Return addresses with ports, for the connector."""
        to_port = self._goes_to(host)[1] or port
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=to_port,
                family=_family(address),
                proto=0,
                flags=socket.AI_NUMERICHOST,
            )
            for address in await self.addresses(host)
            if family in (socket.AF_UNSPEC, _family(address))
        ]

    async def close(self) -> None:
        """Clear the cache."""
        self._known.clear()

    def _goes_to(self, host: str) -> tuple[str, int]:
        """Return where `connect_to` redirects this host; ('', 0) if it does not."""
        for pattern, target in self._connect_to:
            if fnmatchcase(host, pattern):
                return target
        return "", 0


def _family(address: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in address else socket.AF_INET
