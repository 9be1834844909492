"""What people said of a URL that redirects is of the page where it leads, in lists and on its own place."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlencode

import pytest

from focused_crawler.discovery.found_pages import pages_of_view
from focused_crawler.discovery.page_views import PageView
from focused_crawler.page.url import url_key
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.job import RunInfo, write_run
from focused_crawler.store.pages import PageStore
from focused_crawler.topic.label import Label
from focused_crawler.topic.labels import append, read_labels
from tests.workbench.bench import Workbench

OLD, URL, OTHER = "http://old.example/", "http://new.example/", "http://other.example/"
PATH = "/crawls/astronomy/redirected"


@pytest.fixture
def folder(workbench: Workbench) -> Path:
    """A crawl of two pages, one of which was asked for by the URL that has a label."""
    folder = workbench.project.crawls / "astronomy/redirected"
    folder.mkdir(parents=True)
    topic = workbench.project.topics / "astronomy"
    run = RunInfo("astronomy", "Astronomy", "redirected", "lpe", "", None, trained=False, judge="keywords:0")
    run.settings["FOCUSED_TOPIC"] = str(topic)
    with CrawlDatabase(folder / "crawl.db") as database:
        store = PageStore(database)
        store.begin_run({}, {}, None, "", "keywords:0")
        for url, asked in ((URL, OLD), (OTHER, OTHER)):
            page = PageItem(url=url, requested_url=asked, fetched_at=1.0, relevance=0.5, is_relevant=True)
            store.record_page(page)
        store.commit()
    write_run(folder, run)
    append(topic, [Label(url=OLD, label="yes", by="Ana", queue="sheet")])
    return folder


def test_the_page_has_the_label_and_takes_another(workbench: Workbench, folder: Path) -> None:
    """In the list, in a file, for whoever exports, and by itself; what is said of the page then is newer."""
    cookie = workbench.cookie()
    for place in ("pages", "pages/save/urls"):
        found = workbench.ask(f"{PATH}/{place}?label=yes", headers={"Cookie": cookie}).text
        assert URL in found, place
        assert OTHER not in found, place
    assert list(pages_of_view(folder, PageView(label="yes")).among or ()) == [url_key(URL)]
    place = f"{PATH}/page?{urlencode({'url': URL})}"
    assert "Ana: <strong>yes</strong>" in workbench.ask(place, headers={"Cookie": cookie}).text
    workbench.form(f"{PATH}/label/person", cookie, by="Ana", queue="hubs")
    assert workbench.form(f"{PATH}/page/label", cookie, url=URL, answer="no", before="").status == 303
    assert "Ana: <strong>no</strong>" in workbench.ask(place, headers={"Cookie": cookie}).text
    assert [one.label for one in read_labels(workbench.project.topics / "astronomy").labels] == ["yes", "no"]
