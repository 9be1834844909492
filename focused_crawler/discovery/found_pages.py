"""The pages of a crawl that a view shows, searched for where it has words."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from focused_crawler.crawl.labelled import labels_in
from focused_crawler.discovery.page_views import MOST_FOUND, PageView
from focused_crawler.discovery.search.local import search_crawl
from focused_crawler.safety.errors import TopicError
from focused_crawler.store.job import RunInfo, run_of
from focused_crawler.store.opening import read_crawl
from focused_crawler.store.page_table import PageFilter
from focused_crawler.topic.labels import Labels, read_labels
from focused_crawler.topic.topic import load_topic


def pages_of_view(folder: Path, view: PageView) -> PageFilter:
    """Return which pages of the crawl in a folder a view shows; raises CrawlError, SearchError."""
    found = None
    if view.words:
        with closing(search_crawl(folder)) as search:
            found = search.positions(view.words, MOST_FOUND)
    with read_crawl(folder) as database:
        labels = labels_in(database, labels_of_crawl(run_of(folder)))
    return view.pages(labels, found)


def labels_of_crawl(run: RunInfo) -> Labels:
    """Return the labels of a crawl's topic, none of a topic that is gone."""
    try:
        return read_labels(load_topic(run.topic_name).folder)
    except TopicError:
        return Labels()
