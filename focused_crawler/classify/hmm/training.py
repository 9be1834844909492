"""Browsing records -> the model of the HMM crawlers (Batsakis et al. 2009, section 3.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from hmmlearn.hmm import CategoricalHMM
from numpy.typing import NDArray

from focused_crawler.classify.hmm.clusters import PageClusters
from focused_crawler.classify.hmm.model import HmmModel, markov_chain
from focused_crawler.classify.hmm.sessions import Session, link_distances, page_names, visited
from focused_crawler.classify.settings import HmmSettings
from focused_crawler.page.model import Page
from focused_crawler.page.text.weighting import RAW, section_counts
from focused_crawler.safety.errors import TopicError
from focused_crawler.topic.topic import Topic


def train_hmm(
    topic: Topic, sessions: Sequence[Session], pages: Mapping[str, Page], settings: HmmSettings
) -> HmmModel:
    """Learn from sessions, and from those of their pages that could be had (`pages`, by URL as in sessions).

    Each page counts once, whatever URLs sessions and examples have for it.
    Raises TopicError if there is no relevant one among these.
    """
    names = page_names(visited(sessions), {url: page.url for url, page in pages.items()})
    sessions = [session.renamed(names) for session in sessions]
    pages = {names[url]: page for url, page in pages.items() if url in names}
    relevant = visited(sessions)
    urls = sorted(relevant.keys() & pages.keys())
    is_relevant = [relevant[url] for url in urls]
    if not any(is_relevant):
        raise TopicError(
            f"{topic.name}: none of the {sum(relevant.values())} relevant pages of its sessions could be had;"
            " there is no way to learn from them"
        )
    counts = [section_counts(pages[url].sections, RAW) for url in urls]
    clusters = PageClusters.fit(topic.language, counts, is_relevant, settings.clusters, settings.random_seed)
    levels = link_distances(sessions, settings.levels - 1)
    seen = [levels[url] for url in urls]
    return HmmModel(
        topic=topic.name,
        chain=_chain(sessions, levels, seen, clusters, settings),
        clusters=clusters,
        sessions=sum(bool(session.steps) for session in sessions),
        pages=len(urls),
    )


def _chain(
    sessions: Sequence[Session],
    levels: Mapping[str, int],
    seen: Sequence[int],
    clusters: PageClusters,
    settings: HmmSettings,
) -> CategoricalHMM:
    """Count pi over pages, A over steps, B over the pages `seen`, from 1 on (Laplace smoothing: ours)."""
    start = np.bincount(list(levels.values()), minlength=settings.levels)
    transitions = np.zeros((settings.levels, settings.levels))
    for session in sessions:
        for source, target in session.steps:
            transitions[levels[source], levels[target]] += 1
    emissions = np.zeros((settings.levels, int(clusters.clusters.max()) + 1))
    for level, cluster in zip(seen, clusters.clusters.tolist(), strict=True):
        emissions[level, cluster] += 1
    return markov_chain(_shares(start), _shares(transitions), _shares(emissions))


def _shares(counts: NDArray[Any]) -> NDArray[np.float64]:
    smoothed = counts + 1.0
    return np.asarray(smoothed / smoothed.sum(axis=-1, keepdims=True))
