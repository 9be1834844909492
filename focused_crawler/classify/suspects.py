"""Examples whose label is contradicted: most mislabelled ones are among them (docs/training.md)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from focused_crawler.classify.held_out import HeldOut, HeldOutPage
from focused_crawler.classify.platt import log_odds, sigmoid

MOST = 5
LEAST_DOUBT = 0.8
"""Held-out probability of the other label, where both are as likely as not, that makes a suspect."""

_TERMS = 5


class Suspect(NamedTuple):
    """An example that looks mislabelled."""

    url: str
    is_relevant: bool  # by its label
    doubt: float  # held-out probability of the other label, at even odds
    terms: tuple[str, ...]  # that speak most against the label, strongest first


def suspects(pages: Sequence[HeldOutPage], held_out: HeldOut, relevant_share: float) -> tuple[Suspect, ...]:
    """Return the own examples that contradict their label most, the most surprising first.

    `pages` in the order of `held_out`. Their relevances are for pages of which `relevant_share` is relevant,
    where hardly anything would contradict the label "other": labels are judged at even odds.
    """
    found = [
        (_doubt(page, relevant_share), row, page)
        for row, page in enumerate(pages)
        if not page.is_background and _doubt(page, relevant_share) >= LEAST_DOUBT
    ]
    found.sort(key=lambda one: (-one[0], one[1]))
    return tuple(
        Suspect(page.url, page.is_relevant, doubt, _against(held_out, row, page.is_relevant))
        for doubt, row, page in found[:MOST]
    )


def _doubt(page: HeldOutPage, relevant_share: float) -> float:
    odds = log_odds(page.relevance) - log_odds(relevant_share)
    return sigmoid(-odds if page.is_relevant else odds)


def _against(held_out: HeldOut, row: int, is_relevant: bool) -> tuple[str, ...]:
    sign = -1.0 if is_relevant else 1.0
    terms = held_out.terms(row)
    strongest = sorted(terms, key=lambda term: (-sign * terms[term], term))[:_TERMS]
    return tuple(term for term in strongest if sign * terms[term] > 0)
