"""Runs and bounds of webs that nobody crawled: by chance, but never above what a bound allows."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np

from focused_crawler.experiment.measures import FINISHED, PAGES_SPENT, Case, Run, Setting
from focused_crawler.virtualweb.bounds import Bounds

TOPICS = ("cooking", "databases", "health", "machine-learning")
TOPICS += ("mathematics", "security", "sports", "stream-processing")
PAPERS = ("breadth_first", "best_first_content", "best_first_anchor", "best_first_content_anchor")
PAPERS += ("link_context", "cbp", "lpe", "lpe_soft", "semantic_synonym", "semantic_hypernym")
PAPERS += ("hmm", "hmm_content", "hmm_content_anchor", "content_link_sibling", "shark_search")
PAPERS += ("random", "shuffled")


def settings(webs: Sequence[str], topics: Sequence[str], seed_sets: str) -> list[Setting]:
    return [Setting(web, topic, seed_set) for web in webs for topic in topics for seed_set in seed_sets]


def random_bounds(setting: Setting, targets: int = 60, budget: int | None = None) -> Bounds:
    """Bounds one below the other; the first targets lie behind some pages that are not relevant."""
    budget = 2 * targets if budget is None else budget
    chance = _chance(*setting)
    behind, n = int(chance.integers(0, targets // 6)), np.arange(budget + 1)
    upper = np.clip(n - behind, 0, targets)
    greedy = np.minimum(upper, (0.97 * np.clip(n - behind, 0, None)).astype(np.int64))
    one_step = np.minimum(greedy, (0.9 * np.clip(n - 2 * behind, 0, None)).astype(np.int64))
    return Bounds(targets, upper, greedy, one_step)


def random_run(case: Case, bounds: Bounds, skill: float) -> Run:
    """A crawl that meets relevant pages by chance, fewer when few are left, and sometimes runs dry."""
    chance = _chance(*case)
    skill = float(np.clip(skill * chance.uniform(0.7, 1.2), 0.02, 0.97))
    budget, found, hits = len(bounds.upper) - 1, 0, []
    for n, limit in enumerate(bounds.upper[1:].tolist(), start=1):
        is_hit = found < limit and chance.random() < skill * (1 - found / bounds.targets) ** 0.5
        found += is_hit
        hits.append(is_hit)
        if chance.random() < 0.0008 and n > budget // 2:
            break
    seconds = len(hits) * float(chance.uniform(0.2, 2)) / 1000
    reason = FINISHED if len(hits) < budget else PAGES_SPENT
    return Run(case, np.array(hits, dtype=np.bool_), budget, seconds, reason)


def random_runs(
    everywhere: Sequence[Setting], strategies: Sequence[str], **sizes: int
) -> tuple[list[Run], dict[Setting, Bounds]]:
    """Every strategy in every setting; later strategies have more skill, but for the controls."""
    bounds = {setting: random_bounds(setting, **sizes) for setting in everywhere}
    skills = dict(zip(strategies, np.linspace(0.35, 0.95, len(strategies)).tolist(), strict=True))
    skills |= {"random": 0.2, "shuffled": 0.22}
    runs = [
        random_run(Case(*setting, strategy), bounds[setting], skills[strategy])
        for setting in everywhere
        for strategy in strategies
    ]
    return runs, bounds


def _chance(*names: str) -> np.random.Generator:
    return np.random.default_rng(zlib.crc32(".".join(names).encode()))
