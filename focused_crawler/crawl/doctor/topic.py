"""Whether a topic is fit to crawl: its start pages alive and about it, its judge and model fit for use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from focused_crawler.crawl.analysis import Analyst
from focused_crawler.crawl.doctor.finding import ERROR, OK, WARNING, Finding
from focused_crawler.crawl.doctor.network import NETWORK_FIRST, failures_text, is_cut_off
from focused_crawler.page.blocks import partition
from focused_crawler.page.model import Page
from focused_crawler.safety.formats import count, plural
from focused_crawler.topic.topic import Topic, typed

ENOUGH_EXAMPLES = 12
LEAST_F1 = 0.6
"""Of held-out examples; below it a crawl follows the wrong pages as often as not."""


def check_judge(topic: Topic, analyst: Analyst) -> Iterator[Finding]:
    """Tell what judges pages, and whether that was learnt from enough examples, and well."""
    model, name = analyst.model, typed(topic)
    if model.judge in {"thesaurus", "vsm", "rules"}:
        yield Finding("judge", OK, f"{model.judge}, threshold {model.threshold:.2f}")
        return
    if not model.trained:
        text = f"nothing was trained: pages are judged by {plural(len(model.keywords), 'keyword')} alone"
        yield Finding("judge", WARNING, text, f"label pages and train: scrapy train {name}")
        return
    f1 = model.metrics.get("f1")
    counts = {kind: number for kind, number in model.examples.items() if number}
    named = " and ".join(
        f"{number} {kind}" for kind, number in counts.items() if kind not in {"labels", "background"}
    )
    labels = f", {counts['labels']} of them labels" if "labels" in counts else ""
    text = f"a trained model, from {named} examples{labels}"
    if f1 is not None:
        text += f"; F1 {f1:.2f} of held-out ones"
    if counts.get("relevant", 0) < ENOUGH_EXAMPLES:
        cure = f"name {ENOUGH_EXAMPLES} relevant examples or more, then scrapy train {name}"
        yield Finding("judge", WARNING, text, cure)
    elif f1 is not None and f1 < LEAST_F1:
        cure = f"look at the examples it got wrong (training.html), then scrapy train {name}"
        yield Finding("judge", WARNING, text, cure)
    else:
        yield Finding("judge", OK, text)


def check_seeds(
    topic: Topic,
    analyst: Analyst,
    urls: Sequence[str],
    fetched: Mapping[str, Page],
    missing: Mapping[str, str],
) -> Iterator[Finding]:
    """Tell how many start pages there are, how many of `urls` are alive, and how many are on the topic."""
    find = f"find others: scrapy seeds {typed(topic)} --write"
    if not urls:
        yield Finding("start pages", ERROR, f"{topic.name} has none", find.replace("others", "some"))
        return
    wanted = plural(len(urls), "start page")
    if missing:
        text = f"{len(fetched)} of {wanted} can be fetched; not: {failures_text(missing)}"
        cure = NETWORK_FIRST if is_cut_off(urls, missing) else find
        yield Finding("start pages", WARNING if fetched else ERROR, text, cure)
    else:
        yield Finding("start pages", OK, f"{wanted} can be fetched")
    if fetched:
        yield _on_topic(analyst, fetched, find)


def _on_topic(analyst: Analyst, fetched: Mapping[str, Page], cure: str) -> Finding:
    pages = dict(fetched)
    for page in pages.values():
        partition(page)
        analyst.judge(page, analyst.model.classifier.relevance(page))
    relevant = sum(page.is_relevant for page in pages.values())
    linkless = sum(not page.links for page in pages.values())
    text = f"{relevant} of {plural(len(pages), 'start page')} are about the topic, by the judge"
    if linkless == len(pages):
        text = f"{text}; none has a link to follow"
        if closed := sum(page.closed for page in pages.values()):
            text = f"{text}; {count(closed)} with nofollow {'is' if closed == 1 else 'are'} left alone"
            cure = f"if the sites are yours, -s FOCUSED_NOFOLLOW=off; else {cure}"
        return Finding("on topic", ERROR, text, cure)
    if not relevant:
        return Finding("on topic", WARNING, text, f"see why with scrapy explain, or {cure}")
    return Finding("on topic", OK, text)
