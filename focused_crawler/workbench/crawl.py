"""Crawl: how one goes, while it goes."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from focused_crawler.store.job import run_of
from focused_crawler.workbench.request import answer, crawl_folder, get


def show(request: Request) -> Response:
    """Show one crawl."""
    folder = crawl_folder(request)
    return answer(request, "crawl.html", run=run_of(folder))


ROUTES = (get("/crawls/{topic}/{job}", show),)
