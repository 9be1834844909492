"""What steers a crawl beside its strategy: one object, asked by a real crawl and a simulated one alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from focused_crawler.crawl.steering.canonical import CANONICAL, Aliases
from focused_crawler.crawl.steering.copies import Copies, Copy, SketchStore
from focused_crawler.crawl.steering.domains import DomainShares, Lowered
from focused_crawler.crawl.steering.hubs import Distiller, Raised, SteeringSettings
from focused_crawler.crawl.steering.listings import LISTINGS, Listings
from focused_crawler.crawl.steering.terms import FetchedPage, Refusal
from focused_crawler.crawl.steering.traps import TrapBudgets
from focused_crawler.frontier.base import Candidate
from focused_crawler.page.model import NOTHING_NAMED, Named
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.history import NamedUrl


class JudgedPage(NamedTuple):
    """What a page is compared by."""

    sketch: bytes  # empty: too few words
    is_missing: bool = False  # it reports that there is no such page
    named: Named = NOTHING_NAMED


class Steering:
    """Asked before a URL is fetched, when its page has been judged, and when that is recorded."""

    def __init__(
        self,
        settings: SteeringSettings,
        original: Callable[[str], str | None],
        sketches: SketchStore,
        database: CrawlDatabase | None = None,
    ) -> None:
        """Begin with no page.

        `original` returns the URL of the first page with a checksum. `database`: where pages and links are
        recorded; None: nothing is distilled.
        """
        self._original = original
        self._copies = Copies(sketches) if settings.near_duplicates else None
        self._traps = TrapBudgets() if settings.trap_budgets else None
        self._aliases = Aliases() if settings.trap_budgets else None
        self.shares = DomainShares() if settings.trap_budgets else None
        self.listings = Listings(settings.listings) if settings.listings != LISTINGS[-1] else None
        self._pages = 0
        self._distiller = Distiller(database, settings) if database and settings.distill_pages else None

    def refuses(self, url: str) -> Refusal | None:
        """Return the rule by which a URL is not to be fetched now, None if it may be."""
        aliases = self._aliases
        if aliases is not None and aliases.claims and (page := aliases.page_of(url)) is not None:
            return Refusal(CANONICAL, page)
        return None if self._traps is None else self._traps.refuses(url)

    def ask(self, url: str) -> Refusal | None:
        """Take in that the host of a URL is to be asked now; return why not, as its domain floods."""
        return None if self.shares is None else self.shares.ask(url)

    def may_have_lowered(self, url: str) -> bool:
        """Tell whether a URL that is to be fetched may have been lowered, as its domain floods."""
        return self.shares is not None and self.shares.may_have_lowered(url)

    def begin_probe(self, refusal: Refusal) -> None:
        """Take in that a visit tries what its budget has left alone."""
        if self._traps is not None:
            self._traps.begin_probe(refusal)

    def end_probe(self, refusal: Refusal) -> None:
        """Take in that such a visit is over."""
        if self._traps is not None:
            self._traps.end_probe(refusal)

    def admit(self, links: Sequence[Candidate], source: str) -> tuple[Sequence[Candidate], list[Lowered]]:
        """Return which links of a page are queued, and which are lowered, as their domain floods."""
        return (links, []) if self.shares is None else self.shares.admit(links, source)

    def compare(self, judged: JudgedPage | None, url: str, checksum: str) -> Copy | None:
        """Return of which page, recorded before, a page about to be recorded is a copy; None: of none.

        The checksum is empty for a page without words.
        """
        copy = self.same_text(url, checksum)
        if copy is not None:
            return copy
        return None if self._copies is None or judged is None else self._copies.find(judged.sketch)

    def same_text(self, url: str, checksum: str) -> Copy | None:
        """Return which page, recorded before, a page repeats word by word; None: none."""
        first = self._original(checksum) if checksum else None
        return Copy(first, 1.0) if first is not None and first != url else None

    def recorded(self, judged: JudgedPage | None, page: FetchedPage) -> list[Raised]:
        """Take in a page that has just been recorded, and return which URLs are to rise now."""
        if self._copies is not None and judged is not None and page.copy_of is None:
            self._copies.add(page.url, judged.sketch)
        self._count(page, None if judged is None else judged.named)
        return [] if self._distiller is None else self._distiller.raised(self._pages)

    def changed(self, judged: JudgedPage | None, url: str) -> None:
        """Take in a page that was recorded before and has another text now."""
        if self._copies is not None and judged is not None:
            self._copies.replace(url, judged.sketch)

    def finish(self) -> None:
        """Bring the ratings up to date: the crawl ends."""
        if self._distiller is not None:
            self._distiller.finish(self._pages)

    def name(self, page: str, canonical: str, checksum: str) -> str | None:
        """Take in which URL a fetched page names as its own; return the decision, None if there is none."""
        return None if self._aliases is None else self._aliases.record(page, canonical, checksum)

    def named_before(self, named: NamedUrl) -> None:
        """Take in what an earlier run, or another worker, decided of what a page names."""
        if named.is_disputed and self._aliases is not None:
            self._aliases.dispute(named.canonical)
        else:
            self.name(named.page, named.canonical, named.checksum)

    def wanted_listings(self, *, is_last: bool = False) -> list[Candidate]:
        """Return the sitemap or feed that may be fetched now; `is_last`: nothing else is left."""
        listings = self.listings
        return listings.take(is_last=is_last) if listings is not None and listings.waiting else []

    @property
    def has_listings(self) -> bool:
        """Tell whether sitemaps or feeds wait to be fetched."""
        return self.listings is not None and bool(self.listings.waiting)

    def seen(self, page: FetchedPage) -> None:
        """Take in a page that was recorded before, or by somebody else, who asks for its listings."""
        self._count(page, is_new=False)

    def _count(self, page: FetchedPage, named: Named | None = None, *, is_new: bool = True) -> None:
        self._pages += 1
        if self.listings is not None:
            self.listings.record(page, named, is_new=is_new)
        if self._traps is not None:
            self._traps.record(page)
        if self.shares is not None:
            is_gain = page.is_gain and page.by_content is not False
            self.shares.record(page.url, is_gain=is_gain, parent=None if is_new else page.parent)
