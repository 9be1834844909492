"""Where metrics are served: the first free port of a range, by which names, and a file that says so."""

from __future__ import annotations

import errno
import json
import socket
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from focused_crawler.safety.errors import ConfigError
from focused_crawler.safety.whole_file import unfinished

SETTING = "FOCUSED_METRICS_PORT"
_BACKLOG = 16


def listen(address: str, ports: range) -> socket.socket:
    """Return a socket that listens on the first free port; raises ConfigError."""
    for port in ports:
        try:
            return _listen(address, port)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise ConfigError(
                    f"FOCUSED_METRICS_ADDRESS {address} cannot be listened on at port {port} ({error}); "
                    "give an address of this machine and a port from 1024 on"
                ) from None
    raise ConfigError(_taken(address, ports))


def _listen(address: str, port: int) -> socket.socket:
    family, _, _, _, location = socket.getaddrinfo(
        address, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(location)
        listener.listen(_BACKLOG)  # only now does it have the port: two may bind one
    except OSError:
        listener.close()
        raise
    listener.setblocking(False)
    return listener


def _taken(address: str, ports: range) -> str:
    first, last = ports[0], ports[-1]
    if len(ports) > 1:
        return f"{SETTING}: {first} to {last} on {address} are all taken; give a longer range"
    return (
        f"{SETTING}: {first} on {address} is taken; give another, or a range as in {first}-{first + 19}, "
        "of which each crawl takes the first free one"
    )


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


FOLDER = ".metrics"
_ANY = ("0.0.0.0", "::")  # noqa: S104 - compared with, not listened on


def target(address: str, port: int) -> str:
    """Return where others reach a listener.

    >>> target("::1", 9410)
    '[::1]:9410'
    """
    host = socket.gethostname() if address in _ANY else address
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def announce(crawls: Path, location: str) -> Path:
    """Write the file of a target, in a folder that all crawls beside it share, and return its path."""
    folder = crawls / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{location.replace(':', '_').replace('[', '').replace(']', '')}.json"
    with unfinished(path) as file:
        file.write_text(json.dumps([{"targets": [location]}]) + "\n", "utf-8")
    return path
