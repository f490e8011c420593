"""Parsing of `fetch.connect_to`, apart from the client so that a spec is checked quickly."""

from __future__ import annotations

from lycosa.errors import SpecError


def target_of(value: str) -> tuple[str, int]:
    """Return the address and the port in a value. Raise SpecError if there is none.

    >>> target_of("[::1]:8080")
    ('::1', 8080)
    """
    host, _, port = value.rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 65536:
        raise SpecError(
            f'fetch.connect_to: "{value}" is not an address with a port. Write it like "127.0.0.1:8080".'
        )
    return host.strip("[]"), int(port)
