"""The inputs of an experiment's runs: where one changes, runs cannot be compared."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import cache
from hashlib import blake2b
from importlib import resources
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from focused_crawler import __version__
from focused_crawler.classify.examples import ExampleNames
from focused_crawler.classify.taxonomy.tree import Tree
from focused_crawler.experiment.bench import Bench
from focused_crawler.experiment.grid import MAX_PAGES, Subject, truth_folder
from focused_crawler.experiment.training import by_web, tree_of
from focused_crawler.experiment.variants import as_written
from focused_crawler.link_scoring.registry import needs_focus
from focused_crawler.safety.errors import TopicError
from focused_crawler.safety.settings import settings_of
from focused_crawler.topic.thesaurus.file import FILE_NAME as THESAURUS_FILE
from focused_crawler.topic.topic import FILE_NAME, Topic
from focused_crawler.virtualweb.analysed.file import SOURCES
from focused_crawler.virtualweb.truth import RELEVANT

NOT_OURS = frozenset({
    "topic", "strategy", "default_strategy", "link_scorers", "seed_set", "pages", "minutes", "relevant",
    "job", "crawls", "models", "taxonomy", "frontier", "retry_delay", "lease_seconds",
    "analysis_processes", "web", "host_delay", "per_host", "concurrency", "named", "record", "limits",
    "strategy_options",
})  # fmt: skip
"""Fields of a crawl's settings that do not affect an experiment, or that it sets itself."""

LIBRARIES = ("hmmlearn", "lxml", "numpy", "pystemmer", "regex", "scikit-learn", "wordfreq")

ROOMS = ("page", "topic", "classify", "link_scoring", "frontier", "crawl")
"""Packages whose code decides in which order pages are fetched."""

MODULES = (
    *(f"experiment/{name}.py" for name in ("bench", "simulator", "training", "variants", "work")),
    *(f"virtualweb/{name}.py" for name in ("analysed/*", "bounds", "graph", "truth")),
    *SOURCES,
    "discovery/sessions.py",
)
"""Other modules (patterns) that decide on training, relevance, the pages of a web, and its bounds."""


def origin(bench: Bench, subjects: Sequence[Subject], pages: int) -> dict[str, str]:
    """Return by name all that runs depend on: settings, program, webs, topics and their judges."""
    values = {
        "examples": as_written(subjects[0].examples),
        "pages": str(pages) if pages else f"twice the relevant ones, {MAX_PAGES} at most",
        "program": f"{__version__} {_digest(program_files())}",
        "libraries": ", ".join(f"{name} {version(name)}" for name in LIBRARIES),
        "judge of pages": bench.config.classifier,  # beside `classifier`, which is what is trained
        "content types": ",".join(bench.config.limits.content_types),
        "max page bytes": str(bench.config.limits.max_page_bytes),
    }
    hmm = {f"hmm_{name}": value for name, value in asdict(bench.hmm).items()}
    options = {
        name.removeprefix("FOCUSED_").lower(): value
        for one in bench.config.strategy_options
        for name, value in settings_of(one).items()
    }
    for name, value in (asdict(bench.config) | asdict(bench.classifier) | hmm | options).items():
        if name not in NOT_OURS:
            values[name.replace("_", " ")] = json.dumps(value, default=str)
    for subject in subjects:
        values |= _of_subject(bench, subject)
    return values


def origin_of_taxonomies(
    bench: Bench, subjects: Sequence[Subject], strategies: Sequence[str]
) -> dict[str, str]:
    """Return the taxonomy of each web, if one of the strategies goes by it; none where that cannot be had."""
    values = {}
    if any(needs_focus(strategy, bench.config.link_scorers) for strategy in strategies):
        for mine in by_web(subjects):
            with suppress(TopicError):  # reported when it is to be trained
                values[f"taxonomy of {mine[0].web_name}"] = _of_tree(tree_of(bench, mine))
    return values


@cache
def code_of(path: str | None) -> str:
    """Return the fingerprint of the module of a user's strategy, by its import path; "" for one of ours."""
    if path is None:
        return ""
    spec = find_spec(path.rpartition(".")[0])
    return _digest([Path(spec.origin)]) if spec is not None and spec.origin else ""


def _of_subject(bench: Bench, subject: Subject) -> Iterator[tuple[str, str]]:
    stat = subject.web.stat()
    without = f", without {', '.join(subject.without)}" if subject.without else ""
    yield f"web {subject.web_name}", f"{stat.st_size:,} bytes of {stat.st_mtime_ns / 1e9:.6f}{without}"
    yield f"topic {subject.name}", _of_topic(bench, subject.topic)
    if subject.judge is None:
        yield f"truth of {subject.name}", _digest([truth_folder(subject) / RELEVANT])
    else:
        yield f"judge of {subject.name}", _of_topic(bench, subject.judge)


def _of_topic(bench: Bench, topic: Topic) -> str:
    """Return the fingerprint of a topic's files, and of the examples that it takes from topics beside it."""
    names = ExampleNames.of(topic, bench.classifier)
    examples = [*names.relevant, *names.other, *names.background]
    own = [topic.folder / name for name in (FILE_NAME, THESAURUS_FILE)]
    saved = [topic.folder / name for name in examples if "://" not in name]
    digest = blake2b(json.dumps(examples).encode(), digest_size=6)
    return f"{_digest(path for path in (*own, *saved) if path.exists())} {digest.hexdigest()}"


def _of_tree(tree: Tree) -> str:
    parts = [(category.path, category.topics, category.examples) for category in tree.categories]
    digest = blake2b(json.dumps([tree.language, parts]).encode(), digest_size=6)
    saved = [name for _, _, examples in parts for name in examples if "://" not in name]
    return f"{len(tree.leaves)} leaves {digest.hexdigest()} {_digest(map(Path, saved))}"


def program_files() -> list[Path]:
    """Return the files of ours that runs depend on."""
    package = resources.files("focused_crawler")
    assert isinstance(package, Path)
    patterns = (*(f"{room}/**/*.py" for room in ROOMS), *MODULES)
    return sorted({path for pattern in patterns for path in package.glob(pattern)})


def _digest(paths: Iterable[Path]) -> str:
    digest = blake2b(digest_size=6)
    for path in paths:
        digest.update(path.read_bytes())
    return digest.hexdigest()
