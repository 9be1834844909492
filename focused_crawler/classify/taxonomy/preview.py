"""What hard and soft focus would follow in a crawl, by other marks than it had.

Which leaf is a page's best one does not depend on marks: pages are judged once, and asked again and again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from focused_crawler.classify.taxonomy.classifier import TaxonomyModel, page_counts
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.safety.errors import CrawlError
from focused_crawler.safety.progress import shown
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.page_texts import PageTexts

MOST_PAGES = 500
"""Pages that are judged, evenly spread over all of a crawl: a share is right to four per cent."""
BANDS = (0.9, 0.5, 0.1, 0.0)
"""Lower ends of the priorities by which links of soft focus are counted."""

_POSITIONS = "SELECT page FROM page_texts ORDER BY page"
_LINKS = "SELECT position, links FROM pages WHERE position {among}"


class FocusedPage(NamedTuple):
    """A page by some marks."""

    position: int
    url: str
    title: str
    links: int
    category: str  # its best leaf
    is_good: bool  # hard focus follows its links
    relevance: float  # R(d): soft focus gives it to its links, as their priority


class FocusedLeaf(NamedTuple):
    """The pages of a leaf."""

    path: str
    pages: int
    links: int
    is_good: bool


@dataclass(frozen=True, slots=True)
class Preview:
    """What focus makes of a crawl's pages by some marks."""

    pages: tuple[FocusedPage, ...]
    of: int  # pages with a text, of which these are some

    @property
    def followed(self) -> int:
        """Pages whose links hard focus follows."""
        return sum(page.is_good for page in self.pages)

    @property
    def links(self) -> int:
        """Links of these pages."""
        return sum(page.links for page in self.pages if page.is_good)

    @property
    def leaves(self) -> list[FocusedLeaf]:
        """All leaves with pages, those of most pages first."""
        counts = Counter(page.category for page in self.pages)
        links: Counter[str] = Counter()
        for page in self.pages:
            links[page.category] += page.links
        good = {page.category for page in self.pages if page.is_good}
        return [
            FocusedLeaf(path, pages, links[path], path in good)
            for path, pages in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
        ]

    @property
    def bands(self) -> list[tuple[float, int]]:
        """How many links get a priority of so much or more by soft focus, and less than by the one before."""
        counts = dict.fromkeys(BANDS, 0)
        for page in self.pages:
            counts[next(low for low in BANDS if page.relevance >= low)] += page.links
        return list(counts.items())


@dataclass(frozen=True, slots=True)
class FocusSample:
    """Pages of a crawl, each with the probabilities of all categories."""

    model: TaxonomyModel
    found: tuple[tuple[int, str, str, int], ...]  # position, URL, title, links
    logs: NDArray[np.float64]  # log Pr[c|d]: a row a page
    of: int

    @classmethod
    def read(cls, database: CrawlDatabase, model: TaxonomyModel, most: int = MOST_PAGES) -> Self:
        """Judge pages by their stored texts, and show how far that has come; CrawlError without texts."""
        positions = [position for (position,) in database.rows(_POSITIONS)]
        if not positions:
            raise CrawlError(
                f"{database.location} has no texts of pages to judge; crawl more, with FOCUSED_KEEP_TEXTS on"
            )
        chosen = np.unique(np.linspace(0, len(positions) - 1, min(most, len(positions))).round().astype(int))
        wanted = [positions[number] for number in chosen]
        links = dict(database.rows(_LINKS.format(among=database.among), (database.many(wanted),)))
        analyzer = Analyzer(model.tree.language)
        found, logs = [], []
        texts = enumerate(PageTexts(database).of(wanted), start=1)
        for _, text in shown(texts, "pages judged", len(wanted), lambda numbered: numbered[0]):
            page = text.page(analyzer)
            logs.append(model.log_probabilities(page_counts(page)))
            found.append((text.position, text.url, text.title, links.get(text.position) or 0))
        return cls(model, tuple(found), np.array(logs).reshape(-1, len(model.tree.paths)), len(positions))

    def by(self, good: Collection[str]) -> Preview:
        """Return what focus makes of them by the topmost good categories; TopicError for one not known."""
        nodes = self.model.tree.good_nodes(good)
        judged = (self.model.focus(logs, nodes) for logs in self.logs)
        pages = (
            FocusedPage(*page, focus.category, focus.is_good, focus.relevance)
            for page, focus in zip(self.found, judged, strict=True)
        )
        return Preview(tuple(pages), self.of)


def changed(now: Preview, then: Preview) -> tuple[Sequence[FocusedPage], Sequence[FocusedPage]]:
    """Return the pages that hard focus would follow and does not now, and those that it would no longer."""
    pairs = list(zip(now.pages, then.pages, strict=True))
    gained = [new for old, new in pairs if new.is_good and not old.is_good]
    lost = [new for old, new in pairs if old.is_good and not new.is_good]
    return gained, lost
