"""Pages of a crawl that a person is asked about, by one rule or another: the queues of `scrapy label`."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import nlargest
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from focused_crawler.classify.model import TopicModel
from focused_crawler.classify.suggestions import suggest
from focused_crawler.crawl.hubs.listing import top_hubs
from focused_crawler.crawl.hubs.record import measure
from focused_crawler.crawl.judged import Judged
from focused_crawler.crawl.label_sample import spread
from focused_crawler.crawl.labelled import labels_in
from focused_crawler.discovery.further_examples import candidates, labelled_hosts, near_examples
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.safety.errors import CrawlError
from focused_crawler.safety.progress import shown
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.judges import KEYWORDS, MODEL, THESAURUS, UNLEARNT, kind_of, named_now
from focused_crawler.store.page_texts import PageTexts
from focused_crawler.topic.label import SAMPLED, Label, key_of, random_order
from focused_crawler.topic.labels import Labels
from focused_crawler.topic.thesaurus.file import FILE_NAME as THESAURUS_FILE
from focused_crawler.topic.topic import Topic

MOST_JUDGED = 20_000
"""Pages that a second judge is asked about: of a larger crawl, the first in its random order."""

CRAWLED_QUEUES = ("uncertain", "disagree", *SAMPLED, "near", "hubs")
"""Those that are made here, the usual one first."""

_KEPT = "SELECT 1 FROM page_texts LIMIT 1"
_PAGES = (
    "SELECT position, url, checksum, host, relevance, is_relevant FROM pages WHERE position > ?"
    " ORDER BY position LIMIT ?"
)


class _Recorded(NamedTuple):
    url: str
    text: str  # its checksum
    host: str
    relevance: float
    is_relevant: bool


class ToLabel(NamedTuple):
    """A page to be asked about."""

    url: str
    why: str = ""  # it is in the queue
    known: Label | None = None  # what this person said of it elsewhere, which is not asked again
    before: str = ""  # id of what this person has said of it last


def judge_of_crawl(name: str, current: TopicModel, topic: Topic, analyzer: Analyzer) -> TopicModel:
    """Return the judge that run.json names, as it would judge today; `current`: that of a new crawl."""
    kind = kind_of(name)
    if kind == current.judge or kind not in (KEYWORDS, *UNLEARNT):
        return current
    return TopicModel.cold(topic, analyzer).judging_by(kind, analyzer)


def second_judge(name: str, current: TopicModel, topic: Topic, analyzer: Analyzer) -> TopicModel:
    """Return another judge than the one that run.json names: a newer one, else thesaurus, else words."""
    is_newer = current.judge == MODEL and current.judge_name != named_now(name)
    if is_newer or current.judge != kind_of(name):
        return current
    has_thesaurus = (topic.folder / THESAURUS_FILE).is_file()
    if current.judge == THESAURUS or (current.trained and not has_thesaurus):
        return TopicModel.cold(topic, analyzer)
    return current.by_thesaurus(analyzer)


class NothingLeft(CrawlError):
    """A queue has no page for a person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelQueues:
    """Knows a crawl, what was said of its pages, and who is asked."""

    folder: Path  # of the crawl
    crawl: str  # its name in labels
    database: CrawlDatabase
    topic: Topic
    judge_name: str  # of the crawl's judge, as run.json has it
    judge: TopicModel  # the same, as it would judge today
    second: TopicModel  # another judge
    analyzer: Analyzer
    labels: Labels
    by: str
    again: bool = False  # pages that this person has labelled come, too

    def pages(self, queue: str, count: int) -> list[ToLabel]:
        """Return the first pages of a queue, `count` of them to be asked about; else NothingLeft."""
        found = list(getattr(self, f"_{queue}")(count))
        if not found:
            raise NothingLeft(
                f"{self.folder} has no page left for {self.by} in the queue {queue}; choose another queue, or"
                " crawl more"
            )
        return [page._replace(before=self._before(page.url)) for page in found]

    def _before(self, url: str) -> str:
        own = self.labels.newest.get(key_of(url), {}).get(self.by)
        return own.id if own else ""

    def _known(self) -> Collection[int]:
        """Return what this person is not to be asked about: pages, and URLs that redirect to some."""
        if self.again:
            return frozenset()
        newest = {**self.labels.newest, **labels_in(self.database, self.labels).newest}
        return {key for key, one in newest.items() if self.by in one}

    def _uncertain(self, count: int) -> Iterator[ToLabel]:
        """Yield those whose label would teach most."""
        offered = candidates(self.database, self.topic, known=self._known())
        labelled = labelled_hosts(self.topic, self.labels)
        return (ToLabel(page.url) for page in suggest(offered, self.judge.threshold, count, labelled))

    def _near(self, count: int) -> Iterator[ToLabel]:
        """Yield neighbours of examples that share their words."""
        vector, known = self.judge.vector, self._known()
        offers = near_examples(self.folder, self.topic, vector, self.analyzer, count, known=known)
        return (ToLabel(offer.page.url, f"shares {offer.why}") for offer in offers)

    def _hubs(self, count: int) -> Iterator[ToLabel]:
        """Yield the best hubs, as the crawl has rated them last, or as they are rated now."""
        known = self._known()
        wanted = count + len(known)
        hubs = top_hubs(self.database, wanted) or top_hubs(self.database, wanted, measure(self.database))
        unknown = (hub for hub in hubs if key_of(hub.url) not in known)
        return (ToLabel(hub.url, f"hub score {hub.hub:.4f}") for hub in islice(unknown, count))

    def _random(self, count: int) -> Iterator[ToLabel]:
        """Yield all pages in an order by chance: those asked about are a simple random sample."""
        pages = self._recorded()
        return self._sampled((pages[place] for place in self._by_chance(pages)), count)

    def _spread(self, count: int) -> Iterator[ToLabel]:
        """Yield all pages by chance, those first of which the crawl has most and its judge knows least."""
        pages = self._recorded()
        numbers: dict[str, int] = {}
        judged = Judged(
            np.array([page.relevance for page in pages], dtype=np.float64),
            np.array([page.is_relevant for page in pages], dtype=np.bool_),
            np.array([numbers.setdefault(page.host, len(numbers)) for page in pages], dtype=np.intp),
        )
        known = self._drawn()
        drawn = {place for place, page in enumerate(pages) if key_of(page.url) in known}
        order = spread(judged, self._by_chance(pages), drawn)
        return self._sampled((pages[place] for place in order), count)

    def _recorded(self) -> list[_Recorded]:
        return [
            _Recorded(url, text or "", host, relevance, bool(is_relevant))
            for rows in self.database.chunks(_PAGES)
            for _, url, text, host, relevance, is_relevant in rows
        ]

    def _by_chance(self, pages: Sequence[_Recorded]) -> list[int]:
        """Return the places of all pages in an order that only their URLs and the topic decide."""
        return sorted(range(len(pages)), key=lambda place: random_order(pages[place].url, self.topic.name))

    def _sampled(self, pages: Iterable[_Recorded], count: int) -> Iterator[ToLabel]:
        """Yield pages that are not drawn yet, `count` of them to be asked about.

        What this person said elsewhere of a page that still reads the same is taken over into the sample.
        """
        drawn = self._drawn()
        for page in pages:
            if key_of(page.url) in drawn:
                continue
            own = None if self.again else self.labels.newest.get(key_of(page.url), {}).get(self.by)
            is_same = own and (own.text == page.text or "" in (own.text, page.text))
            yield ToLabel(page.url, known=own if is_same else None)
            count -= not is_same
            if not count:
                return

    def _drawn(self) -> set[int]:
        """Return which pages are in this person's sample of the crawl."""
        mark, known = (self.crawl, self.by), self._known()
        return {
            one.key
            for one in self.labels.labels
            if one.queue in SAMPLED and (one.crawl, one.by) == mark and one.key in known
        }

    def _disagree(self, count: int) -> Iterable[ToLabel]:
        """Return pages on which people contradict each other, then those on which two judges differ most."""
        known = self._known()
        disputed = [
            ToLabel(page.url, self._said(page.url))
            for page in self.labels.disagreements.pages
            if key_of(page.url) not in known
        ][:count]
        taken = {*known, *(key_of(page.url) for page in disputed)}
        found = [*disputed, *self._contradicted(taken, count - len(disputed))]
        if not found and not self.database.rows(_KEPT):
            raise CrawlError(
                f"{self.folder} has no texts of its pages (FOCUSED_KEEP_TEXTS was off), which a second judge"
                " would read; choose another queue"
            )
        return found

    def _said(self, url: str) -> str:
        people = sorted(self.labels.newest[key_of(url)].items())
        return "; ".join(f"{by}: {one.label}" for by, one in people)

    def _contradicted(self, known: Collection[int], count: int) -> Iterator[ToLabel]:
        urls = [page.url for page in candidates(self.database, self.topic, known=known)] if count else []
        if len(urls) > MOST_JUDGED:
            urls.sort(key=lambda url: random_order(url, self.topic.name))
        wanted = set(urls[:MOST_JUDGED])
        texts = (page for page in PageTexts(self.database).texts() if page.url in wanted)
        judged = []
        second = self.second.judge_name
        title = f"Judging by {second}"
        for _, page in shown(enumerate(texts, 1), title, len(wanted), lambda numbered: numbered[0]):
            read = page.page(self.analyzer)
            other = self.second.classifier.relevance(read)
            judged.append((abs(page.relevance - other), page.url, page.relevance, other))
        for _, url, first, other in nlargest(count, judged):
            yield ToLabel(url, f"{self.judge_name}: {first:.2f}; {second}: {other:.2f}")
