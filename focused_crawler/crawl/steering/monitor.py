"""Tells when a crawl stagnates or diffuses (Chakrabarti et al. 1999, section 4.3).

Stagnation: relevant pages come no more, and little is left to fetch. Diffusion: fewer and fewer of the pages
fetched are relevant, while plenty waits. Both begin with a fall of the harvest that does not end; what is
left in the frontier distinguishes them.

Relevant pages come in bursts, so that no fixed window will do: the fall is found by Page's test (CUSUM, E. S.
Page 1954) of a failing harvest against a healthy one, both as parts of the crawl's own mean. So a rare topic
is given more pages than a frequent one.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass
from math import log
from typing import Literal, NamedTuple

from focused_crawler.crawl.steering.estimate import Estimate

Kind = Literal["stagnation", "diffusion"]

HEALTHY, FAILING = 0.5, 0.1
"""Harvests that differ, as parts of the mean harvest of all pages so far."""
EVIDENCE = 30.0
"""Log likelihood ratio of failing to healthy that raises the alarm: so high because of bursts."""
LASTING = 0.25
"""A fall that does not end lasts for so many pages, as a part of those before it."""
FEWEST_PAGES = 100
"""No alarm before: the first pages mean little."""
FEWEST_RELEVANT = 5
"""No alarm before: a crawl that has found nothing yet has no harvest to lose."""
LITTLE_LEFT = 0.2
"""What is left is little if it is at most so large a part of what was found."""
WORTH_IT = 0.5
"""Harvest from which on a crawl that has fetched all there is has done well."""
WINDOW = 500
"""Pages that an alarm covers at most."""
NEAR = 0.2
"""A relevance so near to the threshold is a guess."""


class Seen(NamedTuple):
    """A fetched page, as the monitor sees it."""

    relevance: float  # [0, 1]
    is_gain: bool  # relevant by the crawl's own classifier, and no copy of another page
    host: str


@dataclass(frozen=True, slots=True)
class FrontierFacts:
    """What is left to fetch, as the frontier has it."""

    pending: int  # URLs
    estimate: Estimate | None = None  # relevant pages expected, as the crawl judges; None: unknown
    left: str = ""  # how many are relevant indeed, in words; empty: nobody can say
    hosts: int = 0  # of these URLs
    dropped: int = 0  # URLs that a limit, or a rule against traps, pushed out
    not_followed: int = 0  # URLs of links that the strategy would not follow


@dataclass(frozen=True, slots=True)
class Alarm:
    """What the monitor saw, and when."""

    kind: Kind
    pages: int  # fetched by then
    relevant: int
    since_pages: int  # of these, since the harvest fell
    since_relevant: int
    uncertain: float  # share of the pages since then whose relevance was near the threshold
    top_host: str  # the host with most of these pages
    top_share: float  # its share of them
    facts: FrontierFacts


class Monitor:
    """Follows a crawl page by page, in bounded memory; all it knows can be rebuilt from the recorded pages.

    An alarm is reported once. There may be another after the harvest has recovered and fallen again, but not
    before the crawl has twice as many pages as at the last one.
    """

    def __init__(self, threshold: float = 0.5) -> None:
        """Threshold: relevance from which on a page is relevant."""
        self._threshold = threshold
        self.pages = 0
        self.relevant = 0
        self._evidence = 0.0  # Page's statistic: from 0 (healthy) to EVIDENCE
        self._since = [0, 0]  # pages, relevant ones, since it was last 0: since the harvest fell, if it did
        self._is_down = False  # reported, and not recovered since
        self._told_at = 0  # pages
        self._last: deque[Seen] = deque(maxlen=WINDOW)

    def record(self, page: Seen) -> None:
        """Take in a fetched page."""
        self._weigh(page.is_gain)
        self.pages += 1
        self.relevant += page.is_gain
        self._last.append(page)
        self._since = [self._since[0] + 1, self._since[1] + page.is_gain]
        if self._evidence == 0:
            self._is_down, self._since = False, [0, 0]

    def due(self) -> bool:
        """Tell whether an alarm waits for a reading of the frontier, which costs something: seldom true."""
        is_known = self.pages >= FEWEST_PAGES and self.relevant >= FEWEST_RELEVANT
        is_new = not self._is_down and self.pages >= 2 * self._told_at
        is_lasting = self._since[0] >= LASTING * (self.pages - self._since[0])
        return is_known and is_new and is_lasting and self._evidence >= EVIDENCE

    def alarm(self, facts: FrontierFacts) -> Alarm | None:
        """Return the alarm that is due. That nothing is left to fetch is one, unless all was had and good."""
        is_dry = facts.pending == 0 and self.pages > self._told_at and not self._has_all(facts)
        if not is_dry and not self.due():
            return None
        self.reported()
        few = facts.estimate is not None and facts.estimate.middle <= LITTLE_LEFT * self.relevant
        return self._alarm("stagnation" if is_dry or few else "diffusion", facts)

    def _has_all(self, facts: FrontierFacts) -> bool:
        """Tell whether most of what was linked is fetched, and worth it: there is nothing to fix."""
        is_whole = facts.dropped + facts.not_followed <= self.pages
        return is_whole and not self._is_down and self.relevant >= WORTH_IT * self.pages

    def reported(self) -> None:
        """Take note that an alarm is raised at this page."""
        self._is_down = True
        self._told_at = self.pages

    def restore(self, pages: Iterable[Seen], alarms: Iterable[int]) -> None:
        """Take in what the runs before recorded: pages in order, and how many there were at each alarm."""
        reported = set(alarms)
        for page in pages:
            self.record(page)
            if self.pages in reported:
                self.reported()

    def _weigh(self, is_gain: bool) -> None:
        """Move Page's statistic by one page. It is bounded above, so that a recovery is seen soon."""
        mean = (self.relevant + 1) / (self.pages + 2)
        healthy, failing = HEALTHY * mean, FAILING * mean
        step = log(failing / healthy) if is_gain else log((1 - failing) / (1 - healthy))
        self._evidence = min(max(0.0, self._evidence + step), EVIDENCE)

    def _alarm(self, kind: Kind, facts: FrontierFacts) -> Alarm:
        last = list(self._last)[-max(self._since[0], 1) :]
        (top_host, top_pages), *_ = Counter(page.host for page in last).most_common(1) or [("", 0)]
        near = sum(abs(page.relevance - self._threshold) <= NEAR for page in last)
        return Alarm(
            kind=kind,
            pages=self.pages,
            relevant=self.relevant,
            since_pages=self._since[0],
            since_relevant=self._since[1],
            uncertain=near / max(len(last), 1),
            top_host=top_host,
            top_share=top_pages / max(len(last), 1),
            facts=facts,
        )
