"""Crawl: how one goes, while it goes; and what it is told."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from focused_crawler.crawl import ordering
from focused_crawler.crawl.process import go_on
from focused_crawler.report.dots import dots
from focused_crawler.report.standing import standing_of
from focused_crawler.report.watch import MOST_DOTS, MOST_ORDERS, Watched
from focused_crawler.safety.errors import ConfigError
from focused_crawler.store import orders
from focused_crawler.store.job import run_of
from focused_crawler.store.opening import is_in_use, read_crawl
from focused_crawler.workbench.live import LiveCrawls, dots_of, names_of, parts_of
from focused_crawler.workbench.request import answer, bench_of, crawl_folder, done, form_of, get, post
from focused_crawler.workbench.workers import workers_of

_ANSWER_SECONDS = 5.0
_MOST_POSITION = 2**53


def show(request: Request) -> Response:
    """Show one crawl: what is cheap to read at once, the rest comes with the stream."""
    folder = crawl_folder(request)
    run = run_of(folder)
    watched = Watched(standing_of(folder, run))
    with read_crawl(folder) as database:
        watched.orders = orders.given(database, MOST_ORDERS)
    names = names_of(folder, watched, request.app.state.estimates)
    return answer(
        request,
        "crawl.html",
        run=run,
        standing=watched.standing,
        parts=parts_of(watched, names),
        upto=_position(request, "upto"),
        shares=run.is_shared,
    )


def show_dots(request: Request) -> Response:
    """Return the dots of pages up to a position."""
    upto = _position(request, "upto")
    with read_crawl(crawl_folder(request)) as database:
        return JSONResponse(dots_of(dots(database, upto - MOST_DOTS, upto)))


async def stream(request: Request) -> Response:
    """Send what changes, for as long as the tab is there."""
    live: LiveCrawls = request.app.state.live
    events = live.stream(crawl_folder(request), _position(request, "after"))
    return StreamingResponse(events, media_type="text/event-stream")


def show_workers(request: Request) -> Response:
    """Show the workers of a fleet."""
    folder = crawl_folder(request)
    return answer(request, "workers.html", fleet=workers_of(bench_of(request), folder))


def stop(request: Request) -> Response:
    """Let the crawl stop."""
    return _ordered(request, ordering.stop(crawl_folder(request)))


def change_budget(request: Request) -> Response:
    """Give a crawl that runs another budget; one that has stopped goes on with it."""
    folder, form = crawl_folder(request), form_of(request)
    limits = {name: _limit(name, form.get(name)) for name in ("pages", "relevant", "minutes")}
    if is_in_use(folder):
        return _ordered(request, ordering.change_budget(folder, limits))
    go_on(folder, {name: limit for name, limit in limits.items() if limit is not None}).wait_until_begun()
    return done(request, "The crawl goes on.")


def add(request: Request) -> Response:
    """Let the crawl fetch pages first: hubs of an alarm, or what somebody knows."""
    form = form_of(request)
    return _ordered(
        request, ordering.add_pages(crawl_folder(request), [*form.all("url"), *form.lines("urls")])
    )


def mark(request: Request) -> Response:
    """Mark categories as good for the topic, or no longer."""
    form = form_of(request)
    return _ordered(request, ordering.mark(crawl_folder(request), form.all("good"), form.all("not_good")))


def _ordered(request: Request, given_at: float) -> Response:
    """Say what the crawl answers to an order."""
    said = ordering.wait_for_answer(crawl_folder(request), given_at, _ANSWER_SECONDS)
    return done(
        request, said[:1].upper() + said[1:] + "." if said else "The crawl has the order, and will obey."
    )


def _limit(name: str, text: str) -> float | None:
    """Return a limit that was typed; None: it stays as it is; raises ConfigError."""
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 12):
        raise ConfigError(f"{name} is {text[:40]!r}; give a whole number, 0 for any")
    return int(text)


def _position(request: Request, name: str) -> int:
    text = request.query_params.get(name, "0")
    return min(int(text), _MOST_POSITION) if text.isascii() and text.isdecimal() and len(text) < 18 else 0


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
