"""What is known of how many pages of a crawl are relevant, in a sentence."""

from __future__ import annotations

from focused_crawler.crawl.judged import Basis, JudgeEstimate
from focused_crawler.safety.formats import count, plural

_BASES: dict[Basis, str] = {
    "words": "judging by the topic's words alone",
    "examples": "judging by the examples that the model was trained from",
}


def about_relevant(pages: int, estimate: JudgeEstimate) -> str:
    """Return how many of a crawl's pages are relevant, how sure that is, and what would make it surer.

    >>> from focused_crawler.crawl.judged import Interval
    >>> rate, number = Interval(0.102, 0.088, 0.121), Interval(245, 210, 290)
    >>> said = about_relevant(2393, JudgeEstimate(number, rate, rate, rate, "labels", 50, 120))
    >>> for part in said.split("; "):
    ...     print(part)
    Of these 2,393 pages about 245 (210 to 290) are relevant, judging by 50 pages that people looked at
    120 more labels of random pages would halve the doubt.
    """
    value, low, high = (count(round(end)) for end in estimate.relevant)
    basis = (
        _BASES.get(estimate.basis) or f"judging by {plural(estimate.labels, 'page')} that people looked at"
    )
    said = f"Of these {plural(pages, 'page')} about {value} ({low} to {high}) are relevant, {basis}"
    if not estimate.to_halve:
        return f"{said}."
    more = " more" if estimate.labels else ""
    labels = f"{count(estimate.to_halve)}{more} label{'' if estimate.to_halve == 1 else 's'}"
    return f"{said}; {labels} of random pages would halve the doubt."
