"""Pages of a crawl that may be further examples: near the examples, or of the topic's purest sites.

Both after Chakrabarti et al. 1999, and both for a person to look at: nothing here is judged by ground truth.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from focused_crawler.classify.suggestions import CandidatePage, is_alike
from focused_crawler.crawl.lists.counts import SiteCount, count_crawl
from focused_crawler.crawl.lists.use import STRENGTH, is_banned
from focused_crawler.discovery.seed_search import banned
from focused_crawler.page.text.similarity import TopicVector
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.page.url import host_of, normalise, site_of, url_key
from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.history import CrawlHistory
from focused_crawler.store.opening import read_crawl
from focused_crawler.store.page_links import linked_keys
from focused_crawler.topic.labels import Labels
from focused_crawler.topic.topic import Topic

TELLING = 50
"""The heaviest terms of a topic: those that a title may share."""
PURE = 0.9
LEAST_PAGES = 10
"""Share of relevant pages of a pure site, and the pages it takes to tell."""
PAGES_A_SITE = 10

_NEAR = """
WITH example AS (SELECT id FROM urls WHERE key {among})
SELECT near.key FROM example
JOIN links ON links.source = example.id JOIN urls AS near ON near.id = links.target
UNION SELECT near.key FROM example
JOIN links ON links.target = example.id JOIN urls AS near ON near.id = links.source
"""


class Offer(NamedTuple):
    """A page, and why it is offered."""

    page: CandidatePage
    why: str


def candidates(
    database: CrawlDatabase,
    topic: Topic,
    near: frozenset[int] | None = None,
    known: Collection[int] = (),
) -> list[CandidatePage]:
    """Return the pages of a crawl that are not examples yet, only those of the keys `near` if any are given.

    Of duplicates, the first; none of the keys `known`.
    """
    named = [*topic.relevant_examples, *topic.other_examples]
    examples = {url_key(url) for name in named if (url := normalise(name))}.union(known)
    return [
        CandidatePage(page.url, page.title, page.host, page.relevance)
        for page in CrawlHistory(database).pages()
        if page.duplicate_of is None
        and not (keys := {url_key(page.url), url_key(page.requested_url)}) & examples
        and (near is None or keys & near)
    ]


def labelled_hosts(topic: Topic, labels: Labels) -> list[str]:
    """Return the host of each page that is an example of topic.toml, or that anybody was asked about."""
    named = [*topic.relevant_examples, *topic.other_examples, *labels.by_url()]
    return [host_of(url) for name in named if (url := normalise(name))]


def near_examples(
    folder: Path,
    topic: Topic,
    vector: TopicVector,
    analyzer: Analyzer,
    count: int,
    *,
    known: Collection[int] = (),
) -> list[Offer]:
    """Return fetched pages that link to relevant examples, or they to them, and share telling words (2.2).

    Those come first whose titles share the heaviest words, none of the keys `known`. Raises CrawlError where
    there are none.
    """
    heaviest = sorted(vector.weights, key=lambda term: (-vector.weights[term], term))[:TELLING]
    telling = {term: vector.weights[term] for term in heaviest}
    ranked = []
    with read_crawl(folder) as database:
        pages = candidates(database, topic, neighbourhood(database, topic), known)
    for page in pages:
        words = {word: telling.keys() & analyzer.terms(word) for word in page.title.split()}
        weight = sum(telling[term] for term in set().union(*words.values()))
        if weight:
            shared = dict.fromkeys(word.strip(".,:;!?()|-") for word, terms in words.items() if terms)
            ranked.append((-weight, page.url, Offer(page, ", ".join(shared))))
    found = _unlike((offer for _, _, offer in sorted(ranked)), count)
    if not found:
        raise CrawlError(
            f"{folder} has no page that the relevant examples link to, or that links to them, with a word of"
            " the topic in its title; crawl from the examples, or more of their sites"
        )
    return found


def neighbourhood(database: CrawlDatabase, topic: Topic) -> frozenset[int]:
    """Return the keys of what relevant examples link to, and of what links to them."""
    found = database.many(linked_keys(database, topic.relevant_examples))
    return frozenset(key for (key,) in database.rows(_NEAR.format(among=database.among), (found,)))


def pure_pages(folder: Path, topic: Topic, models: Path | None, count: int) -> list[Offer]:
    """Return pages of the sites with the largest share of relevant ones, whatever each was judged itself.

    A few of each site, by chance that is the same each time; no site that the topic's lists ban. Raises
    CrawlError where no site is pure.
    """
    shut, _ = banned(topic, models)
    counted = count_crawl(folder, topic.name)
    base = counted.relevant / max(counted.pages, 1)

    def share(site: SiteCount) -> float:
        return (site.relevant + STRENGTH * base) / (site.pages + STRENGTH)

    pure = [
        site for site in counted.sites if site.pages >= LEAST_PAGES and site.relevant >= PURE * site.pages
    ]
    pages: dict[str, list[Offer]] = {site.site: [] for site in pure if not is_banned(site.site, shut)}
    whys = {site.site: f"{site.site}: {site.relevant} of {site.pages}" for site in pure}
    with read_crawl(folder) as database:
        offered = candidates(database, topic)
    for page in sorted(offered, key=lambda page: sha256(page.url.encode()).digest()):
        site = site_of(page.url)
        if site in pages:
            pages[site].append(Offer(page, whys[site]))
    order = sorted(pure, key=lambda site: (-share(site), site.site))
    few = (offer for site in order for offer in _unlike(pages.get(site.site, ()), PAGES_A_SITE))
    found = [offer for _, offer in zip(range(count), few, strict=False)]
    if not found:
        raise CrawlError(
            f"{folder} has no site of {LEAST_PAGES} pages or more, {PURE:.0%} of them relevant, that has"
            " pages to offer; crawl more first"
        )
    return found


def _unlike(offers: Iterable[Offer], count: int) -> list[Offer]:
    """Return the first of them, of those with like titles one."""
    found: list[Offer] = []
    for offer in offers:
        if len(found) < count and not any(is_alike(offer.page.title, one.page.title) for one in found):
            found.append(offer)
    return found
