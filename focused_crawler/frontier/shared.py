"""What a frontier has, beyond the contract, that many workers share."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import AbstractContextManager
from typing import Protocol

from focused_crawler.frontier.base import Frontier

Info = Mapping[str, str | int | float]
"""What a worker says of itself, for whoever looks at the whole."""


class SharedFrontier(Frontier, Protocol):
    """A frontier on a server: one worker's way to it. Times are those of the server's clock."""

    def beat(self, info: Info) -> int:
        """Say that this worker lives; return how many workers do."""

    def resync(self, known: Collection[str]) -> int:
        """Give back what this worker has out, or has ended and not kept, and does not know of."""

    def together(self) -> AbstractContextManager[None]:
        """Let what is said inside, and has no answer, be sent at the end at once."""

    def server_time(self) -> float:
        """Return what the server's clock says, in seconds since the epoch."""

    def server_runs(self) -> frozenset[str]:
        """Return a name of each server that lasts until it is started anew."""
