from __future__ import annotations

import numpy as np
from hypothesis import given

from focused_crawler.virtualweb.graph import unlocked_by
from tests.virtualweb.small_webs import SmallWeb, large_web, small_webs


def reached(web: SmallWeb, page: int) -> set[int]:
    """Follow links to relevant pages only."""
    found: set[int] = set()
    waiting = [page]
    while waiting:
        new = {target for target in web.links[waiting.pop()] if web.relevant[target]} - found
        found |= new
        waiting.extend(new)
    return found


def assert_is_what_is_reached(web: SmallWeb) -> None:
    targets = np.flatnonzero(web.mask).tolist()
    sets = unlocked_by(web.graph, web.mask)
    for page in range(len(web.links)):
        unlocked = {target for bit, target in enumerate(targets) if sets.get(page, 0) >> bit & 1}
        assert unlocked == (set() if web.relevant[page] else reached(web, page))


@given(small_webs(most=12))
def test_unlocked_is_what_is_reached_through_relevant_pages(web: SmallWeb) -> None:
    """Cycles, chains and pages without links among them."""
    assert_is_what_is_reached(web)


def test_unlocked_in_larger_webs() -> None:
    """With more relevant pages than a machine word has bits."""
    for number in range(3):
        assert_is_what_is_reached(large_web(number))
