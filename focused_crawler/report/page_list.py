"""Views of a crawl's pages, and what people said of a page, in words."""

from __future__ import annotations

from focused_crawler.discovery.page_views import ANY, NO_LABEL, PageView
from focused_crawler.safety.formats import plural
from focused_crawler.topic.label import ANSWER_NAMES
from focused_crawler.topic.labels import Verdict

_LABELLED = {ANY: "labelled", NO_LABEL: "without a label"}


def label_word(verdict: Verdict | None) -> str:
    """Return what people say of a page, in a word; empty: nothing."""
    return "" if verdict is None else ANSWER_NAMES[verdict.answer]


def view_words(view: PageView) -> str:
    """Return which pages a view shows, in words; empty: all.

    >>> view_words(PageView(relevant="no", host="a.example", low=0.4, words="bees"))
    'with the words bees, not relevant, at a.example, relevance from 0.4'
    """
    parts = [f"with the words {view.words}" if view.words else ""]
    parts.append({"": "", "yes": "relevant", "no": "not relevant"}[view.relevant])
    parts.append(_LABELLED.get(view.label) or (f"labelled {view.label}" if view.label else ""))
    parts.append(f"at {view.host}" if view.host else "")
    parts.append("" if view.depth is None else f"{plural(view.depth, 'link')} from a start page")
    bounds = [
        f"{word} {bound:g}" for word, bound in (("from", view.low), ("to", view.high)) if bound is not None
    ]
    parts.append(f"relevance {' '.join(bounds)}" if bounds else "")
    return ", ".join(filter(None, parts))
