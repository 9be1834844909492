"""Pages to grow a thesaurus from: those of a crawl, or of searches."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from focused_crawler.classify.examples import neighbours
from focused_crawler.discovery.harvest import Harvest, harvest
from focused_crawler.discovery.queries import queries
from focused_crawler.discovery.search.base import SearchProvider
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.safety.errors import CrawlError, SearchError, TopicError
from focused_crawler.store.job import read_run_of
from focused_crawler.store.opening import read_crawl
from focused_crawler.store.page_texts import PageText, PageTexts
from focused_crawler.topic.thesaurus.document_counts import SourceText
from focused_crawler.topic.thesaurus.grow import MAX_TEXTS
from focused_crawler.topic.thesaurus.model import Thesaurus
from focused_crawler.topic.thesaurus.phrases import bordered_text
from focused_crawler.topic.topic import Topic
from focused_crawler.virtualweb.analysed.web import AnalysedWeb, Reading

SEARCHES, TOP = 30, 10
FOUND, OTHERS = 100, 1000
"""Relevant and other pages that are taken from a recorded web."""

Fetch = Callable[[list[str]], Iterable[SourceText]]
"""Fetches pages by URL, politely, and can do that once; those that cannot be fetched are left out."""


class Texts(NamedTuple):
    """Pages about a topic, and others."""

    relevant: Sequence[SourceText]
    other: Sequence[SourceText]


def texts_of_crawl(folder: Path, topic: str) -> Texts:
    """Return up to `MAX_TEXTS` pages of each kind, drawn at random, each text once; raises CrawlError.

    The crawl's classifier has judged them; the crawl has to be one of the topic.
    """
    read_run_of(folder, topic)
    kinds = {True: _Drawn(), False: _Drawn()}
    seen: set[bytes] = set()
    with read_crawl(folder) as database:
        for page in PageTexts(database).texts():
            mark = blake2b(page.text.encode("utf-8", "replace"), digest_size=8).digest()
            if mark not in seen:
                seen.add(mark)
                kinds[page.is_relevant].offer(page)
    texts = Texts(kinds[True].texts, kinds[False].texts)
    if not texts.relevant or not texts.other:
        found = f"{len(texts.relevant)} relevant and {len(texts.other)} other pages whose words are stored"
        raise CrawlError(
            f"{folder} has {found}; growing needs both kinds: crawl more, with FOCUSED_KEEP_TEXTS=True"
        )
    return texts


def texts_of_web(thesaurus: Thesaurus, provider: SearchProvider, web: Path) -> Texts:
    """Return the pages of a recorded web that searches find, best first, and others drawn at random."""
    found = best_urls(_harvest(provider, _queries(thesaurus)))
    with AnalysedWeb(web, Reading(language=thesaurus.language)) as pages:
        numbers = [number for url in found if (number := pages.number(url)) is not None]
        relevant = list(dict.fromkeys(numbers))[:FOUND]
        rest = sorted(set(range(len(pages))) - set(relevant))
        drawn = sorted(random.Random(0).sample(rest, min(OTHERS, len(rest))))
        analyzer = Analyzer(thesaurus.language)
        relevant_texts, others = (
            [_of_web(pages, number, analyzer) for number in kind] for kind in (relevant, drawn)
        )
        return Texts(relevant_texts, others)


def texts_of_live_search(thesaurus: Thesaurus, provider: SearchProvider, topic: Topic, fetch: Fetch) -> Texts:
    """Return the pages that searches find, and those found by the titles of the topics beside this one."""
    titles = [one.title for one in neighbours(topic)][:SEARCHES]
    if not titles:
        raise TopicError(
            f"{topic.name} has no other topic beside it to compare its pages with; use --examples, or"
            " --crawl FOLDER"
        )
    found = best_urls(_harvest(provider, _queries(thesaurus)))[:FOUND]
    others = [url for url in best_urls(_harvest(provider, titles)) if url not in set(found)][: 2 * FOUND]
    texts = {text.url: text for text in fetch([*found, *others])}
    return Texts(*([texts[url] for url in kind if url in texts] for kind in (found, others)))


def best_urls(found: Harvest) -> list[str]:
    """Return the URLs found, best first: those near the top of many searches."""
    votes = Counter[str]()
    for answer in found.answers:
        for place, result in enumerate(answer.results):
            votes[result.url] += TOP - place
    return sorted(votes, key=lambda url: (-votes[url], url))


class _Drawn:
    """A random sample of pages of unknown number (reservoir sampling)."""

    def __init__(self) -> None:
        self.texts: list[SourceText] = []
        self._offered = 0
        self._random = random.Random(0)

    def offer(self, page: PageText) -> None:
        self._offered += 1
        text = SourceText(page.url, page.text)
        if len(self.texts) < MAX_TEXTS:
            self.texts.append(text)
        elif (place := self._random.randrange(self._offered)) < MAX_TEXTS:
            self.texts[place] = text


def _queries(thesaurus: Thesaurus) -> list[str]:
    found = queries(thesaurus, Analyzer(thesaurus.language), SEARCHES)
    if not found:
        raise TopicError("the thesaurus has too few words to search for; add keywords to topic.toml")
    return found


def _harvest(provider: SearchProvider, searches: Sequence[str]) -> Harvest:
    found = harvest(provider, searches, TOP)
    if not any(answer.results for answer in found.answers):
        reason = found.failures[0][1] if found.failures else f"{provider.name} found nothing; add keywords"
        raise SearchError(reason)
    return found


def _of_web(web: AnalysedWeb, number: int, analyzer: Analyzer) -> SourceText:
    return SourceText(web.urls[number], bordered_text(web.page(number), analyzer))
