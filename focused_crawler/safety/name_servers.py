"""Who is asked for the addresses of hosts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from focused_crawler.safety.errors import ConfigError
from focused_crawler.safety.settings import number, setting


def _servers(name: str, value: Any) -> tuple[str, ...]:
    """Read addresses, each with a port if it is not 53: 127.0.0.1:5353, [::1]:5353, 9.9.9.9."""
    parts = value.split(",") if isinstance(value, str) else value or ()
    if not isinstance(parts, Iterable):
        raise ConfigError(f"{name} is {value!r}; use a list of name servers, as in ['9.9.9.9']")
    servers = tuple(str(part).strip() for part in parts if str(part).strip())
    for server in servers:
        try:
            asked = urlsplit(f"//{server}" if server.count(":") < 2 or "]" in server else f"//[{server}]")
            ip_address(asked.hostname or "")
            is_server = asked.port != 0
        except ValueError:
            is_server = False
        if not is_server:
            raise ConfigError(
                f"{name} has {server!r}; use addresses such as 9.9.9.9, 127.0.0.1:5353 or [::1]:5353"
            )
    return servers


@dataclass(frozen=True, slots=True)
class NameSettings:
    """Who is asked for the address of a host, and how long."""

    servers: tuple[str, ...] = setting("FOCUSED_NAME_SERVERS", [], _servers)  # empty: those of the system
    timeout: float = number("DNS_TIMEOUT", 10.0, least=0.1)  # seconds of a lookup, all its tries together
