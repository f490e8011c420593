"""The certificate of the loopback proxies. Only the temporary profile of one browser trusts it."""

from __future__ import annotations

import base64
import hashlib
import ssl
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple

VALID = timedelta(days=30)


class Certificate(NamedTuple):
    """A certificate for every host; `fingerprint` is the hash of its key, as Chromium expects it."""

    tls: ssl.SSLContext
    fingerprint: str


def throw_away_certificate() -> Certificate:
    """Make a key and a certificate. The key is on disk only while it is loaded."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.serialization import (
        Encoding,
        NoEncryption,
        PrivateFormat,
        PublicFormat,
    )

    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Lycosa's recording proxy")])
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - VALID)
        .not_valid_after(now + VALID)
        .sign(key, hashes.SHA256())
    )
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.TemporaryDirectory(prefix="lycosa-") as folder:  # readable only by its owner
        path = Path(folder) / "proxy.pem"
        private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        path.write_bytes(private + certificate.public_bytes(Encoding.PEM))
        tls.load_cert_chain(path)
    public = key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return Certificate(tls, base64.b64encode(hashlib.sha256(public).digest()).decode())
