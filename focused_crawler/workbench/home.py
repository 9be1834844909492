"""Home: all crawls, running ones first, all topics, and a new topic from words."""

from __future__ import annotations

import re
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from focused_crawler.report.standing import Standing, standing_of
from focused_crawler.safety.errors import TopicError
from focused_crawler.store.job import RUNNING, RunInfo
from focused_crawler.store.opening import is_in_use
from focused_crawler.topic.folders import topics_folder
from focused_crawler.topic.rules import name_of, name_problem
from focused_crawler.topic.topic import Topic, title_of
from focused_crawler.topic.writer import WrongValue, write_topic
from focused_crawler.workbench.bench import Workbench
from focused_crawler.workbench.estimates import Estimates, Known
from focused_crawler.workbench.rendering import path_to
from focused_crawler.workbench.request import answer, bench_of, done, form_of, get, is_part, post

_COMMA = re.compile("[,،，、]")  # Arabic and Chinese ones, too
_ASKED = {"name": "title", "keywords": "words and phrases", "seeds": "start pages"}
"""What the form calls a field of a topic that it has another name for."""
MOST_SHOWN = 50
"""Crawls that are shown; the page of a topic has all of its."""


def show(request: Request) -> Response:
    """Show crawls and topics; to htmx the crawls alone."""
    bench = bench_of(request)
    crawls, others = _crawls(bench)
    rows = [(standing, known_of(request, standing)) for standing in crawls]
    if is_part(request):
        return answer(request, "crawls.html", rows=rows)
    topics = {name: len(bench.crawls_of(name)) for name in bench.topics()}
    return answer(request, "home.html", rows=rows, others=others, topics=topics)


def create(request: Request) -> Response:
    """Make a topic from words, as `scrapy newtopic` does."""
    form = form_of(request)
    title = form.get("title")
    name = form.get("name") or name_of(title)
    topic = Topic(
        name=name,
        folder=topics_folder() / (name if name_problem(name) is None else "none"),
        title=title or title_of(name),
        description=form.get("description"),
        language=form.get("language") or "en",
        keywords=tuple(
            word.strip() for line in form.lines("keywords") for word in _COMMA.split(line) if word.strip()
        ),
        seeds=tuple(form.lines("seeds")),
        relevant_examples=(),
        other_examples=(),
    )
    try:
        write_topic(topic)
    except WrongValue as error:
        raise TopicError(f"{_ASKED.get(error.field, error.field)}: {error.problem}") from None
    return done(request, f"Made the topic {topic.title}.", path_to("topics", name))


def known_of(request: Request, standing: Standing) -> Known | None:
    """Return what is known by now of a crawl beside what its judge says."""
    estimates: Estimates = request.app.state.estimates
    return estimates.of(standing.folder, standing.run, standing.pages)


_ended: dict[Path, Standing] = {}
"""Crawls that have ended stand as they stood when their run.json was written."""


def standing_now(folder: Path, run: RunInfo) -> Standing:
    """Return how a crawl stands; of one that has ended, as it was read before."""
    known = _ended.get(folder)
    if known is not None and known.run == run and not is_in_use(folder):
        return known
    standing = standing_of(folder, run)
    if run.state != RUNNING and not standing.is_running and not standing.fault:
        _ended[folder] = standing
    return standing


def _crawls(bench: Workbench) -> tuple[list[Standing], int]:
    """Return how the crawls stand, running ones first, then the last begun; and how many more there are."""
    found = [crawl for name in bench.topics() for crawl in bench.crawls_of(name)]
    found.sort(key=lambda crawl: (crawl[1].state != RUNNING, -crawl[1].started))
    shown = [standing_now(folder, run) for folder, run in found[:MOST_SHOWN]]
    return sorted(shown, key=lambda one: (not one.is_running, -one.run.started)), len(found) - len(shown)


ROUTES = (get("/", show), post("/topics", create))
