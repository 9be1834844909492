"""What a handler reads of a request, and how it answers."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from focused_crawler.workbench.access import BrowserSession
from focused_crawler.workbench.bench import Workbench
from focused_crawler.workbench.navigation import navigation
from focused_crawler.workbench.rendering import path_to, render

MOST_POSITION = 2**53
_PATH = re.compile(r"/(?!/)[!-\[\]-~]*")
"""Of ours, as `path_to` writes one: browsers take "//" and "/\\" for the beginning of a host."""

AS_MESSAGE = {"HX-Retarget": "#message", "HX-Reswap": "innerHTML"}
"""Headers of an answer that htmx shows in the page's line for messages, not in the part it asked for."""

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

    def get(self, name: str) -> str:
        """Return the last value of a field, without white space around."""
        return next((value.strip() for key, value in reversed(self._fields) if key == name), "")

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
    session: BrowserSession = request.scope["state"]["session"]
    return session


def form_of(request: Request) -> Form:
    """Return the form that was sent."""
    return Form(request.scope["state"]["form"])


def crawl_folder(request: Request) -> Path:
    """Return the folder of the crawl that the path names; raises NotFound."""
    return bench_of(request).crawl(request.path_params["topic"], request.path_params["job"])


def place_of(request: Request, *below: str, **query: str) -> str:
    """Return the path of the crawl, or the topic, that a request's path names, or of a place below it."""
    names = request.path_params
    above = ("crawls", names["topic"], names["job"]) if "job" in names else ("topics", names["topic"])
    return path_to(*above, *below, **query)


def whole_number(text: str, most: int) -> int | None:
    """Return a whole number from 0 on that was typed; None: it is none, or larger."""
    is_number = text.isascii() and text.isdecimal() and len(text) <= len(str(most))
    return int(text) if is_number and int(text) <= most else None


def position_in(request: Request, name: str) -> int:
    """Return the position of a page that the address names; 0: none."""
    return whole_number(request.query_params.get(name, ""), MOST_POSITION) or 0


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
        common["said"] = session.to_say(request.scope["path"])
    return HTMLResponse(render(template, **{**common, **values}), status)


def done(request: Request, said: str, to: str | None = None) -> Response:
    """Answer a form: go to a path, or back to where the form was, and say there what was done."""
    to = to or origin_of(request)
    session_of(request).say(unquote(to.partition("?")[0]), said)
    if is_part(request):
        return Response(status_code=204, headers={"HX-Redirect": to})
    return RedirectResponse(to, 303)


def origin_of(request: Request) -> str:
    """Return the path of the page whose form was sent: what it names itself, or the path above the form's."""
    named = form_of(request).get("back")
    return named if _PATH.fullmatch(named) else request.url.path.rpartition("/")[0] or "/"
