"""The page classifier of a trained topic: a method's log odds, calibrated."""

from __future__ import annotations

from dataclasses import dataclass

from focused_crawler.classify.base import Evidence, Method
from focused_crawler.classify.platt import PlattScaling
from focused_crawler.page.model import Page


@dataclass(frozen=True, slots=True)
class TrainedClassifier:
    """Relevance is a probability, where as large a share of the pages is relevant as training was told."""

    method: Method
    scaling: PlattScaling

    def relevance(self, page: Page) -> float:
        """Return the page's relevance in [0, 1]; 0 for a page without one known term."""
        log_odds = self.method.log_odds(page)
        return 0.0 if log_odds is None else self.scaling(log_odds)

    def evidence(self, page: Page) -> Evidence:
        """Return what makes the log odds of the relevance."""
        terms, bias, unit = self.method.evidence(page)
        slope, intercept = self.scaling.slope, self.scaling.intercept
        return Evidence(
            {term: slope * value for term, value in terms.items()}, slope * bias + intercept, unit
        )
