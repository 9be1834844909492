"""TLS connections to servers whose certificate names the host that is asked.

Twisted's own check logs a traceback for a certificate that names nobody, or has a name that is none, and then
takes it for one of any host.
"""

from __future__ import annotations

from typing import Any

from OpenSSL import SSL
from service_identity.hazmat import DNS_ID, IPAddress_ID, ServiceID, verify_service_identity
from service_identity.pyopenssl import extract_patterns
from twisted.internet.interfaces import IOpenSSLClientConnectionCreator
from zope.interface import implementer  # type: ignore[import-untyped]


@implementer(IOpenSSLClientConnectionCreator)
class NamingConnections:
    """Makes the connections that another creator makes, to servers that can show who they are."""

    def __init__(self, creator: Any, host: str) -> None:
        """Raises ValueError for a host that no certificate can name."""
        self._creator = creator
        self._host = _identity(host)

    def clientConnectionForTLS(self, tlsProtocol: Any) -> SSL.Connection:
        """Return the connection; its handshake fails where the certificate is of somebody else."""
        connection: SSL.Connection = self._creator.clientConnectionForTLS(tlsProtocol)
        connection.set_verify(SSL.VERIFY_PEER | SSL.VERIFY_FAIL_IF_NO_PEER_CERT, self._is_good)
        return connection

    def _is_good(self, connection: Any, certificate: Any, *found: int) -> bool:
        """Tell OpenSSL whether a certificate will do; what this raises would be lost there."""
        _, depth, is_trusted = found
        if not is_trusted or depth:
            return bool(is_trusted)
        try:
            verify_service_identity(extract_patterns(certificate), [self._host], [])
        except Exception:  # also what a malformed one raises
            return False
        return True


def _identity(host: str) -> ServiceID:
    try:
        return IPAddress_ID(host)
    except ValueError:
        return DNS_ID(host)
