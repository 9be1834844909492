"""Candidates that tell relevant pages from others."""

from __future__ import annotations

import pytest

from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.topic.thesaurus.document_counts import SourceText
from focused_crawler.topic.thesaurus.grow import CandidatePhrase, candidates
from focused_crawler.topic.thesaurus.model import Entry, Facet, Thesaurus, wording_key
from tests.topic.thesaurus.growing import other_pages, rust_pages

ANODE = Entry("anode", narrower=(Entry("magnesium anode"),))
RUST = Thesaurus((Facet("subject", (Entry("rust"),)), Facet("parts", (Entry("hull"), ANODE))))


def grown(thesaurus: Thesaurus = RUST, n: int = 20) -> dict[str, CandidatePhrase]:
    return {one.wording: one for one in candidates(thesaurus, rust_pages(), other_pages(), n)}


def test_phrases_of_the_topic_are_found():
    """The most telling first, with the pages that have them."""
    found = grown()
    assert {"epoxy primer", "zinc anode"} <= set(found)
    assert (found["epoxy primer"].relevant, found["epoxy primer"].other) == (20, 0)
    scores = [one.score for one in found.values()]
    assert scores == sorted(scores, reverse=True)
    assert min(scores) > 0


def test_what_all_pages_say_is_none():
    """Nor is a site's menu, what the thesaurus has, or a part of a longer phrase."""
    found = grown()
    assert not {"market", "street", "winter", "rust", "hull", "anode", "epoxy", "primer"} & set(found)
    assert not [name for name in found if name.startswith("Blastex")]


def test_what_is_printed_bears_out_what_is_said():
    """A phrase that one large site of the others has all over is none, however little a site weighs."""
    site = [SourceText(f"https://shop.example/{n}", "An epoxy primer, again.") for n in range(12)]
    for one in candidates(RUST, rust_pages(), [*other_pages(48), *site], 50):
        assert one.relevant / 30 >= 10 * one.other / 60
        assert one.wording != "epoxy primer"


def test_japanese_terms_are_found():
    """Not whole sentences."""
    pages = [SourceText(f"https://a{n}.example/", "船の防錆塗料を塗る。プライマーもある。") for n in range(6)]
    others = [SourceText(f"https://b{n}.example/", "今日は天気がよい。") for n in range(6)]
    found = candidates(Thesaurus((Facet("subject", (Entry("錆"),)),), "ja"), pages, others, 10)
    assert [one.wording for one in found] == ["防錆塗料"]  # the other stands on the same pages


def test_what_counts_against_the_topic_is_no_candidate():
    """A person has said so."""
    against = Thesaurus(
        (Facet("subject", (Entry("rust"),), negative=("epoxy primers",)),), negative=("Jotun",)
    )
    assert not {"epoxy primer", "Jotun"} & set(grown(against))


def test_names_keep_their_capitals():
    """Other phrases are written small."""
    assert {"Jotun", "epoxy primer"} <= set(grown())


def test_a_place_is_suggested():
    """Below the entry that ends alike; else by what stands on the same pages."""
    found = grown()
    assert (found["zinc anode"].facet, found["zinc anode"].broader) == ("parts", "anode")
    assert found["epoxy primer"].facet in ("subject", "parts")


def test_there_is_an_example_of_its_use():
    """A part of the sentence."""
    assert grown()["epoxy primer"].example == "They paint it with an epoxy primer, again."


def test_no_more_than_wanted():
    """The best of them."""
    assert list(grown(n=2)) == list(grown())[:2]
    assert candidates(RUST, [], [], 5) == []


def test_the_same_pages_give_the_same_candidates():
    """In the same order."""
    assert list(grown().values()) == list(grown().values())


@pytest.mark.parametrize("language", ["de", "ja", "xx"])
def test_any_language(language):
    """Without WordNet, by the language's own stop words."""
    pages = [
        SourceText(f"https://a{n}.example/", "Der Rost, die Grundierung. 防錆塗料、船舶。") for n in range(5)
    ]
    others = [SourceText(f"https://b{n}.example/", "Das Wetter. 天気。") for n in range(5)]
    found = candidates(Thesaurus((Facet("subject", (Entry("rust"),)),), language), pages, others, 10)
    assert found
    keys = [wording_key(one.wording, Analyzer(language)) for one in found]
    assert all(keys)
    assert len(set(keys)) == len(keys)


def test_hostile_text_is_bounded():
    """A page of one word, of no word, of control characters, and of a long run."""
    texts = ["x" * 100_000, "", "\x00\x1b[31m rust \u202e evil \ud800", "spam " * 50_000, "a|b#'''" * 1000]
    pages = [SourceText(f"https://a{n % 5}.example/{n}", texts[n % 5]) for n in range(25)]
    for one in candidates(RUST, pages, other_pages(), 20):
        assert "|" not in one.wording
        assert len(one.wording) <= 200
