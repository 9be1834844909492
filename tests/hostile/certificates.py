"""Certificates for the TLS sites: one that an authority signed, one that nobody did."""

from __future__ import annotations

import ipaddress
import ssl
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

NAMES = [x509.DNSName("secure.test"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
Names = Sequence[x509.GeneralName]
Signer = tuple[x509.Name, ec.EllipticCurvePrivateKey]


MALFORMED = [x509.DNSName("*.*")]


def make_certificates(folder: Path) -> dict[str, ssl.SSLContext]:
    """Return server contexts by what their certificates are; authority.pem in `folder` is what to trust.

    All are trusted but the self-signed one; that one is whole, others name nobody, or no host that there is.
    """
    authority_key = ec.generate_private_key(ec.SECP256R1())
    authority_name = _name("Test authority")
    signer = authority_name, authority_key
    authority = _certificate(authority_name, authority_key, signer, NAMES, authority=True)
    (folder / "authority.pem").write_bytes(authority.public_bytes(serialization.Encoding.PEM))
    return {
        "trusted": _context(folder / "trusted.pem", signer),
        "self_signed": _context(folder / "self_signed.pem", None),
        "nameless": _context(folder / "nameless.pem", signer, []),
        "malformed": _context(folder / "malformed.pem", signer, MALFORMED),
    }


def _context(path: Path, signer: Signer | None, names: Names = NAMES) -> ssl.SSLContext:
    key = ec.generate_private_key(ec.SECP256R1())
    name = _name("secure.test")
    certificate = _certificate(name, key, signer or (name, key), names, authority=False)
    path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        + certificate.public_bytes(serialization.Encoding.PEM)
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    return context


def _certificate(
    name: x509.Name, key: ec.EllipticCurvePrivateKey, signer: Signer, names: Names, *, authority: bool
) -> x509.Certificate:
    now = datetime.now(UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(signer[0])
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=authority, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
    )
    if names:
        builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
    return builder.sign(signer[1], hashes.SHA256())


def _name(common: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common)])
