"""Where a new phrase might belong."""

from __future__ import annotations

import pytest

from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.topic.thesaurus.document_counts import SourceText
from focused_crawler.topic.thesaurus.grow import Placing
from focused_crawler.topic.thesaurus.model import Entry, Facet, Thesaurus

THESAURUS = Thesaurus(
    (
        Facet("methods", (Entry("welding", narrower=(Entry("gas welding"),)), Entry("blasting"))),
        Facet("makers", (Entry("Jotun"), Entry("Hempel"))),
    )
)
TEXTS = [
    SourceText("https://a.example/", "Jotun and Hempel sell Sigma paint! They do blasting. Sigma too"),
    SourceText("https://b.example/", "Jotun has Sigma, and Hempel"),
    SourceText("https://c.example/", "nothing of that"),
]
PLACING = Placing(THESAURUS, TEXTS, Analyzer("en"))


@pytest.mark.parametrize(
    ("key", "pages", "facet", "broader"),
    [
        (("arc", "weld"), [2], "methods", "welding"),
        (("oxi", "gas", "weld"), [2], "methods", "gas welding"),
        (("sigma",), [0, 1], "makers", ""),
        (("thing",), [2], "methods", ""),
        (("sand",), [0], "methods", "blasting"),
    ],
)
def test_a_place_by_ending_then_by_company(key, pages, facet, broader):
    """The longest entry that ends as the phrase does; else the rarest of those on nearly all its pages."""
    place = PLACING.place(key, "Sigma", pages)
    assert (place.facet, place.broader) == (facet, broader)


def test_an_example_is_a_part_of_the_sentence():
    """The first, as it is written; none where it stands nowhere as such."""
    assert PLACING.place(("sigma",), "sigma", [0]).example == "Jotun and Hempel sell Sigma paint!"
    assert PLACING.place(("x",), "xylotrode", [0]).example == ""


def test_without_facets_there_is_no_suggestion():
    """A person writes one."""
    assert Placing(Thesaurus(()), TEXTS, Analyzer("en")).place(("sigma",), "Sigma", [0]).facet == ""
