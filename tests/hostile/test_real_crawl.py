"""The crawl command, with its default settings, on a web that wants to stop it."""

from __future__ import annotations

from pathlib import Path

import pytest

from focused_crawler.crawl.lists.file import lists_path
from focused_crawler.crawl.lists.lists import Lists
from focused_crawler.crawl.lists.use import seeds_of
from focused_crawler.crawl.steering.domains import FREE
from focused_crawler.edge.download.names import AT_A_TIME
from focused_crawler.topic.topic import load_topic
from tests.hostile.hosts import DEAD_NAMES, HONEST_PAGES, NAMED_ODDLY
from tests.hostile.real import HOLD, is_whole, survive
from tests.hostile.web import HostileWeb
from tests.project import Scrapy


@pytest.mark.slow
def test_names_that_nobody_answers_for(web: HostileWeb, scrapy: Scrapy, tmp_path: Path) -> None:
    """Three hundred names of one dead name server: a few are waited for, and the rest costs nothing."""
    retry = "FOCUSED_RETRY_DELAY=0.1"
    survived = survive(web, scrapy, tmp_path, ["dead.test", "honest.test"], retry, "DNS_TIMEOUT=2")
    is_whole(survived)
    dead = [name for name in survived.served.names if name.endswith(".dead.test")]
    assert 0 < len(dead) <= 2 * AT_A_TIME
    assert survived.stats["focused/dns/timeouts"] == len(dead)
    assert survived.stats["focused/failures/dns"] == DEAD_NAMES  # hosts of one domain, most of them lowered
    assert survived.stats["focused/traps/domain_share"] == DEAD_NAMES - (FREE - 1)  # one named them
    assert survived.stats["focused/dns/held_back"] >= 3 * DEAD_NAMES - len(dead)
    assert survived.hold["cpu"] < HOLD


@pytest.mark.slow
def test_a_farm_of_hosts(web: HostileWeb, scrapy: Scrapy, tmp_path: Path) -> None:
    """Ever new hosts with anchors on the topic: they have their share, and the honest site comes first."""
    survived = survive(web, scrapy, tmp_path, ["spam.test", "honest.test"], "FOCUSED_LISTS=on", pages=800)
    is_whole(survived)
    order = ["honest.test" in url for url in survived.job.pages]
    farm_before = order[: len(order) - order[::-1].index(True)].count(False)
    assert farm_before <= 2 * HONEST_PAGES
    assert survived.job.rows("SELECT decision, rule, host FROM decisions WHERE rule = 'domain_share'") == [
        ("held", "domain_share", "spam.test")
    ]
    with Lists(lists_path(load_topic(str(tmp_path / "bees")), None), read_only=True) as lists:
        assert {site.site.partition(":")[0] for site in lists.sites() if site.is_kept} == {"honest.test"}
        assert [url for url in seeds_of(lists) if "spam.test" in url] == []


def test_names_that_only_browsers_take(web: HostileWeb, scrapy: Scrapy, tmp_path: Path) -> None:
    """They are asked for as they stand in URLs: of an emoji, of a sign that looks like a slash."""
    hosts = [*NAMED_ODDLY.values(), "xn--zzzzzz.test"]  # the last is of no sign at all
    survived = survive(web, scrapy, tmp_path, hosts, "FOCUSED_RETRY_DELAY=0.1")
    assert (survived.done.code, survived.is_quiet) == (0, True), survived.done.err[-3000:]
    assert sorted(survived.job.pages) == sorted(web.url(name) for name in NAMED_ODDLY)
    assert survived.job.failures == {web.url(hosts[-1]): "dns"}


COUNTED = (
    "focused/guard/refused_address", "focused/dns/timeouts", "focused/dns/held_back", "focused/retries",
    "focused/limits/redirect_scheme", "focused/limits/redirect_location", "focused/limits/redirect_hops",
    "focused/traps", "focused/duplicates", "focused/limits/disguised", "focused/limits/content_type",
    "focused/limits/page_bytes", "focused/limits/robots_bytes", "focused/limits/robots_rules",
    "focused/robots/unreachable", "focused/robots/crawl_delay", "focused/links/cut",
    "focused/charsets/ignored",
)  # fmt: skip
"""What is counted of the groups of bad input, one of each at least."""
MEMORY = 400 << 20  # bytes
PAGES = 1_200
"""The honest site is through after some 700; the rest are of hosts that never end, nine a second."""
POLITE = ("DOWNLOAD_DELAY=0.1", "CONCURRENT_REQUESTS_PER_DOMAIN=1", "DOWNLOAD_TIMEOUT=2", "DNS_TIMEOUT=1")


@pytest.mark.slow
def test_all_groups_at_once(web: HostileWeb, scrapy: Scrapy, tmp_path: Path) -> None:
    """Beside everything that a web can do, an honest site is crawled whole, and not much later."""
    alone = survive(web, scrapy, tmp_path / "alone", ["honest.test"], *POLITE)
    is_whole(alone)
    others = survive(
        web, scrapy, tmp_path / "all", ["hub.test"], *POLITE, "FOCUSED_RETRY_DELAY=0.1", pages=PAGES
    )
    is_whole(others)
    assert others.seconds <= 2 * alone.seconds, (others.seconds, alone.seconds)
    assert others.stats["peak"] <= MEMORY
    assert others.hold["cpu"] <= HOLD, others.hold
    assert [name for name in COUNTED if not others.stats.get(name)] == []  # each group was met
