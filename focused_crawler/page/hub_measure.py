"""The hub measure of Badia et al. 2006: a page that is links to other sites and little else is a hub."""

from __future__ import annotations

from focused_crawler.page.model import STOP, Page
from focused_crawler.page.url import site_of


def hub_measure(page: Page) -> float | None:
    """Return the links to other sites for each word outside links (stop words do not count), 0 or more.

    None for a page without such words. Of a page that was partitioned; what is said in a link that leads
    nowhere (a mail address, a script) counts as words.
    """
    words = sum(map(_words, (block.terms for block in page.blocks)))
    words -= sum(map(_words, (link.anchor for link in page.links)))
    if words <= 0:
        return None
    site = site_of(page.url)
    return sum(site_of(link.url) != site for link in page.links) / words


def _words(terms: list[str]) -> int:
    return len(terms) - terms.count(STOP)
