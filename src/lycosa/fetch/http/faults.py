"""Why an exchange failed, from the exceptions of aiohttp."""

from __future__ import annotations

import asyncio
import socket
import ssl

import aiohttp

from lycosa.errors import MACHINE_FAULTS, MachineError
from lycosa.fetch.guards import Attempt
from lycosa.fetch.http.connections import Unasked
from lycosa.values import Reason, Refusal

MAX_DETAIL = 200


class Fault(Exception):
    """An exchange without a usable response. `passing` means that a retry may succeed.

    `status` and `retry_after` are those of the response, if one began.
    """

    status = 0
    retry_after = ""

    def __init__(self, refusal: Refusal, *, passing: bool = False) -> None:
        # Details quote servers: store and show one short line of valid text.
        line = " ".join(refusal.detail.split())[:MAX_DETAIL].encode("utf-8", "replace").decode()
        self.refusal = Refusal(refusal.reason, line)
        super().__init__(str(self.refusal))
        self.passing = passing


class Dropped(aiohttp.ClientError):
    """The connection broke before a response began."""


def dns_fault(error: OSError) -> Fault:
    """Return the fault of a failed DNS look-up."""
    passing = getattr(error, "errno", None) in (socket.EAI_AGAIN, socket.EAI_SYSTEM)
    return Fault(Refusal(Reason.DNS, error.strerror or str(error)), passing=passing)


def fault_of(error: Exception, attempt: Attempt | None = None) -> Fault:
    """Return the fault that an exception of aiohttp means. Raise MachineError if this machine is at fault."""
    if isinstance(error, OSError) and error.errno in MACHINE_FAULTS:
        raise MachineError.of(error) from error
    detail = str(error) or type(error).__name__
    match error:
        case aiohttp.ClientConnectorDNSError():
            return dns_fault(error.os_error)
        case aiohttp.ClientSSLError() | ssl.SSLError():
            return Fault(Refusal(Reason.TLS, detail))
        case aiohttp.ClientConnectorError() if attempt is not None and attempt.refusal is not None:
            return Fault(attempt.refusal)
        case aiohttp.ClientPayloadError() | Dropped() | Unasked():
            return Fault(Refusal(Reason.BROKEN_RESPONSE, detail), passing=True)
        case asyncio.TimeoutError():
            return Fault(Refusal(Reason.TIMEOUT, detail), passing=True)
        case aiohttp.ClientHttpProxyError() | aiohttp.ClientConnectionError() | OSError():
            return Fault(Refusal(Reason.CONNECT, detail), passing=True)
        case aiohttp.InvalidURL():
            return Fault(Refusal(Reason.BAD_URL, detail))
        case _:
            # An unexpected response costs a page, not the crawl.
            return Fault(Refusal(Reason.BROKEN_RESPONSE, detail))
