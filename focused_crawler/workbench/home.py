"""Home: topics and their crawls, running ones first; a new topic from words; a crawl to start."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from focused_crawler.workbench.request import answer, bench_of, get


def show(request: Request) -> Response:
    """Show all topics and crawls."""
    bench = bench_of(request)
    topics = {name: bench.crawls_of(name) for name in bench.topics()}
    return answer(request, "home.html", topics=topics)


ROUTES = (get("/", show),)
