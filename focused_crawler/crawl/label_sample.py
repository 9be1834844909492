"""Which pages of a crawl to label, that as few as possible tell how many are relevant.

Pages are drawn by chance within the cells of the estimate (`relevant_share`): of a host, and a band of
relevance. A cell gets more of them the more pages it has and the less its judge knows of each (Neyman 1934),
but not in proportion to its pages, as one cell says something of others (power allocation: Bankier 1988).
The estimate goes by cells, so that which of them were asked about oftener does not bend it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np

from focused_crawler.crawl.judged import Judged
from focused_crawler.crawl.relevant_share import Cells

POWER = 0.8
"""Of a cell's number of pages."""
LEAST = 0.2
"""Standard deviation of a page's relevance, at least: judges err where they are sure."""


def spread(judged: Judged, order: Sequence[int], drawn: Collection[int]) -> Iterator[int]:
    """Yield the pages that are not drawn yet, those first that tell most; `order`: all of them, by chance."""
    if not order:
        return
    cells = Cells.of(judged.relevance, judged.is_relevant, judged.host)
    chance = np.bincount(cells.of_page, weights=judged.relevance) / cells.pages
    wanted = cells.pages**POWER * np.maximum(np.sqrt(chance * (1 - chance)), LEAST)
    taken = cells.sizes(np.array(sorted(drawn), dtype=np.intp))
    left: list[list[int]] = [[] for _ in wanted]
    for page in reversed(order):
        if page not in drawn:
            left[cells.of_page[page]].append(page)
    has_pages = np.array(list(map(len, left))) > 0
    while has_pages.any():
        cell = int(np.argmax(np.where(has_pages, wanted / (2 * taken + 1), 0.0)))
        taken[cell] += 1
        yield left[cell].pop()
        has_pages[cell] = bool(left[cell])
