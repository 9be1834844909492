"""Browsing sessions that nobody browsed: walks over known links that lead to relevant examples."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import cache

from focused_crawler.browsing.session import Session
from focused_crawler.virtualweb.graph import LinkGraph

LINKS = 3
"""Links of a walk, at most."""
WALKS = 3
"""Walks that end in one example. Most pages that link to a relevant one are relevant: with more and longer
walks these outnumber all others, and then whatever a crawl meets looks like one of them.
"""


def derive_sessions(
    graph: LinkGraph,
    examples: Sequence[int],
    is_relevant: Callable[[int], bool],
    urls: Sequence[str],
    random_seed: int = 0,
) -> list[Session]:
    """Return sessions that end in the relevant examples (pages of the graph, each once).

    A walk goes backwards from an example: from page to a page that links to it, each as likely, none twice.
    `is_relevant` judges the pages on the way, each once, and must know no ground truth; the examples are
    relevant. `urls` names the pages. The same seed gives the same walks.
    """
    known = frozenset(examples)
    judge = cache(lambda page: page in known or bool(is_relevant(page)))
    sources = graph.reverse()
    chance = random.Random(random_seed)
    walks = [_walk(sources, example, chance) for example in sorted(known) for _ in range(WALKS)]
    return [
        Session(tuple(urls[page] for page in walk), tuple(judge(page) for page in walk))
        for walk in dict.fromkeys(walks)
    ]


def _walk(sources: LinkGraph, end: int, chance: random.Random) -> tuple[int, ...]:
    walk = [end]
    while len(walk) <= LINKS:
        choices = [page for page in sources.out(walk[-1]).tolist() if page not in walk]
        if not choices:
            break
        walk.append(chance.choice(choices))
    return tuple(reversed(walk))
