"""What steering is told."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SteeringSettings:
    """Which of a crawl's habits are on; 0 and False: none."""

    distill_pages: int = 0  # pages from one distillation to the next, at least
    hub_trigger: int = 0  # hubs whose unvisited neighbours rise after a distillation
    near_duplicates: bool = False  # pages that are much like an earlier one are copies, as verbatim ones are
    trap_budgets: bool = False  # URL patterns and hosts without gain are left alone
