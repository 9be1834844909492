"""How many pages of a crawl are relevant, and how many are left to find, in a sentence each."""

from __future__ import annotations

import shlex

from focused_crawler.crawl.judged import Basis, JudgeEstimate
from focused_crawler.crawl.labelled import LEAST_LABELS
from focused_crawler.crawl.steering.advice import in_words
from focused_crawler.report.summary import CrawlSummary
from focused_crawler.safety.formats import count, plural
from focused_crawler.store.judges import GROUND_TRUTH

_BASES: dict[Basis, str] = {
    "words": "judging by the topic's words alone",
    "examples": "judging by the examples that the model was trained from",
}


DOUBTFUL = 2.0
"""Where so many times as many pages may be relevant, it is not known which part of those left is, either."""


def about_relevant(pages: int, estimate: JudgeEstimate) -> str:
    """Return how many of a crawl's pages are relevant, how sure that is, and what would make it surer.

    Empty where there is no page.

    >>> from focused_crawler.crawl.judged import Interval
    >>> rate, number = Interval(0.102, 0.088, 0.121), Interval(245, 210, 290)
    >>> said = about_relevant(2393, JudgeEstimate(number, rate, rate, rate, "labels", 50, 120))
    >>> for part in said.split("; "):
    ...     print(part)
    Of these 2,393 pages about 245 (210 to 290) are relevant, judging by 50 pages that people looked at
    120 more labels of random pages would halve the doubt.
    """
    if not pages:
        return ""
    value, low, high = (count(round(end)) for end in estimate.relevant)
    of, are = "Of " if pages == 1 else "Of these ", "is" if value == "1" else "are"
    said = f"{of}{plural(pages, 'page')} about {value} ({low} to {high}) {are} relevant, {_basis(estimate)}"
    if not estimate.to_halve:
        return f"{said}."
    more = " more" if estimate.labels or estimate.learnt else ""
    labels = f"{count(estimate.to_halve)}{more} label{'' if estimate.to_halve == 1 else 's'}"
    return f"{said}; {labels} of random pages would halve the doubt."


def _basis(estimate: JudgeEstimate) -> str:
    """Say what it rests on; labels that the judge was trained from are not what it rests on."""
    looked_at, learnt = "that people looked at", estimate.learnt
    if estimate.basis == "labels":
        said = f"judging by {plural(estimate.labels, 'page')} {looked_at}"
        others = f"{count(learnt)} others count no more: the judge learnt from them"
    else:
        said = _BASES[estimate.basis]
        others = f"{plural(learnt, 'page')} {looked_at} among them" if estimate.basis == "examples" else ""
    return f"{said} ({others})" if learnt and others else said


def how_sure(crawl: CrawlSummary) -> str:
    """Return how many pages are relevant, or that nobody can say and what would tell.

    Empty where it is known, and where there is no page.
    """
    if crawl.estimate is not None:
        return about_relevant(crawl.pages, crawl.estimate)
    if not crawl.pages or crawl.judged_by == GROUND_TRUTH:
        return ""
    what = f"how many of these {count(crawl.pages)} pages are" if crawl.pages > 1 else "whether this page is"
    topic = shlex.quote(crawl.settings.get("FOCUSED_TOPIC") or crawl.topic)
    return (
        f"Nobody can say {what} relevant: nothing is known of how right {crawl.judged_by} is. Label pages at"
        f" random: scrapy label {topic} --crawl {shlex.quote(crawl.folder)} --queue random"
        f" --number {min(crawl.pages, LEAST_LABELS)}"
    )


def left_to_find(crawl: CrawlSummary) -> str:
    """Return how many relevant pages are left to find, or what would tell; empty where nobody can know."""
    left, known = crawl.findings.estimate, crawl.estimate
    if crawl.pages and crawl.targets:
        of = plural(crawl.targets, "relevant page")
        return f"Left to find: {count(crawl.targets_left)} of {of}, by the ground truth."
    if not (crawl.pages and crawl.pending and crawl.findings.knows_frontier):
        return ""
    found = crawl.relevant if known is None else known.relevant.value
    if left is not None and (said := in_words(left, found)):
        return f"Left to find, by estimate: {said}."
    is_doubtful = left is None or (known is not None and known.relevant.high > DOUBTFUL * known.relevant.low)
    can_label = known is None or known.to_halve > 0
    more = "labels of random pages" if is_doubtful and can_label else "more pages"
    return f"Left to find: nobody can say yet; {more} would tell."
