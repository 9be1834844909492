"""A crawl of the demo web, scraped over HTTP while it runs; docs and dashboard are held to what it says."""

from __future__ import annotations

import json
import re
import socket
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path

import pytest
from prometheus_client import parser
from prometheus_client.metrics_core import Metric
from prometheus_client.openmetrics import parser as openmetrics_parser

from tests.project import ROOT, Done, Scrapy, crawl, until

OPENMETRICS = "application/openmetrics-text;version=1.0.0"
DASHBOARD = ROOT / "docs/reference/grafana.json"
UNTRAINED = "link_classifier (untrained: best_first_content_anchor)"
RESOURCE = {"topic": "astronomy", "crawl": "seen", "strategy": UNTRAINED}


@dataclass(frozen=True)
class Answer:
    """What the endpoint said."""

    status: int
    type: str
    text: str


def ask(place: str, path: str = "/metrics", method: str = "GET", **headers: str) -> Answer:
    """Ask the endpoint of a crawl; `Accept_Encoding` is the header Accept-Encoding."""
    host, _, port = place.rpartition(":")
    connection = HTTPConnection(host, int(port), timeout=10)
    try:
        connection.request(method, path, headers={k.replace("_", "-"): v for k, v in headers.items()})
        response = connection.getresponse()
        return Answer(response.status, response.headers.get("Content-Type", ""), response.read().decode())
    finally:
        connection.close()


def targets(crawls: Path) -> list[str]:
    """Return where Prometheus would look for the crawls under a folder."""
    files = sorted((crawls / ".metrics").glob("*.json"))
    return [place for file in files for group in json.loads(file.read_text()) for place in group["targets"]]


def free_ports(n: int) -> int:
    """Return the first of `n` ports in a row that nobody listens on."""
    for first in range(20000, 30000, n):
        try:
            for port in range(first, first + n):
                with socket.create_server(("127.0.0.1", port)):
                    pass
        except OSError:
            continue
        return first
    raise AssertionError("no ports left")


@dataclass(frozen=True)
class Scraped:
    """A crawl that was scraped while it ran."""

    plain: Answer
    open: Answer
    answers: dict[str, Answer]
    targets_then: list[str]
    targets_after: list[str]
    done: Done


@pytest.fixture(scope="module")
def scraped(scrapy: Scrapy, demo_web: Path, tmp_path_factory: pytest.TempPathFactory) -> Scraped:
    crawls = tmp_path_factory.mktemp("metrics")
    first = free_ports(3)
    topic = demo_web.parent / "demo.topics/astronomy"
    settings = (
        f"FOCUSED_WEB={demo_web}",
        "FOCUSED_WEB_LATENCY=0.02",
        "CONCURRENT_REQUESTS=4",
        "FOCUSED_MAX_PAGE_BYTES=5500",  # some pages are too large
        f"FOCUSED_METRICS_PORT={first}-{first + 2}",
    )
    with socket.create_server(("127.0.0.1", first)):  # so the first port is taken
        words = crawl(topic, crawls, *settings, strategy="link_classifier", job="seen")
        running = scrapy.start(*words)
        until(lambda: targets(crawls))
        (place,) = then = targets(crawls)
        until(lambda: is_under_way(ask(place).text))
        port = place.rpartition(":")[2]
        answers = {
            "rebound": ask(place, Host="evil.example"),
            "localhost": ask(place, Host=f"localhost:{port}"),
            "elsewhere": ask(place, "/"),
            "post": ask(place, method="POST"),
            "odd": ask(place, Accept="application/openmetrics-text; version=abc"),
            "no host": ask(place, Host=""),
        }
        plain, open = ask(place), ask(place, Accept=OPENMETRICS)
        running.signal(2)
        done = running.wait()
    return Scraped(plain, open, answers, then, targets(crawls), done)


def value(text: str, name: str) -> float:
    """Return the value of the first sample of a name."""
    return float(re.search(rf"^{name}(?:{{.*}})? (\S+)$", text, re.MULTILINE)[1])


def is_under_way(text: str) -> bool:
    """Tell whether some pages were recorded, and some URLs have failed."""
    return (
        value(text, "focused_crawler_pages_total") > 9 and value(text, "focused_crawler_crawl_failures") > 0
    )


@pytest.fixture(scope="module")
def families(scraped: Scraped) -> dict[str, Metric]:
    return {
        family.name: family for family in openmetrics_parser.text_string_to_metric_families(scraped.open.text)
    }


def test_it_answers_in_the_format_that_is_asked_for(scraped):
    """Prometheus's text, or OpenMetrics: the reference parsers read both, and find the same names."""
    assert scraped.plain.status == scraped.open.status == 200
    assert scraped.plain.type.startswith("text/plain")
    assert scraped.open.type.startswith("application/openmetrics-text; version=1.0.0")
    plain = {
        sample.name
        for family in parser.text_string_to_metric_families(scraped.plain.text)
        for sample in family.samples
    }
    open = {
        sample.name
        for family in openmetrics_parser.text_string_to_metric_families(scraped.open.text)
        for sample in family.samples
    }
    assert plain == open


def test_every_sample_says_whose_it_is(families):
    """So that many crawls may be told apart."""
    for family in families.values():
        for sample in family.samples:
            assert sample.labels.items() >= RESOURCE.items(), sample


