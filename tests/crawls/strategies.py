"""A user's own strategies: they note paths and learn, or make mistakes at it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from focused_crawler.link_scoring.adaptive import Adaptive
from focused_crawler.link_scoring.base import LONGEST_PATH, HeldLink
from focused_crawler.link_scoring.content_link_sibling import ContentLinkSibling
from focused_crawler.link_scoring.strategy import Strategy
from focused_crawler.page.model import Link, Page


class Trail(Strategy):
    """A link's score tells how many steps its page is from a seed, counted in what pages note."""

    def score(self, page: Page, links: Sequence[Link]) -> list[float]:
        return [len(page.path or b"") / 1000] * len(links)

    def path(self, page: Page) -> bytes:
        return (page.path or b"") + b"\0"


class Talkative(Trail):
    """It notes too much."""

    def path(self, page: Page) -> bytes:
        return bytes(LONGEST_PATH + 1)


class Counting(Strategy):
    """It learns how many pages there are."""

    pages = 0

    def learn(self, page: Page) -> None:
        self.pages += 1

    def score(self, page: Page, links: Sequence[Link]) -> list[float]:
        return [self.pages / 1000] * len(links)

    def memory(self) -> bytes:
        return str(self.pages).encode()

    def remember(self, memory: bytes) -> None:
        self.pages = int(memory)  # ValueError if it is no number


class Forgetful(Counting):
    """It cannot read what it wrote."""

    def remember(self, memory: bytes) -> None:
        raise ValueError("of an older version")


class Census(Adaptive):
    """A score tells from how many pages was learnt."""

    def score_from(self, features: bytes) -> list[float]:
        return [self._pages / 1000] * len(super().score_from(features))


class Register(ContentLinkSibling):
    """The same, of one that never scores a link again."""

    pages = 0

    def learn_from(self, features: Any) -> None:
        super().learn_from(features)
        self.pages += 1

    def learn_lesson(self, lesson: bytes) -> None:
        super().learn_lesson(lesson)
        self.pages += 1

    def score_from(self, features: Any) -> list[float | None]:
        return [self.pages / 1000 for _ in super().score_from(features)]


class Doubtful(Adaptive):
    """A score tells how often it was to send what it had sent."""

    doubts = 0

    def doubt(self) -> None:
        super().doubt()
        self.doubts += 1

    def score_from(self, features: bytes) -> list[float]:
        return [self.doubts / 1000] * len(super().score_from(features))


class Choosy(Strategy):
    """It follows no dead link."""

    def score(self, page: Page, links: Sequence[Link]) -> list[float | None]:
        return [None if "/dead-" in link.url else 0.5 for link in links]


class Regretful(Strategy):
    """It scores links again, but not all of them."""

    def score(self, page: Page, links: Sequence[Link]) -> list[float]:
        return [0.5] * len(links)

    def rescore(self, links: Sequence[HeldLink]) -> list[float]:
        return [0.5 for _ in links][1:]


class Plain:
    """It has what every strategy must have, and no more."""

    def __init__(self, *_: object) -> None:
        pass

    def learn(self, page: Page) -> None:
        pass

    def score(self, page: Page, links: Sequence[Link]) -> list[float]:
        return [0.5] * len(links)
