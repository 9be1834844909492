"""More topics of openweb, on which no constant was chosen: who is about them, and which pages say so.

    .venv/bin/python benchmarks/webs.py openweb_more

writes them beside a copy of the web. The ground truth of a topic is made as that of the topics that lie with
the web: hosts are labelled by hand (`more_topics.toml`), a linear classifier of words learns from the labels,
and judges the pages of hosts that it has not learnt from. A page is relevant if its host is labelled and the
classifier does not contradict, or if it is sure. No strategy and no crawler's judge has a part in that.
"""

from __future__ import annotations

import json
import random
import shutil
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.progress import track
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from benchmarks.harness import STDERR
from focused_crawler.page.model import STOP
from focused_crawler.page.url import host_of
from focused_crawler.virtualweb.analysed.web import AnalysedWeb

TOPICS = Path(__file__).with_suffix(".toml")
ROOT = "http://directory.example/"
"""The directory of the web: every seed set holds it, and none of its pages is relevant."""
LEAST_WORDS = 30
DOUBTED, SURE = 0.15, 0.85
"""A labelled host's page below is not relevant; any other page above is."""
FOLDS, FEWEST = 8, 20
"""Labelled pages that a fold must leave to learn from."""
FEW_PAGES = 100
"""Below so many relevant pages hosts are too few to be judged by others: by all pages, then."""
EXAMPLES = 30, 60
SEEDS = {"a": 5, "b": 1, "d": 20}
SEED = 7


def write_more_topics(web: Path, folder: Path, described: Path = TOPICS) -> Path:
    """Return a copy of a web in a folder, with the topics beside it that a file describes."""
    folder.mkdir(parents=True, exist_ok=True)
    with AnalysedWeb(web) as pages:
        urls = list(pages.urls)
        texts = [" ".join(w for w in pages.page(n).sections.body if w != STOP) for n in range(len(urls))]
    hosts = np.array([host_of(url) for url in urls])
    words = TfidfVectorizer(token_pattern=r"\S+", min_df=5, max_df=0.3, sublinear_tf=True)
    terms = words.fit_transform(texts)
    counts = np.array([len(text.split()) for text in texts])
    usable = (counts >= LEAST_WORDS) & np.array([not url.startswith(ROOT) for url in urls])
    chance = random.Random(SEED)
    topics = tomllib.loads(described.read_text("utf-8"))["topic"]
    for about in track(topics, "topics", console=STDERR):
        labelled = np.array([any(name in host for name in about["hosts"]) for host in hosts])
        relevant = usable & _relevant(terms, labelled, hosts)
        _write(folder / f"{web.name.partition('.')[0]}.topics", about, urls, hosts, relevant, usable, chance)
    return Path(shutil.copy(web, folder / web.name))  # last: what is there is whole


def _relevant(terms: csr_matrix, labelled: NDArray[np.bool_], hosts: NDArray[Any]) -> NDArray[np.bool_]:
    likely = np.zeros(len(labelled))
    for known, asked in GroupKFold(FOLDS).split(terms, labelled, hosts):
        if labelled[known].sum() >= FEWEST:
            likely[asked] = _learnt(terms[known], labelled[known]).predict_proba(terms[asked])[:, 1]
    relevant: NDArray[np.bool_] = np.where(labelled, likely > DOUBTED, likely > SURE)
    if relevant.sum() >= FEW_PAGES:
        return relevant
    return labelled & (_learnt(terms, labelled).predict_proba(terms)[:, 1] > 0.5)


def _learnt(terms: csr_matrix, labelled: NDArray[np.bool_]) -> LogisticRegression:
    return LogisticRegression(C=10, class_weight="balanced", max_iter=400).fit(terms, labelled)


def _write(
    folder: Path,
    about: Mapping[str, Any],
    urls: Sequence[str],
    hosts: NDArray[Any],
    relevant: NDArray[np.bool_],
    usable: NDArray[np.bool_],
    chance: random.Random,
) -> None:
    """Write a topic's file and its ground truth."""
    found = np.flatnonzero(relevant).tolist()
    large = [number for number in found if (hosts[found] == hosts[number]).sum() >= 5]
    seeds = {
        name: [*_spread(large if n == 1 else found, n, urls, hosts, chance), ROOT]
        for name, n in SEEDS.items()
    }
    examples = {
        name: [urls[number] for number in chance.sample(pool, n)]
        for name, pool, n in zip(
            ("relevant", "other"), (found, np.flatnonzero(usable & ~relevant).tolist()), EXAMPLES, strict=True
        )
    }
    topic = folder / str(about["name"])
    topic.mkdir(parents=True, exist_ok=True)
    lines = [f'{name} = "{about[name]}"' for name in ("name", "title", "description")]
    lines += [
        'language = "en"',
        f"keywords = {json.dumps(about['keywords'])}",
        f"seeds = {json.dumps(seeds['a'])}",
    ]
    for table, values in (("seed_sets", seeds), ("examples", examples)):
        lines += [f"[{table}]", *(f"{name} = {json.dumps(members)}" for name, members in values.items())]
    (topic / "topic.toml").write_text("\n".join(lines) + "\n", "utf-8")
    (topic / "relevant.txt").write_text("\n".join(sorted(urls[n] for n in found)) + "\n", "utf-8")


def _spread(
    pool: Sequence[int], n: int, urls: Sequence[str], hosts: NDArray[Any], chance: random.Random
) -> list[str]:
    """Return pages by chance, of as many hosts as there are."""
    by_host: dict[str, list[int]] = {}
    for number in chance.sample(pool, len(pool)):
        by_host.setdefault(hosts[number], []).append(number)
    ranked = sorted(
        (rank, at, number) for at, own in enumerate(by_host.values()) for rank, number in enumerate(own)
    )
    return [urls[number] for _, _, number in ranked[:n]]
