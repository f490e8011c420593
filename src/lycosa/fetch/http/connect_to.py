"""Where `fetch.connect_to` sends a host: an address and a port. Apart from what connects, so that a spec is checked quickly."""

from __future__ import annotations

from lycosa.errors import SpecError


def target_of(value: str) -> tuple[str, int]:
    """The address and the port that a value names; a SpecError where it names none.

    >>> target_of("[::1]:8080")
    ('::1', 8080)
    """
    host, _, port = value.rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 65536:
        raise SpecError(
            f'fetch.connect_to: "{value}" is not an address with a port. Write it like "127.0.0.1:8080".'
        )
    return host.strip("[]"), int(port)
