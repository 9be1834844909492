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

        class Plain(HTTPConnection):
            def connect(self) -> None:
                super().connect()
                keep(self.sock)

        class Secure(HTTPSConnection):
            def connect(self) -> None:
                super().connect()
                keep(self.sock)

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
