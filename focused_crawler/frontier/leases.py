"""The URLs that are out."""

from __future__ import annotations

from typing import NamedTuple

from focused_crawler.frontier.host import Host
from focused_crawler.frontier.order import Entry


class Out(NamedTuple):
    """A URL that is out."""

    host: Host  # its own
    at: Host  # the one that is asked: another, where a redirect leads there
    entry: Entry
    end: float
    host_before: tuple[float, float]  # the host's asked_at and ready_at before and after
    host_after: tuple[float, float]


class Leases(dict[int, Out]):
    """URLs by key, oldest lease first: one that begins, or begins anew, ends after all others."""

    def begin(self, out: Out) -> None:
        """Take note that a URL is out; the picking has told its host."""
        self[out.entry[-1]] = out

    def begin_anew(self, key: int, at: Host, end: float) -> Out:
        """Let a lease last until `end`, and count for another host if need be; return what it was."""
        before = self.finish(key)
        self[key] = before._replace(at=at, end=end)
        at.leased[key] = end
        return before

    def finish(self, key: int) -> Out:
        """End a lease."""
        out = self.pop(key)
        del out.at.leased[key]
        return out

    def overdue(self, now: float) -> list[int]:
        """Return the keys of the leases that have lasted for too long."""
        found = []
        for key, out in self.items():
            if out.end > now:
                break
            found.append(key)
        return found

    def first_end(self) -> float | None:
        """Return when the oldest lease ends."""
        return next((out.end for out in self.values()), None)
