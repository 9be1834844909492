"""Crawl: how one goes, while it goes; and its orders."""

from __future__ import annotations

from pathlib import Path

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from focused_crawler.crawl import ordering
from focused_crawler.crawl.process import go_on, go_on_as_fleet
from focused_crawler.report.dots import dots
from focused_crawler.report.standing import standing_of
from focused_crawler.report.watch import MOST_DOTS, MOST_ORDERS, Watched
from focused_crawler.safety.errors import ConfigError
from focused_crawler.safety.formats import first_upper
from focused_crawler.store import orders
from focused_crawler.store.history import equal_bands
from focused_crawler.store.job import run_of
from focused_crawler.store.opening import crawl_at_once, is_in_use
from focused_crawler.workbench.live import LiveCrawls, dots_of, names_of, parts_of
from focused_crawler.workbench.request import (
    answer,
    bench_of,
    crawl_folder,
    done,
    form_of,
    get,
    position_in,
    post,
    whole_number,
)
from focused_crawler.workbench.workers import workers_of

ANSWER_SECONDS = 5.0
MOST_WORKERS = 64
_MOST_LIMIT = 10**11


def show(request: Request) -> Response:
    """Show one crawl: what is cheap to read at once, the rest comes with the stream."""
    folder = crawl_folder(request)
    run = run_of(folder)
    watched = Watched(standing_of(folder, run))
    with crawl_at_once(folder) as database:
        watched.orders = orders.given(database, MOST_ORDERS)
    names = names_of(folder, watched, request.app.state.estimates)
    return answer(
        request,
        "crawl.html",
        run=run,
        standing=watched.standing,
        parts=parts_of(watched, names),
        upto=position_in(request, "upto"),
        command=ordering.fleet_command(run) if run.is_shared else "",
    )


def show_dots(request: Request) -> Response:
    """Return the dots of pages up to a position."""
    folder, upto = crawl_folder(request), position_in(request, "upto")
    with crawl_at_once(folder) as database:
        return JSONResponse(dots_of(dots(database, run_of(folder).judged_by, upto - MOST_DOTS, upto)))


async def stream(request: Request) -> Response:
    """Send what changes, for as long as the tab is there."""
    live: LiveCrawls = request.app.state.live
    events = live.stream(crawl_folder(request), position_in(request, "after"))
    return StreamingResponse(events, media_type="text/event-stream")


def show_workers(request: Request) -> Response:
    fleet = workers_of(bench_of(request), crawl_folder(request))
    return answer(
        request,
        "workers.html",
        fleet=fleet,
        bands=equal_bands(fleet.frontier.bands if fleet.frontier else ()),
    )


def stop(request: Request) -> Response:
    """Let the crawl stop."""
    folder = crawl_folder(request)
    return ordered(request, folder, ordering.stop(folder))


def change_budget(request: Request) -> Response:
    """Give a crawl that runs another budget; one that has stopped goes on with it."""
    folder, form = crawl_folder(request), form_of(request)
    limits = {name: _limit(name, form.get(name)) for name in ("pages", "relevant", "minutes")}
    if is_in_use(folder):
        return ordered(request, folder, ordering.change_budget(folder, limits))
    given, run = {name: limit for name, limit in limits.items() if limit is not None}, run_of(folder)
    if run.is_shared:
        crawl = go_on_as_fleet(folder, _workers(form.get("workers")), given)
    else:
        crawl = go_on(folder, given)
    crawl.wait_until_begun()
    return done(request, "The crawl goes on.")


def add(request: Request) -> Response:
    """Let the crawl fetch pages first: hubs of an alarm, or what somebody knows."""
    folder, form = crawl_folder(request), form_of(request)
    return ordered(request, folder, ordering.add_pages(folder, [*form.all("url"), *form.lines("urls")]))


def mark(request: Request) -> Response:
    """Mark categories as good for the topic, or no longer."""
    folder, form = crawl_folder(request), form_of(request)
    return ordered(request, folder, ordering.mark(folder, form.all("good"), form.all("not_good")))


def ordered(request: Request, folder: Path, given_at: float, to: str | None = None) -> Response:
    """Say what a crawl answers to an order, where the form was or at another path."""
    said = ordering.wait_for_answer(folder, given_at, ANSWER_SECONDS)
    return done(request, f"{first_upper(said)}." if said else "The crawl has the order, and will obey.", to)


def _workers(text: str) -> int:
    if not (workers := whole_number(text, MOST_WORKERS)):
        raise ConfigError(f"workers is {text[:40]!r}; give a whole number from 1 to {MOST_WORKERS}")
    return workers


def _limit(name: str, text: str) -> float | None:
    """Return a limit that was typed; None: it stays as it is; raises ConfigError."""
    if not text:
        return None
    if (limit := whole_number(text, _MOST_LIMIT)) is None:
        raise ConfigError(f"{name} is {text[:40]!r}; give a whole number, 0 for any")
    return limit


_CRAWL = "/crawls/{topic}/{job}"
ROUTES = (
    get(_CRAWL, show),
    get(f"{_CRAWL}/dots", show_dots),
    get(f"{_CRAWL}/live", stream),
    get(f"{_CRAWL}/workers", show_workers),
    post(f"{_CRAWL}/stop", stop),
    post(f"{_CRAWL}/budget", change_budget),
    post(f"{_CRAWL}/add", add),
    post(f"{_CRAWL}/mark", mark),
)
