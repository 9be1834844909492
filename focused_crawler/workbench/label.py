"""Label: one page at a time, by single keys, from the queues of `scrapy label`."""

from __future__ import annotations

from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from focused_crawler.crawl.estimated import estimate_now
from focused_crawler.discovery.label_desk import NUMBER, pages_to_label
from focused_crawler.discovery.label_queues import CRAWLED_QUEUES, ToLabel
from focused_crawler.discovery.sitting import SKIP
from focused_crawler.report.estimated import about_relevant
from focused_crawler.report.explain.page import telling_terms
from focused_crawler.report.labelling import LONGEST_EXTRACT, MOST_TERMS, cards_of
from focused_crawler.safety.errors import ConfigError, FocusedCrawlerError
from focused_crawler.safety.formats import folded, tidy
from focused_crawler.store.job import run_of
from focused_crawler.store.opening import crawl_at_once
from focused_crawler.store.rows import read_counters
from focused_crawler.topic.label import SAMPLED, person_problem
from focused_crawler.topic.labels import undo
from focused_crawler.topic.topic import load_topic
from focused_crawler.workbench.answers import ELSEWHERE, answer_in, labelling
from focused_crawler.workbench.errands import PATIENCE_SECONDS, Errands
from focused_crawler.workbench.readers import readers_of
from focused_crawler.workbench.request import (
    answer,
    bench_of,
    crawl_folder,
    done,
    form_of,
    get,
    is_part,
    place_of,
    post,
    session_of,
    whole_number,
)
from focused_crawler.workbench.sittings import Seated, Sitter, Sittings

MOST_PAGES = 200
"""Of a sitting."""

QUEUES = {
    "uncertain": "those whose label would teach the model most",
    "disagree": "people, or two judges, contradict each other on them",
    "random": "a fair sample: each page of the crawl as likely as any other",
    "spread": "a sample for figures, with more pages where the judge is least known",
    "near": "linked with the examples, and sharing their most telling words",
    "hubs": "those that lead to most good pages",
}


def show(request: Request) -> Response:
    """Show the next page of a queue, or the one that the address names."""
    sitter = _sitter(request, request.query_params.get("queue") or CRAWLED_QUEUES[0], session_of(request).by)
    seated = _seated(request, sitter)
    if is_part(request):  # a page that waits asks whether there is something to show
        return Response(status_code=204, headers={} if seated is None else {"HX-Refresh": "true"})
    if seated is None:
        session, path = session_of(request), request.scope["path"]
        said = session.to_say(path)
        response = _answer(request, sitter, is_waiting=True, said=said)
        session.say(path, said)  # the page that is waited for says it once more: this one is gone in a moment
        return response
    if isinstance(seated, FocusedCrawlerError):
        return _answer(request, sitter, problem=str(seated))
    named = request.query_params.get("page", "")
    page = seated.page(named) if named else None
    if page is None:
        page = seated.next_page()
        if page is not None:
            return RedirectResponse(_path(request, sitter.queue, page), 303)
        return _answer(request, sitter, sitting=seated.sitting)
    return _answer(request, sitter, sitting=seated.sitting, **_card(request, sitter, page))


def _answer(request: Request, sitter: Sitter, **values: Any) -> Response:
    nothing = {"is_waiting": False, "problem": "", "sitting": None, "page": None}
    about = {
        "queue": sitter.queue,
        "queues": QUEUES,
        "by": sitter.by,
        "run": run_of(sitter.folder),
        "number": NUMBER,
    }
    return answer(request, "label.html", **{**nothing, **about, **values})


def _card(request: Request, sitter: Sitter, page: ToLabel) -> dict[str, Any]:
    desk = readers_of(request).desk(sitter.folder, run_of(sitter.folder))
    with crawl_at_once(sitter.folder) as database:
        card = cards_of(database, desk.analyst, desk.run.judge).card(page.url)
    return {
        "page": page,
        "card": card,
        "text": folded(card.text, LONGEST_EXTRACT),
        "terms": telling_terms(card.reasons, MOST_TERMS) if card.reasons else ([], []),
        "model": desk.analyst.model.judge_name,
        "shows_why": sitter.queue not in SAMPLED,
    }


def _sitter(request: Request, queue: str, by: str) -> Sitter:
    if queue not in QUEUES:
        raise ConfigError(f"queue is {tidy(queue)}; use one of {', '.join(QUEUES)}")
    if problem := person_problem(by):
        raise ConfigError(problem)
    return Sitter(crawl_folder(request), queue, by)


