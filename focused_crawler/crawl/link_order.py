"""A strategy at work in a crawl: which scores its links get, and what it has learnt."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import compress
from typing import Any, Self, TypeAlias, cast

from focused_crawler.crawl.checked_scores import one_a_link
from focused_crawler.crawl.lessons import LINKS, PAGE, unpacked
from focused_crawler.crawl.lists.use import Priors
from focused_crawler.crawl.scored_links import FoundLinks, ScoredLink
from focused_crawler.link_scoring.base import (
    LONGEST_PATH,
    HeldLink,
    LearningScorer,
    LinkScorer,
    Rescorer,
    TeachingScorer,
    splits,
    teaches,
)
from focused_crawler.link_scoring.rescoring import RescoringStrategy
from focused_crawler.link_scoring.strategy import Strategy
from focused_crawler.page.model import Page
from focused_crawler.page.url import url_key
from focused_crawler.safety.aside import Parts
from focused_crawler.safety.errors import CrawlError, UnusableMemory, WrongScores
from focused_crawler.topic.scope import EVERYWHERE, Scope

AT_A_TIME = 250
"""So many links of a page are read, and stored and queued, in one turn of the loop."""

Rescore: TypeAlias = Callable[[Sequence[HeldLink]], Sequence[float]]


class LinkOrder:
    """Gives links the strategy's scores, as far as the scope and lists of sites leave them."""

    def __init__(
        self,
        strategy: str,
        scorer: LinkScorer,
        reads_path: bool = True,
        priors: Priors | None = None,
        scope: Scope = EVERYWHERE,
    ) -> None:
        """`reads_path`: the classifier goes by the way to a page; `priors`: of sites, from earlier crawls."""
        self.strategy, self.scorer, self.priors = strategy, scorer, priors
        self._reads_path, self._scope = reads_path, scope

    def take_over(self, other: Self) -> None:
        """Score from now on as another does, with what this one's strategy has learnt."""
        memory = self.memory()
        self.become(other)
        if memory is not None:
            with suppress(CrawlError):  # of a strategy that was untrained, or now is
                self.remember(memory)

    def become(self, other: Self) -> None:
        """Score from now on as another does, and know what it has learnt."""
        self.scorer, self._reads_path = other.scorer, other._reads_path
        for of_earlier in ("_learner", "_teacher"):
            self.__dict__.pop(of_earlier, None)

    def learn_as(self, other: Self, under_way: Sequence[bytes]) -> None:
        """Know from now on what another has learnt, and learn the pages that are not recorded yet."""
        if self.rescores and (memory := other.memory()) is not None:
            self.remember(memory)
            for learnt in under_way:
                self.learn_elsewhere(learnt)

    @property
    def acts_as(self) -> str:
        """Return the strategy that its own is where nothing was trained for it; empty: it is itself."""
        return str(getattr(self.scorer, "acts_as", ""))

    @property
    def learns(self) -> bool:
        """Tell whether the strategy learns from pages: then one process must see all of them, in order."""
        return getattr(type(self.scorer), "learn", None) is not Strategy.learn

    @cached_property
    def _learner(self) -> LearningScorer | None:
        """Return the strategy if it learns from features of pages."""
        return cast("LearningScorer", self.scorer) if splits(self.scorer) else None

    @cached_property
    def _teacher(self) -> TeachingScorer | None:
        """Return the strategy if what it learns can be told to other processes."""
        is_one = self._learner is not None and (self.rescores or teaches(self.scorer))
        return cast("TeachingScorer", self.scorer) if is_one else None

    @property
    def teaches(self) -> bool:
        """Tell whether processes that crawl together can learn from the pages of all."""
        return self._teacher is not None

    def lesson(self, features: Any) -> bytes:
        """Return what others are to learn from a page by its features; empty: nothing."""
        return b"" if self._teacher is None else self._teacher.lesson(features)

    @property
    def needs_pages(self) -> bool:
        """Tell whether links cannot be found in another process: the strategy learns from whole pages."""
        return self.learns and self._learner is None

    @property
    def rescores(self) -> bool:
        """Tell whether the strategy changes its mind about any links: then it must learn all pages again."""
        return isinstance(self.scorer, RescoringStrategy)

    def scores(self, page: Page) -> Sequence[float | None]:
        """Return the scores of a page's links, in reading order; the strategy learns from the page first."""
        if self._learner is not None:
            return self.learn_and_score(self.find(page), page.depth)
        self.scorer.learn(page)
        urls = [link.url for link in page.links]  # a user's own may leave some out
        if self._scope.is_too_deep(page.depth):
            return [None] * len(urls)
        return self.corrected(urls, self.scorer.score(page, page.links))

    def reading(self, page: Page) -> Parts[None]:
        """Let the strategy read the links of a long page, in parts, before it is asked for their scores."""
        if not hasattr(self.scorer, "read"):
            return
        for first in range(0, len(page.links), AT_A_TIME):
            self.scorer.read(page.links[first : first + AT_A_TIME])
            yield

    def find(self, page: Page) -> FoundLinks:
        """Return the links of a page with scores, or with the features that these are to come from.

        A strategy that scores again what waits is told of no link that the scope leaves out: it never waits.
        """
        if self._learner is None:
            scores = self.scores(page)
            return self._found(page)._replace(scores=scores)
        found, links, is_deep = self._found(page), page.links, self._scope.is_too_deep(page.depth)
        if self.rescores and (is_deep or self._scope.bounds):
            is_open = [not is_deep and not self._scope.outside(url) for url in found.urls]
            found, links = found._replace(is_open=is_open), list(compress(links, is_open))
        return found._replace(features=self._learner.features(page, links))

    def score_listing(self, page: Page) -> list[ScoredLink]:
        """Return what a sitemap or feed lists with scores, in its order; the strategy learns nothing."""
        score = cast("RescoringStrategy", self.scorer).score_apart if self.rescores else self.scorer.score
        return self._listed(page, score(page, page.links))

    def learn_listing(self, page: Page) -> tuple[list[ScoredLink], bytes]:
        """Return the same of what is queued, and what the strategy learnt by that; empty: nothing."""
        if not self.rescores:
            return self.score_listing(page), b""
        scorer = cast("RescoringStrategy", self.scorer)
        features = scorer.features(page, page.links)
        return self._listed(page, scorer.score_from(features)), features

    def _listed(self, page: Page, scores: Sequence[float | None]) -> list[ScoredLink]:
        corrected = self.corrected([link.url for link in page.links], scores)
        links = zip(page.links, corrected, strict=True)
        return [ScoredLink(link.url, link.text, 0, score) for link, score in links]

    def give_up(self, key: int) -> bool:
        """Let the strategy know that no page came of a URL; tell whether it had waited for that."""
        return self.rescores and cast("RescoringStrategy", self.scorer).give_up(key)

    def learn_and_score(self, found: FoundLinks, depth: int) -> Sequence[float | None]:
        """Return the scores of a page's links, once the strategy has learnt from their features."""
        learner = self._learner
        assert learner is not None
        learner.learn_from(found.features)
        if self._scope.is_too_deep(depth):
            return [None] * len(found.urls)
        scores = learner.score_from(found.features)
        if found.is_open is None:
            return self.corrected(found.urls, scores)
        left = iter(self._with_priors(list(compress(found.urls, found.is_open)), scores))
        return [next(left) if is_open else None for is_open in found.is_open]

    def corrected(self, urls: Sequence[str], scores: Sequence[float | None]) -> Sequence[float | None]:
        """Return what lists of sites and the scope make of the strategy's scores.

        WrongScores if these are more or fewer than the links, or one is no priority.
        """
        scores = self._with_priors(urls, scores)
        if (scope := self._scope).bounds:
            pairs = zip(urls, scores, strict=True)
            scores = [None if scope.outside(url) else score for url, score in pairs]
        return scores

    def _with_priors(self, urls: Sequence[str], scores: Sequence[float | None]) -> Sequence[float | None]:
        scores = one_a_link(self.strategy, scores, len(urls))
        return scores if self.priors is None else self.priors.apply(urls, scores)

    @property
    def hands_on(self) -> bool:
        """Tell whether the strategy notes for all links of a page the same, which its stored words tell."""
        own = [getattr(type(self.scorer), name, None) for name in ("path", "paths")]
        return own[0] not in (None, Strategy.path) and own[1] in (None, Strategy.paths)

    def note(self, page: Page) -> bytes | None:
        """Return what all links of a page carry, once it is scored; None: nothing, or each its own."""
        return self.scorer.path(page) if self.hands_on else None

    def rescored(self) -> Iterator[tuple[list[int], list[float]]]:
        """Yield keys of links and the strategy's new scores: called after each page, it does a part."""
        if self.rescores:
            for keys, priorities in cast("RescoringStrategy", self.scorer).rescored():
                yield keys.tolist(), priorities.tolist()

    def sent(self, url: str) -> float | None:
        """Return the priority of a URL that waits, as a strategy that changes its mind sent it last.

        None: it knows of no such URL, or changes its mind about none.
        """
        scorer = self.scorer
        standing = scorer.standing(url_key(url)) if isinstance(scorer, RescoringStrategy) else None
        return None if standing is None else self.corrected([url], [standing.sent])[0]

    def learn_again(self, learnt: bytes) -> None:
        """Take the strategy through a page of an earlier run; raises CrawlError."""
        self.learn_elsewhere(learnt)
        for _ in self.rescored():
            pass

    def learn_elsewhere(self, learnt: bytes) -> None:
        """Let the strategy learn what another process has stored of a page; raises CrawlError."""
        assert self._teacher is not None
        try:
            for kind, content in unpacked(learnt):
                if kind == PAGE:
                    self._teacher.learn_lesson(content)
                elif kind == LINKS:
                    self._teacher.score_from(content)
                else:
                    self.give_up(int.from_bytes(content, signed=True))
        except ValueError as error:
            raise self._forgetful(error) from error

    def doubt(self) -> None:
        """Give the frontier its best links' scores once more, if they may have been lost."""
        if self.rescores:
            cast("RescoringStrategy", self.scorer).doubt()

    @property
    def rescore(self) -> Rescore | None:
        """Return how the strategy changes its mind about links that further pages hold; None: it does not."""
        return self._rescore if hasattr(self.scorer, "rescore") else None

    def _rescore(self, links: Sequence[HeldLink]) -> Sequence[float]:
        """Return new priorities; WrongScores where the strategy fails: it is too late to fail the page."""
        try:
            scores = list(cast("Rescorer", self.scorer).rescore(links))
            if len(scores) != len(links):
                raise ValueError(f"{len(scores)} for {len(links)} links")
        except Exception as error:
            raise WrongScores(
                f"strategy {self.strategy} failed to score links again ({type(error).__name__}: {error});"
                " fix it and run the same command again"
            ) from error
        return scores

    def memory(self) -> bytes | None:
        """Return what the strategy has learnt, None if it stores nothing."""
        memory = getattr(self.scorer, "memory", None)
        return None if memory is None else memory()

    def remember(self, memory: bytes) -> None:
        """Give the strategy back what it had learnt; raises CrawlError."""
        remember = getattr(self.scorer, "remember", None)
        if remember is None:
            return
        try:
            remember(memory)
        except ValueError as error:
            raise self._forgetful(error) from error

    def _found(self, page: Page) -> FoundLinks:
        links = page.links
        return FoundLinks(
            [link.url for link in links],
            [link.text for link in links],
            [link.block for link in links],
            self._paths(page),
        )

    def _paths(self, page: Page) -> Sequence[bytes | None]:
        """Return what each link is to carry; most strategies note the same for all of a page, or nothing.

        Nothing is noted that only a classifier would read which is not this crawl's.
        """
        if getattr(self.scorer, "notes_windows", False) and not self._reads_path:
            return [None] * len(page.links)
        note_each, note = getattr(self.scorer, "paths", None), getattr(self.scorer, "path", None)
        if note_each is not None:
            paths: Sequence[bytes | None] = note_each(page, page.links)
        else:
            paths = [None if note is None else note(page)] * len(page.links)
        longest = max(map(len, filter(None, paths)), default=0)
        if longest > LONGEST_PATH:
            raise WrongScores(
                f"strategy {self.strategy} notes {longest:,} bytes for a link;"
                f" {LONGEST_PATH:,} may be kept: make its path shorter"
            )
        return paths

    def _forgetful(self, error: ValueError) -> UnusableMemory:
        return UnusableMemory(
            f"strategy {self.strategy} cannot use what it had learnt in this crawl ({error});"
            " begin another with -a job=NAME"
        )
