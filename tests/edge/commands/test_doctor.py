"""`scrapy doctor` on a real site, a closed port, servers that nobody answers for, and the demo web."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crawls.site import Answer, Site, serving
from tests.docs.test_tutorial import pattern
from tests.project import ROOT, Done, Scrapy, crawl

ON_TOPIC = Answer(
    b"<title>Bees</title><h1>Bees and honey</h1><p>A bee makes honey in the hive. <a href=/2>More bees</a>",
    headers={"Content-Type": "text/html"},
)
LIVE = ("-s", "FOCUSED_ALLOWED_NETWORKS=127.0.0.0/8", "-s", "DOWNLOAD_DELAY=0", "-s", "RETRY_ENABLED=False")
NOWHERE = (
    *("-s", "FOCUSED_DATABASE=postgresql://ann:secret@127.0.0.1:1/crawls"),
    *("-s", "FOCUSED_FRONTIER=postgresql"),
)


@pytest.fixture
def site() -> Iterator[Site]:
    with serving() as site:
        yield site


def topic(folder: Path, *seeds: str) -> Path:
    path = folder / "bees"
    path.mkdir()
    (path / "topic.toml").write_text(
        f'name = "bees"\ntitle = "Bees"\nkeywords = ["bee", "honey", "hive"]\nseeds = {json.dumps(seeds)}\n'
    )
    return path


def states(done: Done) -> dict[str, str]:
    lines = [line.split() for line in done.out.splitlines()]
    return {words[1]: words[0] for words in lines if words and words[0] in {"ok", "warning", "error"}}


def test_start_pages_of_a_live_site(scrapy: Scrapy, site: Site, tmp_path: Path) -> None:
    """One is on topic, one is gone, one is forbidden; robots.txt was asked, and the report is JSON, too."""
    site.answers = {
        "/robots.txt": [Answer(b"User-agent: *\nDisallow: /private", headers={"Content-Type": "text/plain"})],
        "/": [ON_TOPIC],
        "/private": [ON_TOPIC],
    }
    folder = topic(tmp_path, *(site.url(path) for path in ("/", "/gone", "/private")))
    done = scrapy.run("doctor", folder, *LIVE, "--json", tmp_path / "found.json")
    assert (done.code, done.err) == (0, "")
    assert "1 of 3 start pages can be fetched; not: " in done.out
    assert "404 Not Found 1x" in done.out
    assert "forbidden by robots.txt 1x" in done.out
    assert "1 of 1 start page" in done.out
    assert site.times("/private") == 0
    found = json.loads((tmp_path / "found.json").read_text())["findings"]
    assert {one["check"]: one["state"] for one in found}["robots.txt"] == "warning"
    assert {one["state"] for one in found} == {"ok", "warning"}
    assert all(one["cure"] for one in found if one["state"] != "ok")


def test_a_topic_with_a_profile(scrapy: Scrapy, site: Site, tmp_path: Path) -> None:
    """Its start pages are asked for as a crawl would; this one allows networks of one's own."""
    site.answers = {"/": [ON_TOPIC]}
    folder = topic(tmp_path, site.url("/"))
    assert states(scrapy.run("doctor", folder))["network"] == "error"
    with (folder / "topic.toml").open("a") as file:
        file.write('profile = "offline"\n')
    assert "1 of 1 start page" in scrapy.run("doctor", folder).out


def test_it_is_no_crawl(scrapy: Scrapy, site: Site, tmp_path: Path) -> None:
    """None begins, and one that has stopped is not gone on with."""
    site.answers = {"/": [ON_TOPIC], "/2": [ON_TOPIC]}
    folder, crawls = topic(tmp_path, site.url("/")), tmp_path / "crawls"
    where = ("-s", f"FOCUSED_CRAWLS={crawls}")
    assert scrapy.run("doctor", folder, *LIVE, *where).code == 0
    assert not crawls.exists()
    assert scrapy.run(*crawl(folder, crawls, pages=1), *LIVE).code == 0
    run = (crawls / "bees/1/run.json").read_text().replace('"finished"', '"stopped"')
    (crawls / "bees/1/run.json").write_text(run)
    assert scrapy.run("doctor", folder, *LIVE, *where).code == 0
    assert (crawls / "bees/1/run.json").read_text() == run


