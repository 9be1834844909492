"""Whom a server on this machine answers: a web page that made its own name lead here is none of them."""

from __future__ import annotations

import socket
from ipaddress import ip_address
from urllib.parse import urlsplit


def is_own_name(header: str | None, address: str) -> bool:
    """Tell whether a Host header names us by a number, as localhost, by our address or by our name.

    DNS rebinding needs a name that its attacker chose.

    >>> [is_own_name(name, "127.0.0.1") for name in ("127.0.0.1:9410", "localhost", "evil.example")]
    [True, True, False]
    """
    try:
        name = urlsplit(f"//{header or ''}").hostname or ""
    except ValueError:
        return False
    if name in ("localhost", address.lower(), socket.gethostname().lower()):
        return True
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
