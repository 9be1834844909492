"""The judge `rules`: a topic's own query says what is relevant."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from focused_crawler.classify.base import Evidence
from focused_crawler.page.model import Page
from focused_crawler.store.judges import RULES
from focused_crawler.topic.query import Test, compile_query

MISS = 0.49
"""Most that a page has which fails the rule: it is not relevant, and its links come before others."""


@dataclass(frozen=True)
class RulesClassifier:
    """Relevance 1 where the rule holds, else `MISS` times the share of it that holds."""

    rule: str
    judge: ClassVar[str] = RULES
    _test: Test = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_test", compile_query(self.rule))

    @property
    def content(self) -> bytes:
        """Return what tells it from other rules."""
        return self.rule.encode()

    def relevance(self, page: Page) -> float:
        """Return the page's relevance in [0, 1]."""
        verdict = self._test(page)
        return 1.0 if verdict.holds else MISS * verdict.share

    def evidence(self, page: Page) -> Evidence:
        """Return the whole rule as the one reason."""
        return Evidence({self.rule: self.relevance(page)}, 0.0, "rules")

    def __reduce__(self) -> tuple[type[RulesClassifier], tuple[str]]:
        return RulesClassifier, (self.rule,)  # workers compile it anew
