"""Connections of requests that can be cut from another thread.

Its own time limit is one of each read: who sends "100 Continue" without end is read without end.
"""

from __future__ import annotations

import socket
from contextlib import suppress
from threading import Lock
from typing import Any
from weakref import WeakSet

from requests.adapters import HTTPAdapter
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool, ProxyManager
from urllib3.connection import HTTPConnection, HTTPSConnection


class SeverableAdapter(HTTPAdapter):
    """Makes all connections of a session, and knows which there are."""

    def init_poolmanager(self, *args: Any, **options: Any) -> None:
        super().init_poolmanager(*args, **options)
        self._made = WeakSet[socket.socket]()
        self._is_severed = False
        self._lock = Lock()
        keep = self._keep

        class Kept:
            """Tells of each socket as soon as it is there: a proxy is read before a connection is made."""

            _sock: socket.socket | None

            @property
            def sock(self) -> socket.socket | None:
                return self._sock

            @sock.setter
            def sock(self, sock: socket.socket | None) -> None:
                self._sock = sock
                if isinstance(sock, socket.socket):  # TLS within TLS is none: the outer one was told of
                    keep(sock)

        class Plain(Kept, HTTPConnection):
            pass

        class Secure(Kept, HTTPSConnection):
            pass

        self._pools: dict[str, type[HTTPConnectionPool]] = {
            "http": type("PlainPool", (HTTPConnectionPool,), {"ConnectionCls": Plain}),
            "https": type("SecurePool", (HTTPSConnectionPool,), {"ConnectionCls": Secure}),
        }
        self.poolmanager.pool_classes_by_scheme = self._pools

    def proxy_manager_for(self, proxy: str, **options: Any) -> Any:
        manager = super().proxy_manager_for(proxy, **options)
        if isinstance(manager, ProxyManager):  # SOCKS has connections of its own
            manager.pool_classes_by_scheme = self._pools
        return manager

    def sever(self) -> None:
        """End all connections, also those still to be made: whoever reads from one gets an error."""
        with self._lock:
            self._is_severed = True
            for sock in self._made:
                _end(sock)

    def _keep(self, sock: socket.socket) -> None:
        with self._lock:
            self._made.add(sock)
            if self._is_severed:  # given up while it was connecting
                _end(sock)


def _end(sock: socket.socket) -> None:
    with suppress(OSError):  # it has ended
        sock.shutdown(socket.SHUT_RDWR)
