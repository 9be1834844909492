"""The places that a page leads to."""

from __future__ import annotations

from typing import NamedTuple

from focused_crawler.workbench.bench import Workbench
from focused_crawler.workbench.rendering import path_to

CRAWL_PLACES = {"crawl": "Crawl", "pages": "Pages", "label": "Label"}
TOPIC_PLACES = {"train": "Train", "taxonomy": "Taxonomy", "compare": "Compare"}


class PlaceLink(NamedTuple):
    """A place in the navigation."""

    place: str
    name: str
    path: str


def navigation(bench: Workbench, topic: str, job: str) -> list[PlaceLink]:
    """Return the places of a crawl, and of its topic; those of a topic alone have its last crawl."""
    if not topic:
        return []
    if not job:
        job = next((folder.name for folder, _ in bench.crawls_of(topic)), "")
    ways = []
    if job:
        for place, name in CRAWL_PLACES.items():
            below = () if place == "crawl" else (place,)
            ways.append(PlaceLink(place, name, path_to("crawls", topic, job, *below)))
    ways += [PlaceLink(place, name, path_to("topics", topic, place)) for place, name in TOPIC_PLACES.items()]
    return ways