def test_start_pages_whose_links_are_left_alone(scrapy: Scrapy, site: Site, tmp_path: Path) -> None:
    """By the setting of the crawl: it would end with them."""
    html = ON_TOPIC.body.replace(b"<a ", b"<a rel=nofollow ")
    site.answers = {"/": [Answer(html, headers={"Content-Type": "text/html"})]}
    folder = topic(tmp_path, site.url("/"))
    assert states(scrapy.run("doctor", folder, *LIVE))["on"] == "ok"
    done = scrapy.run("doctor", folder, *LIVE, "-s", "FOCUSED_NOFOLLOW=link")
    assert states(done)["on"] == "error"
    assert "none has a link to follow; 1 with nofollow is left alone" in done.out
    assert "-s FOCUSED_NOFOLLOW=off" in done.out


def test_a_port_where_nobody_answers_is_the_cause(scrapy: Scrapy, tmp_path: Path) -> None:
    """It is not the topic's start pages that are to be changed."""
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # and does not listen
        folder = topic(tmp_path, f"http://127.0.0.1:{closed.getsockname()[1]}/")
        done = scrapy.run("doctor", folder, *LIVE)
    assert done.code == 1
    assert "no start page could be reached: connection refused 1x" in done.out
    assert "fix the network first" in done.out
    assert not {"robots.txt", "clock"} & states(done).keys()  # nothing is known of them
    assert done.out.count("robots.txt and clock: no server answered") == 1
    assert "scrapy seeds" not in done.out


def test_the_page_shows_what_it_prints(scrapy: Scrapy, tmp_path: Path) -> None:
    """docs/how-to/doctor.md, of a machine without names of hosts."""
    words = ("-s", "FOCUSED_NAME_SERVERS=127.0.0.1", "-s", f"FOCUSED_MODELS={tmp_path}")
    done = scrapy.run("doctor", "asthma", *words)
    page = (ROOT / "docs/how-to/doctor.md").read_text()
    (shown,) = re.findall(r"```\n\$ scrapy doctor asthma\n(.*?)```", page, re.DOTALL)
    assert re.fullmatch(pattern(shown), done.out, re.DOTALL), done.out


def test_a_server_that_nobody_answers_for_is_an_error_without_password(scrapy: Scrapy) -> None:
    """With its cure, and the other checks go on."""
    done = scrapy.run("doctor", *NOWHERE)
    assert done.code == 1
    found = states(done)
    assert (found["database"], found["frontier"], found["disk"]) == ("error", "ok", "ok")
    assert "secret" not in done.out + done.err


def test_a_recorded_web_needs_no_network(scrapy: Scrapy, demo_web: Path) -> None:
    """Start pages are read from it, and no proxy or name is asked about."""
    done = scrapy.run("doctor", demo_web.parent / "demo.topics/astronomy", "-s", f"FOCUSED_WEB={demo_web}")
    assert (done.code, done.err) == (0, "")
    assert "5 of 5 start pages are about the topic" in done.out
    assert not {"DNS", "proxy", "robots.txt", "clock"} & states(done).keys()


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["asthmaa"], "error    topic "),
        (["-s", "FOCUSED_PAGES=many"], "error    settings "),
        (["-s", "FOCUSED_WEB=none.warc.gz"], "error    settings "),
    ],
)
def test_what_was_typed_wrong_is_a_finding(scrapy: Scrapy, words: list[str], line: str) -> None:
    """With its cure, as of all others; brackets stay whole."""
    done = scrapy.run("doctor", *words)
    assert (done.code, done.err) == (1, "")
    (found,) = (text for text in done.out.splitlines() if text.startswith(line))
    assert found.count("(") == found.count(")")
    assert f"{found}\n{'':<21} -> " in done.out