def _seated(request: Request, sitter: Sitter) -> Seated | FocusedCrawlerError | None:
    """Return a sitting, or why there can be none; None: its pages are being chosen, beside the server."""
    sittings: Sittings = request.app.state.sittings
    if (found := sittings.get(sitter)) is not None:
        return found
    settings = {
        name: bench_of(request).settings.get(name)
        for name in bench_of(request).settings
        if str(name).startswith("FOCUSED_")
    }
    number = _number(request)
    task = partial(pages_to_label, sitter.folder, settings, sitter.queue, sitter.by, number)
    errands: Errands = request.app.state.queue_errands
    outcome = errands.wait_for(sitter, task, 0.0 if is_part(request) else PATIENCE_SECONDS)
    if outcome is None:
        return None
    if outcome.error is not None:
        return sittings.put(sitter, outcome.error)
    desk = readers_of(request).desk(sitter.folder, run_of(sitter.folder))
    return sittings.put(sitter, Seated(desk.sitting(sitter.queue, sitter.by, outcome.value)))


def _number(request: Request) -> int:
    """Return of how many pages a sitting is."""
    typed = request.query_params.get("number", str(NUMBER))
    if not (number := whole_number(typed, MOST_PAGES)):
        raise ConfigError(f"number is {tidy(typed)}; use a whole number from 1 to {MOST_PAGES}")
    return number


def say(request: Request) -> Response:
    """Store what the person says of a page, and show the next."""
    form = form_of(request)
    sitter = _sitter(request, form.get("queue"), form.get("by"))
    url, said = form.get("url"), answer_in(form, SKIP)
    found = request.app.state.sittings.get(sitter)
    if isinstance(found, Seated):
        seated, page = found, found.page(url)
    else:  # the server began anew since the page was shown
        desk = readers_of(request).desk(sitter.folder, run_of(sitter.folder))
        page = ToLabel(url, before=form.get("before"))
        seated = Seated(desk.sitting(sitter.queue, sitter.by, [page]))
    with labelling(), seated.lock:
        is_new = page is not None and seated.sitting.give(page, said, form.get("text"))
    following = seated.next_page() if isinstance(found, Seated) else None
    if following is None and isinstance(found, Seated):
        seated.end()
    return done(request, "" if is_new else ELSEWHERE, _path(request, sitter.queue, following))


def take_back(request: Request) -> Response:
    """Take back what the person said last, and show that page again."""
    form = form_of(request)
    sitter = _sitter(request, form.get("queue"), form.get("by"))
    found = request.app.state.sittings.get(sitter)
    last = None
    if isinstance(found, Seated):
        with found.lock:
            last = found.sitting.take_back()
    if last is not None:
        return done(request, f"Taken back: {last.word}.", _path(request, sitter.queue, last.page))
    earlier = undo(load_topic(run_of(sitter.folder).topic_name).folder, sitter.by)
    if earlier is None:
        return done(request, f"{sitter.by} has no label to take back.", _path(request, sitter.queue))
    where = place_of(request, "page", url=earlier.url)
    return done(request, f"Taken back: {earlier.label}, of an earlier sitting.", where)


def more(request: Request) -> Response:
    """Begin another sitting with the next pages of a queue."""
    sitter = _sitter(request, form_of(request).get("queue"), session_of(request).by)
    sittings: Sittings = request.app.state.sittings
    if isinstance(found := sittings.get(sitter), Seated):
        found.end()
    sittings.end(sitter)
    return done(request, "", _path(request, sitter.queue))


def name_person(request: Request) -> Response:
    """Let labels be another person's from now on."""
    by = form_of(request).get("by")
    if problem := person_problem(by):
        raise ConfigError(problem)
    session_of(request).by = by
    return done(request, f"Labels are {by}'s from now on.", _path(request, form_of(request).get("queue")))


def estimate(request: Request) -> Response:
    """Show how precise the estimate is by now."""
    folder = crawl_folder(request)
    run = run_of(folder)
    with crawl_at_once(folder) as database:
        known, pages = estimate_now(run, database), read_counters(database).get("pages", 0)
    said = about_relevant(pages, known) if known is not None else ""
    return answer(request, "estimate.html", estimate=known if said else None, sentence=said)


def _path(request: Request, queue: str, page: ToLabel | None = None) -> str:
    named = {"page": page.url} if page is not None else {}
    return place_of(request, "label", queue=queue, **named)


_PATH = "/crawls/{topic}/{job}/label"
ROUTES = (
    get(_PATH, show),
    get(f"{_PATH}/estimate", estimate),
    post(f"{_PATH}/say", say),
    post(f"{_PATH}/undo", take_back),
    post(f"{_PATH}/more", more),
    post(f"{_PATH}/person", name_person),
)
