from __future__ import annotations

from focused_crawler.report.sampling import sample as population
from focused_crawler.report.sampling.sample import read_population


def test_only_what_the_crawl_calls_relevant_is_drawn_from(crawl):
    """Precision is about that; all pages are to be had, too."""
    relevant, everything = read_population(crawl), read_population(crawl, has_all=True)
    assert (len(relevant), len(everything)) == (100, 150)
    assert min(relevant.relevance) >= 0.5
    assert list(everything.positions) == list(range(1, 151))


def test_hosts_are_numbered(crawl):
    """Each by its name."""
    everything = read_population(crawl, has_all=True)
    names = [everything.host_names[host] for host in everything.hosts]
    assert names[:101] == ["a.org"] * 100 + ["b.org"]
    assert len(set(names)) == 12


def test_a_large_crawl_is_read_piece_by_piece(crawl, monkeypatch):
    """To the same end."""
    whole = read_population(crawl)
    monkeypatch.setattr(population, "_CHUNK", 7)
    assert read_population(crawl) == whole


def test_a_crawl_without_pages_is_empty(database):
    """And no error here."""
    assert len(read_population(database, has_all=True)) == 0
