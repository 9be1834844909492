"""All places of the workbench, by their routes."""

from __future__ import annotations

from starlette.routing import Route

from focused_crawler.workbench import (
    compare,
    crawl,
    home,
    label,
    page,
    pages,
    taxonomy,
    topic,
    train,
)

ROUTES: tuple[Route, ...] = (
    *home.ROUTES,
    *topic.ROUTES,
    *crawl.ROUTES,
    *pages.ROUTES,
    *page.ROUTES,
    *label.ROUTES,
    *train.ROUTES,
    *taxonomy.ROUTES,
    *compare.ROUTES,
)
