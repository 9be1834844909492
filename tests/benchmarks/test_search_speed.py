"""The benchmark of searches, in small."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.harness import Report, results_of
from benchmarks.thesaurus import measure, searched
from focused_crawler.virtualweb.writer import WebWriter


def test_it_measures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All kinds of queries, over more pages than the web has, none like another."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with WebWriter(tmp_path / "web.warc.gz") as writer:
        for number in range(8):
            body = f"<title>Bee wax honey {number}</title>" + "hive comb queen drone nectar pollen " * (
                10 + number
            )
            writer.write(f"http://a.org/{number}", 200, [("Content-Type", "text/html")], body.encode())
    rows, figures = searched(tmp_path / "web.warc.gz", pages=40, queries=3)
    assert rows.where(words="of titles").measure("matches").mean > 0
    _, figures = results_of(measure, Report({"search": rows}, figures))
    assert figures.keys() >= {"search_ms", "search_frequent_p95_ms", "search_index_mb"}
    assert len(rows) == 4
