"""The port that metrics are served on: the first free one of a range."""

from __future__ import annotations

import errno
import socket

from focused_crawler.errors import ConfigError

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
    family, _, _, _, place = socket.getaddrinfo(
        address, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(place)
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
