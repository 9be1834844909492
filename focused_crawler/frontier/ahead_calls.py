"""What the crawl says to a shared frontier, on its way there: in order, many at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from itertools import islice
from typing import Any, NamedTuple

from focused_crawler.frontier.base import Candidate

ENDS = frozenset({"done", "failed", "refused", "release"})
"""Methods that end the lease of their first argument."""

_BATCH_CALLS = 256
_BATCH_LINKS = 500
_PASSED_BY_LINKS = frozenset({"done", "failed", "asked", "pace", "kept"})  # links may be queued before these


class Call(NamedTuple):
    """A method of the frontier and its arguments; `answer`: where the crawl waits for what it returns."""

    what: str
    args: tuple[Any, ...]
    answer: Future[Any] | None = None

    @property
    def ended(self) -> str | None:
        """Return the URL whose lease it ends."""
        return str(self.args[0]) if self.what in ENDS else None

    @property
    def is_to_keep(self) -> bool:
        """Tell whether it ends a URL for good, and so has to be kept."""
        return self.what == "done" or (self.what == "failed" and self.args[1] is None)


def next_batch(calls: Iterable[Call]) -> list[Call]:
    """Return the first few calls, as many as do not take long; a `kept` among them ends them.

    If the answer is lost they are said again, and `kept` is about all that has ended when it is heard.
    """
    batch: list[Call] = []
    links = 0
    for call in islice(calls, _BATCH_CALLS):
        links += len(call.args[0]) if call.what == "add" else 0
        if links > _BATCH_LINKS and batch:
            break
        batch.append(call)
    last_kept = max((n for n, call in enumerate(batch, 1) if call.what == "kept"), default=len(batch))
    return batch[:last_kept]


def gathered(batch: Sequence[Call]) -> list[Call]:
    """Return calls that come to the same in fewer: links of several pages at once, `kept` once.

    No link comes later than it did, and nothing is kept earlier.
    """
    last_kept = max((n for n, call in enumerate(batch) if call.what == "kept"), default=-1)
    result: list[Call] = []
    links: list[Candidate] | None = None
    for n, call in enumerate(batch):
        if call.what == "add":
            if links is None:
                links = []
                result.append(Call("add", (links,)))
            links.extend(call.args[0])
        elif call.what != "kept" or n == last_kept:
            links = links if call.what in _PASSED_BY_LINKS else None
            result.append(call)
    return [part for call in result for part in _parts(call)]


def _parts(call: Call) -> list[Call]:
    """Cut a call with very many links into several."""
    if call.what != "add" or len(call.args[0]) <= _BATCH_LINKS:
        return [call]
    links = call.args[0]
    starts = range(0, len(links), _BATCH_LINKS)
    return [Call("add", (links[start : start + _BATCH_LINKS],)) for start in starts]
