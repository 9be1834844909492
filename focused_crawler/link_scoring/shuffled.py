"""The scores of a real strategy, on the wrong links: a control."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from struct import Struct
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from focused_crawler.link_scoring.base import LinkScorer, Parts
from focused_crawler.link_scoring.baselines import share_of
from focused_crawler.page.model import Link, Page

if TYPE_CHECKING:
    from focused_crawler.classify.model import TopicModel

POOL = 4096
"""So many of the last scores are dealt out."""

_NOT_FOLLOWED = -1.0  # stands for None in the pool
_COUNT = Struct("<q")


class Shuffled:
    """Runs a strategy, and gives each link the score of another one.

    Which of the last scores a URL gets is drawn once for all by a hash. Its priority is that score's rank
    among them, equal ones in the middle of theirs: scores fall while a crawl leaves its seeds, and taken as
    they are they would say how early a link was met. What the strategy would not follow is dealt out, too,
    below all else. All that it does besides scoring goes on as ever.
    """

    def __init__(self, scorer: LinkScorer, seed: int) -> None:
        self._scorer, self._seed = scorer, ~seed  # another order than that of `random`
        self._latest = self._ranked = np.empty(0)

    def __getattr__(self, name: str) -> Any:
        """Return what else the strategy has, such as `path`, if it has it; but it scores nothing again."""
        if name.startswith("_") or name == "rescore":  # the first may not be there yet, in a copy
            raise AttributeError(name)
        return getattr(self._scorer, name)

    def score(self, page: Page, links: Sequence[Link]) -> list[float]:
        """Return the rank of the score that each link is dealt; of none, before the first page, its draw."""
        drawn, among = [share_of(link.url, self._seed) for link in links], len(self._ranked)
        if not among:
            return drawn
        dealt = self._ranked[[int(share * among) for share in drawn]]
        sides = zip(*(np.searchsorted(self._ranked, dealt, side) for side in ("left", "right")), strict=True)
        return [float(below + above) / (2 * among) for below, above in sides]

    def learn(self, page: Page) -> None:
        """Let the strategy learn, and put its scores of the page's links into the pool."""
        self._scorer.learn(page)
        scores = self._scorer.score(page, page.links)
        new = [_NOT_FOLLOWED if score is None else score for score in scores]
        self._fill(np.concatenate([self._latest, new])[-POOL:])

    def parts(self, page: Page, link: Link) -> Parts:
        """Return the rank: what made the score is said of another link."""
        return Parts("dealt", {"dealt": self.score(page, [link])[0]})

    def memory(self) -> bytes:
        """Return the pool, and what the strategy has learnt."""
        note = getattr(self._scorer, "memory", None)
        learnt = None if note is None else note()
        return _COUNT.pack(len(self._latest)) + self._latest.astype("<f8").tobytes() + (learnt or b"")

    def remember(self, memory: bytes) -> None:
        """Take up what `memory` returned; raises ValueError."""
        count = _COUNT.unpack_from(memory)[0] if len(memory) >= _COUNT.size else -1
        if not 0 <= count <= POOL:
            raise ValueError(f"{count} shuffled scores are none")
        scores = np.frombuffer(memory, "<f8", count, _COUNT.size) if count else np.empty(0)
        if not np.all((scores >= _NOT_FOLLOWED) & (scores <= 1)):
            raise ValueError("a shuffled score is beyond 1")
        self._fill(scores)
        if learnt := memory[_COUNT.size + scores.nbytes :]:
            self._scorer.remember(learnt)

    def _fill(self, scores: np.ndarray[Any, np.dtype[np.float64]]) -> None:
        self._latest, self._ranked = scores, np.sort(scores)


class Shuffle:
    """Makes a shuffled strategy as the strategy itself is made, and says of it what is said of that."""

    def __init__(self, factory: Callable[[TopicModel, Any], LinkScorer]) -> None:
        self._factory = factory

    def __call__(self, model: TopicModel, options: Any) -> LinkScorer:
        return cast("LinkScorer", Shuffled(self._factory(model, options), options.random_seed))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._factory, name)
