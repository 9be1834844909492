"""Why a crawl ended, what an estimate rests on, and what crawls are called, in words."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from focused_crawler.crawl.endings import ENDINGS
from focused_crawler.report.summary import CrawlSummary
from focused_crawler.safety.formats import plural, tidy
from focused_crawler.store.judges import KEYWORDS, MODEL, RULES, TAXONOMY, THESAURUS, VSM, is_mixed, kind_of

ESTIMATE_NOTE = (
    "By what URLs with such scores and on such hosts gave so far, and by how many of the pages fetched are"
    " relevant. By the default strategy such sentences were right in 99 of 100 cases on one recorded web, but"
    " in 86 of 100 on the demo web where a model judged: too much was said to be left. Nobody knows how many"
    " pages there are that nothing fetched links to."
)
"""How an estimate comes about, and how good it is: docs/research/monitor.md."""


_JUDGES = {
    KEYWORDS: "the topic's keywords",
    THESAURUS: "the topic's thesaurus",
    VSM: "the plain cosine with the topic's words",
    RULES: "the topic's rule",
    MODEL: "a model trained from examples",
    TAXONOMY: "a tree of categories",
}


def judge(name: str) -> str:
    """Say who judged: a name, and what it is.

    >>> judge("model:3fa9c2d1"), judge("ground truth")
    ('model:3fa9c2d1 (a model trained from examples)', 'ground truth')
    """
    about = _JUDGES.get(kind_of(name)) if not is_mixed(name) else "two judges: scrapy judge makes it one"
    return f"{tidy(name)} ({about})" if about else tidy(name)


def watched(name: str, targets: int = 0) -> str:
    """Say what the judge of that name judges where another one judges the pages; `targets`: of a summary."""
    what = "Alarms, hubs and authorities" if targets else "Alarms, hubs, authorities and what is left to find"
    return f"{what} are judged by {judge(name)}."


KILLED = "It was killed; the same command goes on from here."
"""Of a crawl that says it runs, and that nobody crawls."""


def why_stopped(reason: str, pending: int = 0) -> str:
    """Put a close reason into a sentence; one that is a sentence already stays what it is.

    >>> why_stopped("closespider_timeout"), why_stopped("disk_full")
    ('Its time was up.', 'It was closed: disk full.')
    >>> why_stopped("finished"), why_stopped("finished", pending=3)
    ('Nothing was left to fetch.', 'It ended although 3 URLs were left to fetch.')
    """
    if reason == "finished" and pending:
        return (
            f"It ended although {plural(pending, 'URL')} {'was' if pending == 1 else 'were'} left to fetch."
        )
    if " " in reason:
        return tidy(reason)
    known = ENDINGS.get(reason)
    return known.words if known else f"It was closed: {tidy(reason).replace('_', ' ')}."


def quoted(folder: str) -> str:
    """Return a crawl's folder as it is typed."""
    return shlex.quote(folder)


def not_rated(summary: CrawlSummary) -> str:
    """Return why there are neither hubs nor authorities; empty where there are some, or no pages."""
    found = summary.findings
    if found.hubs or found.authorities or not summary.pages:
        return ""
    if found.rated_pages:
        return "No hubs and no authorities: no page of another site leads to a relevant one."
    return f"Not rated yet: scrapy distill {shlex.quote(summary.folder)}"


def name_apart(summaries: Sequence[CrawlSummary]) -> list[str]:
    """Name each crawl as briefly as distinguishes it: strategy, then job, then topic."""
    strategies = [summary.strategy for summary in summaries]
    if len(set(strategies)) == len(strategies):
        return strategies
    names = [f"{summary.strategy} · {summary.job}" for summary in summaries]
    if len(set(names)) == len(names):
        return names
    return [f"{summary.topic} · {name}" for summary, name in zip(summaries, names, strict=True)]
