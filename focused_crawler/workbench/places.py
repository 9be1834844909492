"""All places of the workbench, by their routes."""

from __future__ import annotations

from starlette.routing import Route

from focused_crawler.workbench import crawl, home, taxonomy, topic, train

ROUTES: tuple[Route, ...] = (*home.ROUTES, *topic.ROUTES, *crawl.ROUTES, *taxonomy.ROUTES, *train.ROUTES)
