"""Host names to addresses. In: a host name. Out: its addresses, from a bounded cache or DNS.

`connect_to` sends hosts elsewhere, as curl's --connect-to does: URL and Host header stay.
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
"""A host name to its addresses, the best first; OSError if there is none."""

TTL_S = 300.0
FAILED_TTL_S = 30.0
MAX_HOSTS = 10_000
MAX_ADDRESSES = 8


async def look_up(host: str) -> Sequence[str]:
    """The addresses that the system's resolver knows for a host."""
    found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return [str(info[4][0]) for info in found]


class Resolver(AbstractResolver):
    """Looks hosts up, remembers the answers for a while, and sends some hosts elsewhere."""

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
        """The addresses of a host, the one to be connected to first; OSError if it has none."""
        if ":" in host or host.replace(".", "").isdigit():
            return (host.strip("[]"),)  # URLs are parsed by WHATWG: such a host is an address
        name = self._goes_to(host)[0] or host
        known = self._known.get(name)
        if known is None or known[0] < self._clock():
            known = await self._look_up(name)
        if isinstance(known[1], OSError):
            raise known[1].with_traceback(None)  # one error is raised many times
        return known[1]

    async def _look_up(self, name: str) -> tuple[float, tuple[str, ...] | OSError]:
        try:
            async with asyncio.timeout(self._timeout_s):
                found = tuple(dict.fromkeys(await self._lookup(name)))[:MAX_ADDRESSES]
            answer: tuple[str, ...] | OSError = found or socket.gaierror(socket.EAI_NONAME, "no address")
        except UnicodeError as error:  # a label that no DNS name can have
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
        """Note which address answered, so that it comes first from now on."""
        name = self._goes_to(host)[0] or host
        known = self._known.get(name)
        if known and not isinstance(known[1], OSError) and address in known[1][1:]:
            rest = (other for other in known[1] if other != address)
            self._known[name] = (known[0], (address, *rest))

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """What the connector asks for: addresses with ports."""
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
        """Forget everything."""
        self._known.clear()

    def _goes_to(self, host: str) -> tuple[str, int]:
        """Where `connect_to` sends this host; ('', 0) if nowhere."""
        for pattern, target in self._connect_to:
            if fnmatchcase(host, pattern):
                return target
        return "", 0


def _family(address: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in address else socket.AF_INET
