from __future__ import annotations

import pytest
from parsel import Selector

from focused_crawler.report.page import save_report, write_report
from focused_crawler.report.read import read_summary
from focused_crawler.safety.errors import CrawlError
from tests.project import little_room


def test_a_report_lies_in_the_crawls_folder(make_crawl, new_page):
    """One call makes it, from what a crawl left on disk."""
    folder = make_crawl([new_page(n, relevant=n % 2 == 0) for n in range(40)])
    path = write_report(folder)
    assert path == folder / "report.html"
    assert Selector(path.read_text("utf-8")).css(".lead strong::text").get() == "50.0 %"


def test_a_report_compares_crawls(make_crawl, new_page):
    """Other folders stand beside it."""
    folder = make_crawl([new_page(0, relevant=True)])
    other = make_crawl([new_page(0, relevant=False)], job="2", strategy="breadth_first")
    path = save_report(read_summary(folder), [read_summary(other)], folder / "report.html")
    report = Selector(path.read_text("utf-8"))
    names = report.xpath("//h2[.='Compared']/..//tbody/tr/th[1]")
    assert [name.xpath("normalize-space()").get() for name in names] == ["lpe", "breadth_first"]


def test_hostile_titles_survive_the_way_through_the_database(make_crawl, new_page):
    """From the store to the page, a script is text."""
    title = "<script>alert('x')</script>\udc80"
    path = write_report(make_crawl([new_page(0, relevant=True, title=title, url='http://a.example/"><b>')]))
    report = Selector(path.read_text("utf-8"))
    assert not report.xpath("//script[contains(., 'alert')] | //b[ancestor::table]")
    assert "alert('x')" in report.css(".title a ::text").get()


def test_a_file_that_cannot_be_written_is_named(make_crawl, tmp_path):
    """One line names the file and the cure."""
    with pytest.raises(CrawlError, match=r"cannot write .*nowhere.*--out FILE"):
        save_report(read_summary(make_crawl()), [], tmp_path / "nowhere" / "x.html")


def test_a_report_keeps_its_mode(make_crawl, new_page):
    """What its user lets nobody else read is read by nobody else."""
    folder = make_crawl([new_page(0, relevant=True)])
    write_report(folder).chmod(0o600)
    assert write_report(folder).stat().st_mode & 0o777 == 0o600


def test_a_report_without_room_leaves_the_one_before(make_crawl, new_page):
    """As on a full disk: half a page is shown to nobody."""
    folder = make_crawl([new_page(0, relevant=True)])
    path, summary = write_report(folder), read_summary(folder)
    before = path.read_bytes()
    with little_room(len(before) // 2), pytest.raises(CrawlError, match=r"cannot write .*report\.html"):
        save_report(summary, [], path)
    assert path.read_bytes() == before
    assert not list(folder.glob(".report*"))
