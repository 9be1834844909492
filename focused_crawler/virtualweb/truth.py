"""Ground truth of a web: which of its pages are about a topic.

Only pipelines (target recall) and reports may use it. Nothing that orders a crawl may.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from focused_crawler.safety.errors import WebError
from focused_crawler.safety.plain_file import read_plain
from focused_crawler.virtualweb.surt import host_key, surt

RELEVANT = "relevant.txt"


def topics_folder(web: str | Path) -> Path:
    """Return the folder of a web's topics, whether or not it exists.

    >>> topics_folder("webs/demo.warc.gz").as_posix()
    'webs/demo.topics'
    """
    path = Path(web)
    return path.with_name(f"{name_of(path)}.topics")


def name_of(web: Path) -> str:
    """Return what a web is called: its file's name without the endings of archives.

    >>> name_of(Path("webs/demo.warc.gz")), name_of(Path("crawl.wacz"))
    ('demo', 'crawl')
    """
    name = web.name.removesuffix(".gz").removesuffix(".zst")
    return name.removesuffix(".warc").removesuffix(".arc").removesuffix(".wacz")


def host_of(url: str) -> str:
    """Return what tells the hosts of relevant pages apart: that part of a URL's lookup key.

    >>> host_of("http://www.Example.org/a")
    'org,example'
    """
    return surt(url).partition(")/")[0]


class GroundTruth:
    """The relevant pages of one topic. Its length counts pages, not spellings of their URLs."""

    def __init__(self, urls: Iterable[str]) -> None:
        known = {surt(url): url for url in urls}
        self.urls = tuple(known.values())
        self._targets = {key: number for number, key in enumerate(known)}

    @classmethod
    def beside(cls, web: str | Path, topic_name: str) -> Self | None:
        """Read the truth that lies beside a web; None if there is none about that topic."""
        return cls.of_topic(topics_folder(web) / topic_name)

    @classmethod
    def of_topic(cls, folder: str | Path) -> Self | None:
        """Read `relevant.txt` in a topic's folder, one URL a line; None if it has none."""
        path = Path(folder) / RELEVANT
        try:
            lines = read_plain(path).decode().splitlines()
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise WebError(
                f"{path} cannot be read ({error}); it should hold one URL a line, in UTF-8"
            ) from error
        return cls(line.strip() for line in lines if line.strip() and not line.startswith("#"))

    def is_relevant(self, url: str) -> bool:
        """Whether the page at `url` is about the topic; spellings of one lookup key are one page."""
        return surt(url) in self._targets

    def target(self, url: str) -> int:
        """Return which relevant page `url` leads to, by the position in `urls`; -1 for none."""
        return self._targets.get(surt(url), -1)

    def among(self, urls: Sequence[str]) -> NDArray[np.bool_]:
        """Return for each page whether it is relevant: of an `AnalysedWeb`'s URLs, by page number."""
        return self.targets(urls) >= 0

    def targets(self, urls: Sequence[str]) -> NDArray[np.int64]:
        """Return the `target` of each page: a web may hold two spellings of one."""
        return np.array([self.target(url) for url in urls], dtype=np.int64)

    @property
    def hosts(self) -> Counter[str]:
        """How many relevant pages each host has, by `host_of`."""
        return Counter(map(host_of, self.urls))

    def without(self, hosts: Collection[str]) -> Self:
        """Return the relevant pages of all other hosts."""
        left_out = tuple(map(host_key, hosts))
        return type(self)(url for url in self.urls if not surt(url).startswith(left_out))

    def __len__(self) -> int:
        return len(self._targets)
