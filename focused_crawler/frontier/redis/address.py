"""FOCUSED_FRONTIER: the URL of a Redis server, and what of it may be shown. Imports no client."""

from __future__ import annotations

import re
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit, urlunsplit

from focused_crawler.safety.errors import ConfigError

SERVERS = ("redis://", "rediss://")
"""How the address of a frontier begins that several processes share."""
_HELP = (
    "write redis://HOST:PORT/0 or redis://USER:PASSWORD@HOST:PORT/0 (rediss:// for TLS; in a password"
    " / # ? @ : are %2F %23 %3F %40 %3A), as in redis://localhost:6379/0"
)
_DATABASE = re.compile("[0-9]{0,9}")
_OPTIONS = re.compile(
    "username|password|db|client_name|socket_timeout|socket_connect_timeout|socket_keepalive"
    "|health_check_interval|ssl_[a-z_]+"
)
"""Of an address, after its ?; others would change the answers that the frontier counts on."""
_NUMBERS = {
    "db": int,
    "health_check_interval": int,
    "socket_timeout": float,
    "socket_connect_timeout": float,
    "ssl_min_version": int,
}
"""Options that are numbers."""


def shown_address(address: str) -> str:
    """Return an address without its password and its options.

    A user without a password is not shown either: it may be a password without its colon.

    >>> shown_address("redis://me:secret@localhost:6379/1?ssl_cert_reqs=none")
    'redis://me@localhost:6379/1'
    """
    try:
        parts = urlsplit(address)
    except ValueError:
        return "redis://?"
    if _is_torn(address, parts):
        return "redis://?"
    user, location = parts.username if parts.password else None, parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, f"{user}@{location}" if user else location, parts.path, "", ""))


def check_address(address: str) -> None:
    """Raise `ConfigError`, which does not show it, for what is no address of a Redis server."""
    try:
        parts = urlsplit(address)
        is_right = address.startswith(SERVERS) and not _is_torn(address, parts) and _is_location(parts)
        is_known = all(map(_OPTIONS.fullmatch, parse_qs(parts.query)))
        for name, values in parse_qs(parts.query).items():
            _NUMBERS.get(name, str)(values[0])
    except ValueError:
        is_right = False
    if not is_right:
        raise ConfigError(f"FOCUSED_FRONTIER is no address of a Redis server; {_HELP}")
    if not is_known:
        raise unusable()


def unusable() -> ConfigError:
    """Return what to say of an option that Redis's client does not take."""
    return ConfigError(
        "FOCUSED_FRONTIER has an option after its ? that Redis's client does not take here (those of TLS,"
        f" ssl_..., need rediss://); leave it out: {_HELP}"
    )


def _is_torn(address: str, parts: SplitResult) -> bool:
    """Tell whether a character of the password may have ended it, so that its rest is taken for a host."""
    is_plain = address.isprintable() and " " not in address and "#" not in address
    return not is_plain or address.count("@") > 1 or parts.netloc.count("@") != address.count("@")


def _is_location(parts: SplitResult) -> bool:
    number = parts.path.strip("/")
    host = unquote(parts.hostname or "")
    return bool(host.encode("idna")) and parts.port != 0 and bool(_DATABASE.fullmatch(number))
