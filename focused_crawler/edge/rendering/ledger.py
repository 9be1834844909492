"""Where a browser added something, learned host by host, and the budget of pages that it may render."""

from __future__ import annotations

from collections import OrderedDict, deque
from dataclasses import dataclass
from typing import NamedTuple

from focused_crawler.edge.rendering.needs import Sign

ADVANCE = 20
"""Pages that may be rendered beyond the share, so that a crawl can begin with some, or meet some in a row."""

WINDOW = 200
"""Pages by which it is estimated how many need rendering, and what they promise."""


class RenderBudget:
    """Counts pages, and grants renderings."""

    def __init__(self, share: float) -> None:
        self._share = share
        self._left = float(ADVANCE) if share else 0.0
        self._recent: deque[float | None] = deque(maxlen=WINDOW)  # promises; None: needs no rendering

    def pass_over(self) -> None:
        """Count a page that needs no rendering."""
        self._count(None)

    def grants(self, promise: float) -> bool:
        """Count a page that needs rendering, and tell whether it may have it."""
        self._count(promise)
        if self._left < 1 or promise < self._least():
            return False
        self._left -= 1
        return True

    def _count(self, promise: float | None) -> None:
        self._recent.append(promise)
        self._left = min(self._left + self._share, ADVANCE)

    def _least(self) -> float:
        """Return the promise from which on a page may be rendered: a quantile of the last ones."""
        wishes = sorted(promise for promise in self._recent if promise is not None)
        affordable = self._share * len(self._recent)
        is_short = self._left < ADVANCE / 2
        return wishes[-max(1, int(affordable))] if is_short and affordable < len(wishes) else 0.0


LINK_WORDS = 4
"""A link counts as much as so many words: it is what a crawler lives on."""

LEAST_WORDS = 10
LEAST_SHARE = 0.1
"""What a browser has to add to be worth its while: a clock or a greeting is nothing."""


class View(NamedTuple):
    """A form of a page: as it was sent, or as a browser showed it."""

    words: int
    links: int
    is_relevant: bool

    @property
    def size(self) -> int:
        return self.words + LINK_WORDS * self.links


def is_better(rendered: View, sent: View) -> bool:
    """Tell whether the rendered form has so much more text that it is to be the page."""
    return rendered.size >= sent.size * (1 + LEAST_SHARE) + LEAST_WORDS


FIRST_TRIES = 3
"""Pages of a host that are rendered for one sign before outcomes decide."""

LEAST_GAINS = 0.2
"""Share of renderings that must add something for a host's pages to be rendered for that sign."""

MEMORY = 20
"""Outcomes so far back count half: hosts change."""

MOST_HOSTS = 50_000


@dataclass(slots=True)
class Outcomes:
    """What came of the pages rendered for one sign; the older ones count less."""

    tries: float = 0.0
    gains: float = 0.0
    relevant: float = 0.0  # gains on pages that are relevant

    def add(self, *, gained: bool, relevant: bool) -> None:
        if self.tries >= MEMORY:
            self.tries, self.gains, self.relevant = self.tries / 2, self.gains / 2, self.relevant / 2
        self.tries += 1
        self.gains += gained
        self.relevant += gained and relevant


class RenderLedger:
    """Says of a host whether to render a page for a sign, and how much is to be had."""

    def __init__(self) -> None:
        self._hosts: OrderedDict[str, dict[Sign, Outcomes]] = OrderedDict()

    def has_gained(self, host: str) -> bool:
        """Tell whether rendering a page of the host ever added anything."""
        return any(outcomes.gains for outcomes in self._hosts.get(host, {}).values())

    def is_worth_trying(self, host: str, sign: Sign) -> bool:
        """Tell whether outcomes speak for rendering a page of a host for a sign, or are still too few."""
        if sign == "host" and not self.has_gained(host):
            return False
        outcomes = self._hosts.get(host, {}).get(sign, Outcomes())
        return outcomes.tries < FIRST_TRIES or outcomes.gains >= LEAST_GAINS * outcomes.tries

    def promise(self, host: str, sign: Sign) -> float:
        """Return what is to be expected, (0, 1]: most from a host where rendering showed relevant pages."""
        outcomes = self._hosts.get(host, {}).get(sign, Outcomes())
        return (0.5 + 0.8 * outcomes.relevant + 0.2 * outcomes.gains) / (1 + outcomes.tries)

    def record(self, host: str, sign: Sign, *, gained: bool, relevant: bool) -> None:
        """Learn from a page that was rendered for a sign."""
        outcomes = self._hosts.setdefault(host, {}).setdefault(sign, Outcomes())
        outcomes.add(gained=gained, relevant=relevant)
        self._hosts.move_to_end(host)
        if len(self._hosts) > MOST_HOSTS:
            self._hosts.popitem(last=False)
