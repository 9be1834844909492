"""How many pages have a phrase, and what makes it telling."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.topic.thesaurus import document_counts
from focused_crawler.topic.thesaurus.document_counts import DocumentCounts, SourceText, log_likelihood, site
from focused_crawler.topic.thesaurus.phrases import PhraseReader

READER = PhraseReader(Analyzer("en"))


def counted(*pages: tuple[str, str]) -> DocumentCounts:
    return DocumentCounts([SourceText(*page) for page in pages], READER)


def test_a_page_counts_once():
    """However often it has a phrase."""
    counts = counted(("https://a.example/1", "rust, rust, rust"), ("https://b.example/", "rust"))
    found = counts.found["rust",]
    assert (found.pages, found.times) == ([0, 1], 4)
    assert counts.weight_of(("rust",)) == counts.weight == 2.0
    assert counts.weight_of(("zinc",)) == 0.0


def test_a_large_site_weighs_less_a_page():
    """Nine pages of one site are as much as three sites."""
    pages = [(f"https://big.example/{n}", "rust" if n < 3 else "zinc") for n in range(9)]
    counts = counted(*pages, ("https://small.example/", "rust"))
    assert counts.weight == 4.0
    assert counts.weight_of(("rust",)) == pytest.approx(3 / 3 + 1)


def test_what_all_pages_of_a_site_have_is_its_template():
    """It counts as one page."""
    counts = counted(*((f"https://big.example/{n}", "menu") for n in range(9)))
    assert counts.weight_of(("menu",)) == pytest.approx(1 / 3)


def test_memory_is_bounded(monkeypatch):
    """What one page alone has is forgotten where there is too much."""
    monkeypatch.setattr(document_counts, "_MAX_KEYS", 20)
    pages = [(f"https://a{n}.example/", f"rust, word{n}, thing{n}, part{n}") for n in range(30)]
    counts = counted(*pages)
    assert len(counts.found["rust",].pages) == 30
    assert len(counts.found) <= 24


@pytest.mark.parametrize(
    ("url", "name"), [("https://A.example:80/x", "a.example"), ("examples/x.html", "examples/x.html")]
)
def test_a_site_is_a_host(url, name):
    """A saved file is one of its own."""
    assert site(url) == name


@given(st.integers(1, 50), st.integers(1, 500), st.data())
def test_log_likelihood_is_dunnings(of_here, of_there, data):
    """2 sum O ln(O / E) over the table of four, from its definition."""
    here, there = data.draw(st.integers(0, of_here)), data.draw(st.integers(0, of_there))
    total, both = of_here + of_there, here + there
    expected = [of_here * both / total, of_there * both / total]
    expected += [of_here - expected[0], of_there - expected[1]]
    observed = [here, there, of_here - here, of_there - there]
    golden = 2 * sum(o * math.log(o / e) for o, e in zip(observed, expected, strict=True) if o)
    assert log_likelihood(here, of_here, there, of_there) == pytest.approx(golden, abs=1e-6)
