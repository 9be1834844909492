"""The workbench's server: a socket, uvicorn on asyncio, until Ctrl-C."""

from __future__ import annotations

import socket
from contextlib import suppress

import uvicorn

from focused_crawler.safety.errors import ConfigError
from focused_crawler.workbench.access import Access
from focused_crawler.workbench.app import make_app
from focused_crawler.workbench.bench import Workbench

MOST_CONNECTIONS = 200
_LAST_ANSWERS_SECONDS = 1


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; `port` 0: any. Raises ConfigError."""
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        made = socket.socket(family, socket.SOCK_STREAM)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
        made.listen(100)
    except OSError as error:
        raise ConfigError(
            f"{host}:{port} cannot be listened on ({error.strerror}); give another with --port or --host"
        ) from None
    return made


def serve(bench: Workbench, access: Access, listening: socket.socket) -> None:
    """Answer until a signal comes, which is no error."""
    config = uvicorn.Config(
        make_app(bench, access),
        log_level="warning",
        access_log=False,
        server_header=False,
        lifespan="off",
        limit_concurrency=MOST_CONNECTIONS,
        timeout_graceful_shutdown=_LAST_ANSWERS_SECONDS,
        ws="none",
    )
    with suppress(KeyboardInterrupt):  # uvicorn sends itself the signal that has ended it
        uvicorn.Server(config).run(sockets=[listening])