def test_figures_are_of_the_crawl(families):
    """Pages are counted, steps are timed, pending URLs are in bands."""
    pages = families["focused_crawler_pages"].samples[0].value
    assert pages > 0
    assert families["focused_crawler_crawl_pages"].samples[0].value == pages
    steps = families["focused_crawler_step_duration_seconds"].samples
    took = {s.labels["step"]: s.value for s in steps if s.name.endswith("_count")}
    assert took.keys() == {"download", "parse", "partition", "score", "add", "record", "commit"}
    assert took["record"] <= pages <= took["parse"] <= took["record"] + 4  # of those under way
    spent = {s.labels["step"]: s.value for s in steps if s.name.endswith("_sum")}
    assert spent["download"] >= 0.02 * pages
    bands = [s.value for s in families["focused_crawler_frontier_pending_urls"].samples]
    states = {s.labels["state"]: s.value for s in families["focused_crawler_frontier_urls"].samples}
    assert len(bands) == 10
    assert sum(bands) == states["pending"] > 0
    failures = families["focused_crawler_failures"].samples
    total = families["focused_crawler_crawl_failures"].samples[0].value
    assert "page_bytes" in {sample.labels["reason"] for sample in failures}
    assert sum(sample.value for sample in failures) == total


def test_a_name_that_is_not_ours_gets_nothing(scraped):
    """A web page cannot read the metrics by a name of its own that leads here (DNS rebinding)."""
    assert scraped.answers["rebound"].status == scraped.answers["no host"].status == 403
    assert "focused_crawler" not in scraped.answers["rebound"].text
    assert scraped.answers["localhost"].status == 200


def test_odd_requests_have_plain_answers(scraped):
    """Another path, another method, a version that is none."""
    assert scraped.answers["elsewhere"].status == 404
    assert scraped.answers["post"].status == 405
    assert scraped.answers["odd"].status == 200


def test_it_takes_the_first_free_port_and_says_where_it_is(scraped):
    """In the log, and in a file for Prometheus that is gone with the crawl."""
    assert scraped.done.code == 130, scraped.done.err
    (place,) = scraped.targets_then
    assert f"Metrics: http://{place}/metrics" in scraped.done.err
    assert scraped.targets_after == []
    with pytest.raises(ConnectionRefusedError):
        ask(place)


def test_a_port_that_is_taken_is_said_in_one_line(scrapy, demo_web, tmp_path):
    """And nothing has been written."""
    topic = demo_web.parent / "demo.topics/astronomy"
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        settings = (f"FOCUSED_WEB={demo_web}", f"FOCUSED_METRICS_PORT={port}")
        done = scrapy.run(*crawl(topic, tmp_path / "crawls", *settings, pages=5))
    assert done.code == 2
    assert f"FOCUSED_METRICS_PORT: {port} on 127.0.0.1 is taken" in done.err
    assert "Traceback" not in done.err
    assert not (tmp_path / "crawls").exists()


def expressions() -> set[str]:
    """Return all queries of the dashboard."""
    return set(re.findall(r'"(?:expr|definition)": "((?:[^"\\]|\\.)*)"', DASHBOARD.read_text()))


NAME = re.compile(r"\b(?:focused_crawler|process)_\w+")


def known(families: dict[str, Metric]) -> set[str]:
    """Return all names that a sample may have, also of metrics that had none then."""
    endings = {"counter": ("_total",), "histogram": ("_bucket", "_sum", "_count"), "info": ("_info",)}
    return {name + ending for name, family in families.items() for ending in endings.get(family.type, ("",))}


def test_the_dashboard_asks_for_what_there_is(families):
    """Every metric and every label value that it names; and it shows all of ours."""
    asked = {name for expression in expressions() for name in NAME.findall(expression)}
    assert asked <= known(families)
    ours = {name for name in known(families) if name.startswith("focused_crawler")}
    assert {name for name in ours if not name.endswith("_count")} <= asked


def test_the_dashboard_is_one_that_grafana_takes():
    """Its model's version, panels with places and numbers of their own, one data source to choose."""
    board = json.loads(DASHBOARD.read_text())
    assert board["schemaVersion"] >= 39
    numbers = [panel["id"] for panel in board["panels"]]
    assert len(numbers) == len(set(numbers))
    places = {(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in board["panels"]}
    assert len(places) == len(numbers)
    assert all(panel["gridPos"]["x"] + panel["gridPos"]["w"] <= 24 for panel in board["panels"])
    assert next(variable["type"] for variable in board["templating"]["list"]) == "datasource"
    sources = {panel["datasource"]["uid"] for panel in board["panels"] if panel["type"] != "row"}
    assert sources == {"${datasource}"}


def test_every_metric_is_documented(families):
    """In docs/reference/metrics.md, by the name that it is asked for."""
    text = (ROOT / "docs/reference/metrics.md").read_text()
    documented = set(re.findall(r"`(\w+)(?:\{\w+\})?`", text))
    wanted = known(families) - {f"process_{rest}" for rest in ("virtual_memory_bytes", "max_fds")}
    for name in {re.sub("_(bucket|sum|count)$", "", name) for name in wanted}:
        assert name in documented, name
