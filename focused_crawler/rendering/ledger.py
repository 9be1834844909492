"""Where a browser added something, and where it did not: learned host by host from outcomes."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from focused_crawler.rendering.needs import Sign

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
