"""The webs that learning strategies are chosen and reported on, by name (docs/research/adaptive.md).

    .venv/bin/python benchmarks/webs.py demo_1 demo_2 demo_3 demo_4 demo_5

makes those that are not there, a few seconds each, and prints what names each web to `scrapy experiment`.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

import platformdirs

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import focused_crawler.virtualweb.demo as package
from benchmarks import more_topics
from benchmarks.harness import OPEN_WEB
from focused_crawler.virtualweb.demo import write_demo_web

DIRECTORY = "directory.example"
SEEDS = (1, 2, 3, 4, 5)
NAMES = ("openweb", "openweb_no_directory", *(f"demo_{seed}" for seed in SEEDS))
MORE = ("openweb_more", "openweb_more_no_directory")
"""openweb with other topics."""


class Web(NamedTuple):
    """A web of an experiment."""

    path: Path
    without: tuple[str, ...] = ()  # hosts that are as if they did not exist

    @property
    def options(self) -> list[str]:
        """Return the words that name the web to `scrapy experiment`."""
        return ["--web", str(self.path), *(word for host in self.without for word in ("--without", host))]


class Part(NamedTuple):
    """What of a web a figure may come from; nothing named means all that it has."""

    topics: tuple[str, ...] = ()
    seed_sets: tuple[str, ...] = ()

    @property
    def options(self) -> list[str]:
        """Return the words that choose the part in `scrapy experiment`."""
        pairs = (("--topics", self.topics), ("--seed-sets", self.seed_sets))
        return [word for option, names in pairs if names for word in (option, ",".join(names))]


CHOSEN_ON: Mapping[str, Part] = {
    "openweb": Part(("cooking", "databases", "security", "sports"), ("a", "b")),
    "demo_1": Part(),
    "demo_2": Part(),
}
"""What constants are chosen on."""

REPORTED_ON: Mapping[str, Part] = {
    "openweb": Part(("health", "machine-learning", "mathematics", "stream-processing")),
    "openweb_no_directory": Part(),
    "demo_3": Part(),
    "demo_4": Part(),
    "demo_5": Part(),
}
"""What is reported. The four topics of openweb are reported apart without its directory as well."""


def find_web(name: str, openweb: Path = OPEN_WEB) -> Web:
    """Return a web by its name; one that is generated is made if it is not there."""
    if name not in (*NAMES, *MORE):
        raise SystemExit(f"no web {name!r}; use some of {', '.join((*NAMES, *MORE))}")
    if name.startswith("demo_"):
        return Web(_generated(int(name.removeprefix("demo_"))))
    if not openweb.is_file():
        raise SystemExit(f"no web at {openweb}; give its path")
    path = _with_more_topics(openweb) if name in MORE else openweb
    return Web(path, (DIRECTORY,) if name.endswith("_no_directory") else ())


def _generated(seed: int) -> Path:
    """Return a generated web in the user's cache, in a folder for each version of the code that makes it."""
    digest = blake2b(digest_size=4)
    for path in sorted(Path(package.__path__[0]).rglob("*.*")):
        if path.suffix in (".py", ".toml", ".html"):
            digest.update(path.read_bytes())
    folder = platformdirs.user_cache_path("focused_crawler") / "generated" / digest.hexdigest()
    path = folder / f"demo_{seed}.warc.gz"
    return path if path.is_file() else write_demo_web(folder, seed, is_wide=True)


def _with_more_topics(openweb: Path) -> Path:
    """Return a copy of the web, in the user's cache, with other topics beside it."""
    digest = blake2b(digest_size=4)
    for source in (more_topics.TOPICS, Path(more_topics.__file__)):
        digest.update(source.read_bytes())
    folder = platformdirs.user_cache_path("focused_crawler") / "more_topics" / digest.hexdigest()
    path = folder / openweb.name
    return path if path.is_file() else more_topics.write_more_topics(openweb, folder)


def main(names: Sequence[str]) -> None:
    """Print the options of webs; of all without names."""
    for name in names or NAMES:
        print(name, *find_web(name).options)


if __name__ == "__main__":
    main(sys.argv[1:])
