"""URLs that are lowered, in a crawl's database."""

from __future__ import annotations

from focused_crawler.crawl.journal import Journal
from focused_crawler.crawl.steering.lowered import LoweredTable
from focused_crawler.crawl.steering.terms import Refusal
from focused_crawler.crawl.steps import Steps
from focused_crawler.frontier.base import Candidate
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.pages import PageStore


def test_what_another_worker_asked_for_in_vain_is_not_queued(database: CrawlDatabase) -> None:
    """A worker may lower a link to a URL that the host's own worker has fetched already."""
    store, queued = PageStore(database), list[Candidate]()
    waiting = LoweredTable(database, Journal(database, Steps(), int), store.record_decision)
    links = [Candidate(f"http://h{number}.farm.org/", 0.5, 1, "http://a.org/") for number in range(3)]
    store.record_failure(links[1].url, "http_404")
    for link in links:
        waiting.put(link, Refusal("domain_share", "farm.org"))
    assert waiting.raise_best(1, queued.extend)
    assert waiting.raise_best(2, queued.extend)
    assert not waiting.has_any()
    assert sorted(queued) == [links[0], links[2]]


def test_one_decision_stands_for_a_domain(database: CrawlDatabase) -> None:
    """What redirects there from another domain has a decision of its own."""
    store = PageStore(database)
    waiting = LoweredTable(database, Journal(database, Steps(), int), store.record_decision)
    for url in ("http://h1.farm.org/", "http://h2.farm.org/", "http://a.org/go"):
        waiting.put(Candidate(url, 0.5, 1, "http://a.org/"), Refusal("domain_share", "farm.org"))
    rows = database.rows("SELECT decision, host, detail FROM decisions ORDER BY id")
    assert rows == [("held", "farm.org", ""), ("lowered", None, "farm.org")]
