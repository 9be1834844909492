"""Every way a request can end ends its lease, and is counted once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.crawls.site import Answer, Site, page, serving, write_topic
from tests.project import Done, Job, Scrapy, crawl

SETTINGS = (
    "FOCUSED_ALLOWED_NETWORKS=127.0.0.0/8",
    "FOCUSED_RETRY_DELAY=0.1",
    "FOCUSED_MAX_TRIES=3",
    "FOCUSED_MAX_PAGE_BYTES=20000",
    "DOWNLOAD_DELAY=0",
    "DOWNLOAD_TIMEOUT=3",
    "CONCURRENT_REQUESTS_PER_DOMAIN=16",
    "SPIDER_MODULES=tests.crawls.odd",
    'ITEM_PIPELINES={"tests.crawls.odd.OddPipeline": 500}',
    'SPIDER_MIDDLEWARES={"tests.crawls.odd.OddMiddleware": 300}',
    'DOWNLOADER_MIDDLEWARES={"tests.crawls.odd.OddPatience": 50}',
    "STATS_DUMP=True",
)
PLAIN = {"Content-Type": "text/plain"}
BUSY, OTHER, CLOSED = "127.0.0.2", "127.0.0.3", "127.0.0.4"


def moved(where: str, status: int = 301) -> list[Answer]:
    return [Answer(status=status, headers={"Location": where})]


def answers(port: int) -> dict[str, list[Answer]]:
    other = f"http://{OTHER}:{port}"
    return {
        "/robots.txt": [Answer(b"User-agent: *\nDisallow: /private/", headers=PLAIN)],
        "/found": [page("found")],
        "/gone": [Answer(status=410)],
        "/flaky": [Answer(status=500), page("flaky")],
        "/broken": [Answer(status=500)],
        "/busy": [Answer(status=503, headers={"Retry-After": "1"}), page("busy")],
        "/slow": [page("slow")._replace(delay=60)],
        "/private/page": [page("private")],
        "/film": [Answer(b"film", headers={"Content-Type": "video/mp4"})],
        "/empty": [Answer()],
        "/large": [page("large" * 5000)],
        "/to-new": moved("/new"),
        "/new": [page("new")],
        "/to-known": moved("/"),
        "/to-itself": moved("/to-itself"),
        "/circle": moved("/circle-2"),
        "/circle-2": moved("/circle"),
        "/twin-a": moved("/twin"),
        "/twin-b": moved("/twin", 302),
        "/twin": [page("twin")],
        "/to-other": moved(f"{other}/other"),
        "/other": [page("other")],
        "/to-forbidden": moved(f"{other}/private/page"),
        "/to-intranet": moved("http://10.0.0.1/"),
        "/to-file": moved("file:///etc/passwd"),
        "/to-broken": moved("/broken-2"),
        "/broken-2": [Answer(status=500)],
        "/raises": [page("raises")],
        "/raises-late": [page("raises late")],
        "/silent": [page("silent")],
        "/filtered": [page("filtered")],
        "/dropped": [page("dropped")],
        "/breaks": [page("breaks")],
        "/replaced": [page("replaced")],
        "/forgotten": [page("forgotten")],
        "/copy": [page("found")],
    }


NOT_LINKED = {"/robots.txt", "/new", "/twin", "/circle-2", "/other", "/broken-2", "/busy"}
FAILURES = {
    "/missing": "http_404",
    "/gone": "http_410",
    "/broken": "http_500",
    "/slow": "timeout",
    "/private/page": "robots",
    "/film": "content_type",
    "/empty": "unparsable",
    "/large": "page_bytes",
    "/to-known": "redirect_to_known",
    "/to-itself": "redirect_hops",
    "/circle": "redirect_hops",
    "/to-forbidden": "robots",
    "/to-intranet": "refused_address",
    "/to-file": "redirect_scheme",
    "/to-broken": "http_500",
    "/raises": "spider_error",
    "/filtered": "no_item",
    "/dropped": "item_lost",
    "/breaks": "item_lost",
    "/replaced": "item_lost",
    "/forgotten": "item_lost",
}
PAGES = {
    "/": "/",
    "/found": "/found",
    "/flaky": "/flaky",
    "/to-new": "/new",
    "/raises-late": "/raises-late",
    "/silent": "/silent",
    "/copy": "/copy",
}


@dataclass(frozen=True)
class Crawled:
    site: Site
    done: Done
    job: Job

    @property
    def stats(self) -> dict[str, int]:
        found = re.findall(r"'focused/(\S+)': (\d+)[,}]", self.done.err)
        return {name: int(number) for name, number in found}


@pytest.fixture(scope="module")
def crawled(scrapy: Scrapy, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    """One crawl of a page that links to every ending."""
    folder = tmp_path_factory.mktemp("endings")
    with serving() as site:
        site.answers = answers(site.port)
        links = [path for path in {**site.answers, **FAILURES} if path not in NOT_LINKED]
        links += [site.url("/busy", BUSY), f"http://{CLOSED}:1/"]
        site.answers["/"] = [page("all", links)]
        words = crawl(write_topic(folder, "odd", site.url("/")), folder / "crawls", *SETTINGS)
        done = scrapy.run("crawl", "odd", *words[2:])
        yield Crawled(site, done, Job(folder / "crawls/odd/1"))


def test_the_crawl_ends(crawled: Crawled) -> None:
    """By itself, with nothing left."""
    assert crawled.done.code == 0, crawled.done.err
    assert crawled.job.run["state"] == "finished"
    assert crawled.job.run["reason"] == "finished"
    left = {name: crawled.job.states[name] for name in ("pending", "waiting", "leased")}
    assert left == {"pending": 0, "waiting": 0, "leased": 0}


@pytest.mark.parametrize("path", FAILURES)
def test_a_failure_is_recorded(path: str, crawled: Crawled) -> None:
    """Under the URL that the frontier gave out, with its class."""
    assert crawled.job.failures[crawled.site.url(path)] == FAILURES[path]


def test_no_other_failure_is_recorded(crawled: Crawled) -> None:
    """But the closed port and one of the twins."""
    twins = {crawled.site.url(path) for path in ("/twin-a", "/twin-b")}
    expected = {crawled.site.url(path): reason for path, reason in FAILURES.items()}
    expected[f"http://{CLOSED}:1/"] = "connection_refused"
    found = crawled.job.failures
    assert {found[url] for url in found.keys() & twins} == {"redirect_to_known"}
    assert len(found.keys() & twins) == 1
    assert {url: reason for url, reason in found.items() if url not in twins} == expected


def test_each_page_is_recorded_once(crawled: Crawled) -> None:
    """Under the URL where it was found in the end."""
    rows = dict(crawled.job.rows("SELECT requested_url, url FROM pages"))
    expected = {crawled.site.url(asked): crawled.site.url(found) for asked, found in PAGES.items()}
    expected[crawled.site.url("/busy", BUSY)] = crawled.site.url("/busy", BUSY)
    expected[crawled.site.url("/to-other")] = crawled.site.url("/other", OTHER)
    twin = [url for url, found in rows.items() if found == crawled.site.url("/twin")]
    assert len(twin) == 1
    assert rows == {**expected, twin[0]: crawled.site.url("/twin")}
    assert len(crawled.job.pages) == len(set(crawled.job.pages))


def test_totals_are_those_of_the_tables(crawled: Crawled) -> None:
    """Stats, counters and run.json say what the database holds."""
    job, stats = crawled.job, crawled.stats
    counters = dict(job.rows("SELECT name, value FROM counters"))
    assert stats["pages"] == counters["pages"] == job.run["totals"]["pages"] == len(job.pages)
    assert stats["failures"] == counters["failures"] == len(job.failures)
    by_class = {name: stats[f"failures/{name}"] for name in set(job.failures.values())}
    assert sum(by_class.values()) == len(job.failures)
    assert stats["duplicates"] == counters["duplicates"] == 1


@pytest.mark.parametrize(
    ("path", "times"),
    [("/found", 1), ("/flaky", 2), ("/broken", 3), ("/broken-2", 3), ("/slow", 3), ("/gone", 1)],
)
def test_tries(path: str, times: int, crawled: Crawled) -> None:
    """What may pass is tried FOCUSED_MAX_TRIES times, all else once."""
    assert crawled.site.times(path) == times


def test_forbidden_pages_are_never_asked_for(crawled: Crawled) -> None:
    """Robots.txt is obeyed at the end of a redirect, too."""
    assert crawled.site.times("/private/page") == 0


def test_a_busy_host_is_left_alone(crawled: Crawled) -> None:
    """For as long as it asked."""
    first, second = (hit.time for hit in crawled.site.hits if hit.path == "/busy")
    assert second - first >= 1.0


def test_only_mistakes_of_the_user_show_tracebacks(crawled: Crawled) -> None:
    """Two of the callback, one of the pipeline; what the web does is no error of ours."""
    assert len(re.findall("^RuntimeError: a mistake", crawled.done.err, re.MULTILINE)) == 3
    assert crawled.done.err.count("Traceback") == 3
