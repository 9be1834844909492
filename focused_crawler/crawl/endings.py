"""Why a crawl ends: a sentence, an exit code, and whether the same command goes on. The only table of these.

0: it did what it was to do. 1 and 2 are those of every command: an error without a code of its own, and what
was typed wrong.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from focused_crawler.crawl.failure import UNREACHED
from focused_crawler.safety.errors import CrawlError, WrongScores

FAILED, TYPED_WRONG = 1, 2
FULL = "memusage_exceeded"
"""A worker of a fleet ends so that another one goes on in its place."""
NO_NETWORK, NO_PAGE = "no_network", "no_page"
STORAGE_FAILED, WRONG_SCORES = "storage_failed", "wrong_scores"


class EndReason(NamedTuple):
    words: str
    code: int = 0
    goes_on: bool = False  # the same command goes on from there
    is_fault: bool = False  # another process may bring what this one could not


_GOES_ON = "the same command goes on from here."
_NO_ITEM = "It brought no item for too long, or of too many pages."
_PAGES, _TIME = "It reached its budget of pages.", "Its time was up."
ENDINGS: dict[str, EndReason] = {
    "finished": EndReason("Nothing was left to fetch."),
    "pages_budget": EndReason(_PAGES),
    "relevant_budget": EndReason("It found as many relevant pages as it was to find."),
    "time_budget": EndReason(_TIME),
    "told_to_stop": EndReason(f"It was ordered to stop; {_GOES_ON}", goes_on=True),
    "cancelled": EndReason("It was cancelled.", goes_on=True),
    "closespider_pagecount": EndReason(_PAGES),
    "closespider_itemcount": EndReason(_PAGES),
    "closespider_timeout": EndReason(_TIME),
    "start_error": EndReason(
        "It failed at its start; the log says why.", FAILED, goes_on=True, is_fault=True
    ),
    NO_NETWORK: EndReason("Not one page came: no server was reached.", 10, is_fault=True),
    NO_PAGE: EndReason("Not one page came: all start pages failed.", 11, is_fault=True),
    STORAGE_FAILED: EndReason(
        f"Its files or its database could not be written; {_GOES_ON}", 12, goes_on=True, is_fault=True
    ),
    "stagnation": EndReason(
        "It stagnated: hardly a page was relevant any more, and little was left to fetch.", 13
    ),
    "diffusion": EndReason(
        "It diffused: hardly a page was relevant any more, though plenty was left to fetch.", 14
    ),
    FULL: EndReason("It reached the limit of memory.", 15, goes_on=True, is_fault=True),
    "closespider_errorcount": EndReason("It met too many errors; the log names them.", 16),
    WRONG_SCORES: EndReason(
        f"Its strategy failed, or gave what is no priority; fix it, and {_GOES_ON}",
        17,
        goes_on=True,
        is_fault=True,
    ),
    "closespider_timeout_no_item": EndReason(_NO_ITEM, 18),
    "closespider_pagecount_no_item": EndReason(_NO_ITEM, 18),
    "shutdown": EndReason(f"It was interrupted; {_GOES_ON}", 130, goes_on=True),
}
"""Name of a reason -> its ending. Any other is a component's of the user's own, which ended it so: code 0."""


def code_of(reason: str) -> int:
    """Return the exit code of a reason.

    >>> code_of("pages_budget"), code_of("shutdown"), code_of("what a spider of yours says")
    (0, 130, 0)
    """
    return ENDINGS[reason].code if reason in ENDINGS else 0


def goes_on(reason: str) -> bool:
    """Tell whether the same command goes on with a crawl that ended so."""
    return reason in ENDINGS and ENDINGS[reason].goes_on


def has_said_why(code: int) -> bool:
    """Tell whether a crawl that ended with a code has left a line that begins with "error: "."""
    return code == TYPED_WRONG or code in {ENDINGS[reason].code for reason in (WRONG_SCORES, STORAGE_FAILED)}


def is_end(code: int) -> bool:
    """Tell whether a worker that ended with a code is done: no other could bring more in its place."""
    return code not in _FAULTS and code in _CODES


def without_page(failures: Iterable[str]) -> str:
    """Return the reason of a crawl that fetched nothing; `failures`: their classes.

    >>> without_page(["dns", "timeout"]), without_page(["http_404", "dns"]), without_page([])
    ('no_network', 'no_page', 'no_page')
    """
    classes = set(failures)
    return NO_NETWORK if classes and classes <= UNREACHED else NO_PAGE


def reason_of(failure: CrawlError) -> str:
    """Return the reason of a crawl that cannot be written down any more, or not be ordered."""
    return WRONG_SCORES if isinstance(failure, WrongScores) else STORAGE_FAILED


_CODES = {ending.code for ending in ENDINGS.values()}
_FAULTS = {ending.code for ending in ENDINGS.values() if ending.is_fault} | {TYPED_WRONG}
_HEADINGS = (
    (0, "it did what it was to do: a budget is reached, nothing is left, it was ordered to stop"),
    (FAILED, "an error that the log names"),
    (TYPED_WRONG, "something was typed wrong, and one line says what to type"),
)


def in_table() -> list[tuple[int, str]]:
    """Return each exit code of a crawl once, from 0 on, with what it means."""
    meanings = {
        ending.code: ending.words.removesuffix(f"; {_GOES_ON}").removesuffix(".")
        for ending in ENDINGS.values()
    }
    return sorted({**meanings, **dict(_HEADINGS)}.items())
