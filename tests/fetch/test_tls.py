"""https, end to end on loopback: certificates that hold, and ones that do not."""

from __future__ import annotations

import asyncio
import os
import ssl
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import trustme

from lycosa.values import Fetched, NotFetched, Reason
from tests.fetch.conftest import Site, fetch, reply

HOST = "archive.test"

# A process of its own: what is trusted is read once, when the first connection is thought of.
FETCH_ONE = """
import asyncio, sys
from tests.fetch.conftest import fetch
port = sys.argv[1]
result = asyncio.run(fetch(f"https://archive.test:{port}/a", connect_to={"archive.test": f"127.0.0.1:{port}"}))
sys.stdout.write(result.body.decode())
"""


@pytest.fixture
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
async def secure(authority: trustme.CA) -> AsyncIterator[Site]:
    """A site that speaks TLS with a certificate for its name, of an authority nobody knows."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(HOST).configure_cert(context)
    site = Site({"/a": reply(b"<p>over TLS")})
    server = await asyncio.start_server(site.serve, "127.0.0.1", 0, ssl=context)
    site.port = server.sockets[0].getsockname()[1]
    yield site
    server.close()


async def test_a_certificate_that_holds(secure: Site, authority: trustme.CA, tmp_path: Path):
    """With its authority trusted (SSL_CERT_FILE, as for curl), the page comes."""
    trusted = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(str(trusted))
    environment = {**os.environ, "SSL_CERT_FILE": str(trusted), "PYTHONPATH": os.pathsep.join(sys.path)}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", FETCH_ONE, str(secure.port)),
        stdout=asyncio.subprocess.PIPE,
        env=environment,
    )
    output, _ = await process.communicate()
    assert output == b"<p>over TLS"


@pytest.mark.parametrize("name", [HOST, "another.test"])
async def test_a_certificate_that_does_not_hold(secure: Site, name: str):
    """An unknown authority or another name is a final refusal, and nothing was asked."""
    result = await fetch(f"https://{name}:{secure.port}/a", connect_to={name: f"127.0.0.1:{secure.port}"})
    assert isinstance(result, NotFetched)
    assert (result.refusal.reason, result.again_in_s, secure.asked) == (Reason.TLS, None, [])


async def test_certificates_need_not_be_verified(secure: Site):
    """With verify_tls off the page of a broken certificate is archived all the same."""
    result = await fetch(
        f"https://{HOST}:{secure.port}/a", connect_to={HOST: f"127.0.0.1:{secure.port}"}, verify_tls=False
    )
    assert isinstance(result, Fetched)
    assert (result.status, result.body, result.address) == (200, b"<p>over TLS", "127.0.0.1")
