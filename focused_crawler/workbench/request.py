"""What a handler reads of a request, and how it answers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from focused_crawler.workbench.access import BrowserSession
from focused_crawler.workbench.bench import Workbench
from focused_crawler.workbench.navigation import navigation
from focused_crawler.workbench.rendering import render

Handler = Callable[[Request], Response | Awaitable[Response]]


def get(path: str, handler: Handler) -> Route:
    """Return a route that shows something."""
    return Route(path, handler, methods=["GET"])


def post(path: str, handler: Handler) -> Route:
    """Return a route that changes something."""
    return Route(path, handler, methods=["POST"])


class Form:
    """The fields of a form."""

    def __init__(self, fields: list[tuple[str, str]]) -> None:
        self._fields = fields

    def get(self, name: str, default: str = "") -> str:
        """Return the last value of a field, without white space around."""
        return next((value.strip() for key, value in reversed(self._fields) if key == name), default)

    def all(self, name: str) -> list[str]:
        """Return all values of a field that are not empty."""
        return [value.strip() for key, value in self._fields if key == name and value.strip()]

    def lines(self, name: str) -> list[str]:
        """Return the lines of a field that are not empty."""
        return [line.strip() for line in self.get(name).splitlines() if line.strip()]


def bench_of(request: Request) -> Workbench:
    """Return what the workbench works on."""
    bench: Workbench = request.app.state.bench
    return bench


def session_of(request: Request) -> BrowserSession:
    """Return the session of the browser."""
    session: BrowserSession = request.scope["state"]["session"]
    return session


def form_of(request: Request) -> Form:
    """Return the form that was sent."""
    return Form(request.scope["state"]["form"])


def crawl_folder(request: Request) -> Path:
    """Return the folder of the crawl that the path names; raises NotFound."""
    return bench_of(request).crawl(request.path_params["topic"], request.path_params["job"])


def is_part(request: Request) -> bool:
    """Tell whether htmx asks, for a part of a page."""
    return request.headers.get("hx-request") == "true"


def answer(request: Request, template: str, status: int = 200, **values: Any) -> Response:
    """Return a page, or a part of one, made from a template with the names that all have."""
    session = session_of(request)
    names = {"topic": "", "job": "", **request.path_params}
    common = {
        "session": session,
        "said": "",
        "navigation": navigation(bench_of(request), names["topic"], names["job"]),
        **names,
    }
    if not is_part(request):
        common["said"], session.said = session.said, ""
    return HTMLResponse(render(template, **{**common, **values}), status)


def done(request: Request, said: str, to: str | None = None) -> Response:
    """Answer a form: go to a path, or back to where the form was, and say there what was done."""
    session_of(request).said = said
    to = to or _origin_of(request)
    if is_part(request):
        return Response(status_code=204, headers={"HX-Redirect": to})
    return RedirectResponse(to, 303)


def _origin_of(request: Request) -> str:
    """Return the path of the page whose form was sent: what it names itself, or the path above the form's."""
    named = form_of(request).get("back")
    parts = urlsplit(named)
    is_ours = named.startswith("/") and not parts.netloc and "\\" not in named
    return named if is_ours else request.url.path.rpartition("/")[0] or "/"
