"""Changes to a crawl under way, as somebody orders them: its budget, what it fetches first, its model."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from focused_crawler.crawl.analysis import Analyst
from focused_crawler.crawl.crawl import Crawl
from focused_crawler.crawl.handover import Handover, Rejudged
from focused_crawler.crawl.plan import LIMITS, budget_of
from focused_crawler.frontier.base import Candidate
from focused_crawler.page.url import normalise
from focused_crawler.safety.formats import plural
from focused_crawler.store.judges import several


def change_budget(crawl: Crawl, limits: Mapping[str, float]) -> str:
    """Go by other limits from now on (`pages`, `relevant`, `minutes`); return what they are now.

    The crawl's run.json names them, so that it goes on by them.
    """
    named: dict[str, Any] = {name: limits[name] for name in LIMITS if name in limits}
    config = replace(crawl.plan.config, **named)
    crawl.plan = replace(crawl.plan, config=config, budget=budget_of(config))
    crawl.run.settings |= {f"FOCUSED_{name.upper()}": limit for name, limit in named.items()}
    parts = [f"{limit:,g} {LIMITS[name]}" for name in LIMITS if (limit := getattr(config, name))]
    return f"its budget is {', '.join(parts) or 'without limit'}; {crawl.fetched} so far"


def add_pages(crawl: Crawl, urls: Sequence[str]) -> str:
    """Queue URLs before all others, as start pages are; return how many are new."""
    found = list(filter(None, map(normalise, urls)))
    crawl.first.add(found)
    new = crawl.frontier.add([Candidate(url, 1.0) for url in found])
    for url in found:
        crawl.recorder.decision("ordered", "add", url=url)
    return f"{new} of {plural(len(urls), 'URL')} new to the crawl; those that waited come first now"


def change_model(crawl: Crawl, analyst: Analyst, replaying: Analyst) -> Generator[object, None, Rejudged]:
    """Judge by another model from now on, and in parts all that is recorded; it returns what came of it.

    Two of the kind, as each learns: one crawls, the other goes over the recorded pages. CrawlError where
    these have no texts; then all stays as it is. Until it is through, run and database name both judges.
    Nothing is committed.
    """
    frontier = crawl.frontier if crawl.run.has_frontier else None
    last = crawl.store.counters["pages"] + len(crawl.visits)  # what is under way was judged before
    handover = Handover(replaying, crawl.database, crawl.store, frontier, last)
    crawl.plan.analyst.take_over(analyst)
    model, order = crawl.plan.analyst.model, crawl.plan.analyst.order
    crawl.run.trained, crawl.run.acts_as = model.trained, order.acts_as
    crawl.has_old_lines = True
    crawl.store.add_judge(model.judge_name, crawl.run_id, crawl.run.acts_as)
    _name_judge(crawl, several(crawl.run.judge, model.judge_name))
    crawl.record_categories()
    crawl.write_run()
    outcome = yield from _judge_anew(crawl, handover)
    under_way = [visit.learnt for visit in crawl.visits.out if visit.learnt]
    order.learn_as(replaying.order, under_way)
    return outcome


def _name_judge(crawl: Crawl, judge: str) -> None:
    crawl.run.judge = judge
    if crawl.plan.truth is None:
        crawl.run.judged_by = judge


def _judge_anew(crawl: Crawl, handover: Handover) -> Generator[object, None, Rejudged]:
    parts = handover.parts()
    while True:
        try:
            verdict = next(parts)
        except StopIteration as done:
            outcome: Rejudged = done.value
            break
        if verdict is not None and crawl.plan.truth is None:
            crawl.rate.revise(verdict.position, was=verdict.was_relevant, relevant=verdict.is_relevant)
        yield verdict
    crawl.store.name_judge(outcome.judge)
    _name_judge(crawl, outcome.judge)
    return outcome
