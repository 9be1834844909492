"""Start pages as CSV, safe to open in a spreadsheet."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path

from focused_crawler.errors import ConfigError
from focused_crawler.net.spreadsheet import harmless
from focused_crawler.report.words import tidy
from focused_crawler.seeding.choice import Seed
from focused_crawler.topic_file import place

COLUMNS = ("url", "score", "site", "title", "searches", "queries", "snippet")


def save_seeds(seeds: Iterable[Seed], path: Path) -> None:
    """Write them, the best first; raises ConfigError."""
    try:
        with path.open("w", encoding="utf-8", errors="replace", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(COLUMNS)
            writer.writerows(map(_row, seeds))
    except OSError as error:
        raise ConfigError(
            f"{place(path)} cannot be written ({error.strerror}); let --csv name a file that can be"
        ) from None


def _row(seed: Seed) -> list[str]:
    queries = harmless(" ; ".join(seed.queries))
    words = harmless(tidy(seed.title)), str(len(seed.queries)), queries, harmless(tidy(seed.snippet))
    return [harmless(seed.url), f"{seed.score:.4f}", harmless(seed.site), *words]
