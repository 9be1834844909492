from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from focused_crawler.report.explain.page import WritingAnalyzer, wording_places, written
from focused_crawler.topic.thesaurus.scoring import Matcher

WORDS = st.sampled_from(["steel", "zinc", "rust", "hull", "the"])
ANALYZER = WritingAnalyzer("en")
KEYS = st.lists(
    st.lists(st.sampled_from(["steel", "zinc", "rust", ""]), min_size=1, max_size=3)
    .map(tuple)
    .filter(lambda key: bool(key[0] and key[-1])),
    unique=True,
    max_size=5,
)


@given(KEYS, st.lists(WORDS, max_size=15).map(" ".join))
@settings(deadline=None)
def test_places_are_those_that_were_counted(keys: list[tuple[str, ...]], text: str) -> None:
    """What is shown to a reader is what the matcher found: as often, and each the words of the wording."""
    terms = written(ANALYZER.terms(text))
    places = wording_places({str(number): [key] for number, key in enumerate(keys)}, terms)
    assert {int(name): len(runs) for name, runs in places.items()} == Matcher(keys).count(terms).get(0, {})
    for name, runs in places.items():
        assert {tuple(run) for run in runs} == {keys[int(name)]}


def test_one_wording_may_have_two_names() -> None:
    """As in a thesaurus that holds it in two facets; each name has all its places."""
    (zinc,) = written(ANALYZER.terms("zinc"))
    assert wording_places({"a": [("zinc",)], "b": [("zinc",), ("steel",)]}, [zinc]) == {
        "a": [[zinc]],
        "b": [[zinc]],
    }
