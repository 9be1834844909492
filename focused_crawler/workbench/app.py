"""The workbench as an application: its places behind the guard."""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from focused_crawler.safety.errors import FocusedCrawlerError
from focused_crawler.workbench import compare, crawl, home, label, page, pages, taxonomy, topic, train
from focused_crawler.workbench.access import Access
from focused_crawler.workbench.bench import NotFound, Workbench
from focused_crawler.workbench.errands import Errands
from focused_crawler.workbench.estimates import Estimates
from focused_crawler.workbench.guard import Guard
from focused_crawler.workbench.live import LiveCrawls
from focused_crawler.workbench.readers import Readers
from focused_crawler.workbench.rendering import SHARED_FILES, STATIC
from focused_crawler.workbench.request import AS_MESSAGE, answer, is_part, origin_of
from focused_crawler.workbench.sittings import Sittings

PLACES = (home, topic, crawl, pages, page, label, train, taxonomy, compare)
ROUTES = tuple(route for place in PLACES for route in place.ROUTES)


def make_app(bench: Workbench, access: Access) -> ASGIApp:
    """Return the application."""
    app = Starlette(
        routes=[*ROUTES, Mount("/static", StaticFiles(directory=STATIC, packages=[SHARED_FILES]))],
        exception_handlers={FocusedCrawlerError: _failed, HTTPException: _unknown},
    )
    app.state.bench, app.state.estimates = bench, Estimates()
    app.state.live = LiveCrawls(app.state.estimates)
    app.state.readers, app.state.sittings = Readers(bench.settings), Sittings()
    address = str(bench.settings.get("FOCUSED_DATABASE") or "")
    app.state.index_errands, app.state.queue_errands = Errands(address), Errands(address)
    return Guard(app, access)


def _failed(request: Request, error: Exception) -> Response:
    """Show an error of ours: where htmx asked, in the page's line for messages."""
    status = 404 if isinstance(error, NotFound) else 400
    if not is_part(request):
        back = origin_of(request) if request.method == "POST" else ""
        return answer(request, "error.html", status, message=str(error), back=back)
    response = answer(request, "message.html", status, message=str(error))
    response.headers.update(AS_MESSAGE)
    return response


def _unknown(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if "session" not in request.scope.get("state", {}):  # a static file that is not there
        return Response(error.detail, error.status_code)
    if error.status_code == 405 and request.method == "GET":  # a form's, opened again: the page that has it
        return RedirectResponse(request.url.path.rpartition("/")[0] or "/", 303)
    message = "there is no such place" if error.status_code == 404 else error.detail
    return answer(request, "error.html", error.status_code, message=message, back="")
