"""The score of a text by a thesaurus."""

from __future__ import annotations

import math
import pickle
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focused_crawler.page.model import Outline, Page, Sections
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.topic.thesaurus.model import Entry, Facet, Scoring, Thesaurus
from focused_crawler.topic.thesaurus.scoring import HALF_POINT, PAGE_LENGTH, ThesaurusScorer, relevance_of

ANALYZER = Analyzer("en")
METHODS = Facet(
    "methods",
    (
        Entry("blasting", ("sandblasting",), (Entry("grit blasting", (), (Entry("wet grit blasting"),)),)),
        Entry("painting"),
        Entry("cathodic protection"),
    ),
    negative=("oil painting",),
)
MATERIALS = Facet("materials", (Entry("steel", (), (Entry("stainless steel"),)), Entry("zinc")))
THESAURUS = Thesaurus((METHODS, MATERIALS), "en", ("zinc tablets",), Scoring(kappa=2.0))


def scorer(thesaurus=THESAURUS, **changes):
    return ThesaurusScorer(replace(thesaurus, scoring=replace(thesaurus.scoring, **changes)), ANALYZER)


def terms(text):
    return ANALYZER.terms(text)


def gain(times):
    return 1 + 0.1 * math.log(1 + times)


GOLDEN = [
    ("nothing of it", 0.0, 0.0),
    ("blasting", gain(1) / 3, 0.0),
    ("blasting by sandblasting", gain(2) / 3, 0.0),
    ("wet grit blasting", gain(1), 0.0),
    ("grit blasting, blasting, painted", 2 / 3 * gain(1) + 2 * gain(1) / 3, 0.0),
    ("steel and stainless steel", 0.0, gain(1) / 2 + gain(1)),
    ("steel, steel, zinc", 0.0, gain(2) / 2 + gain(1) / 2),
    ("cathodic protection with zinc", gain(1) / 3, gain(1) / 2),
    ("oil paintings", -1.0, 0.0),
    ("oil painting, painting", gain(1) / 3 - 1, 0.0),
    ("oil painting, oil painting, wet grit blasting", gain(1) - 1, 0.0),
    ("zinc tablets, zinc, steel and cathodic protection", gain(1) / 3 - 1, gain(1) - 1),
]


@pytest.mark.parametrize(("text", "methods", "materials"), GOLDEN)
def test_the_formula_by_hand(text, methods, materials):
    """Level / depth * (1 + 0.1 ln(1 + tf)), less a penalty a negative wording; saturated by facet."""
    expected = sum(max(0, score) / (max(0, score) + 2) for score in (methods, materials))
    assert scorer().text(terms(text)) == pytest.approx(expected)
    scores = {found.facet: found.score for found in scorer().evidence(terms(text))}
    assert scores.get("methods", 0) == pytest.approx(methods)
    assert scores.get("materials", 0) == pytest.approx(materials)


@pytest.mark.parametrize(
    ("times", "others", "expected"),
    [
        (1, 0, 2 / 2),
        (2, 0, 4 / 3),
        (1, PAGE_LENGTH - 1, 2 / 2),
        (1, 2 * PAGE_LENGTH - 1, 2 / 3),
        (3, 3 * PAGE_LENGTH - 3, 6 / 6),
    ],
)
def test_density_by_hand(times, others, expected):
    """2 tf / (tf + L): once in a page of usual length is 1; L is its length beside that, at least 1."""
    text = terms("zinc " * times + "ship " * others)
    (found,) = scorer(frequency="density").evidence(text)
    assert found.score == pytest.approx(expected / 2)


READINGS = pytest.mark.parametrize("frequency", ["count", "density"])
NAMES = [entry.name for facet in (METHODS, MATERIALS) for _, entry, _ in facet.walk()]
TEXTS = st.lists(st.sampled_from([*NAMES, "oil painting", "zinc tablets", "the", "ship"]), max_size=12)
FILLER = "ship, "


def apart(names):
    """Return a text in which no entry runs into the next."""
    return terms(f" {FILLER}".join([FILLER, *names, FILLER]))


@READINGS
@given(names=TEXTS)
@settings(max_examples=60, deadline=None)
def test_a_score_is_below_the_number_of_facets(frequency, names):
    """And never negative; it is the sum of what its facets, and of what its wordings add."""
    score = scorer(frequency=frequency)
    value = score.text(apart(names))
    assert 0 <= value < 2
    assert value == pytest.approx(sum(found.value for found in score.evidence(apart(names))))
    assert value == pytest.approx(sum(score.addends(apart(names)).values()))


@READINGS
@given(names=TEXTS, new=st.sampled_from(NAMES))
@settings(max_examples=60, deadline=None)
def test_a_further_entry_never_lowers(frequency, names, new):
    """In the place of other words, an entry that was not there yet raises, or leaves a spoilt facet at 0."""
    score = scorer(frequency=frequency)
    other = " ".join(["ship"] * len(new.split()))
    assert score.text(apart([*names, new])) >= score.text(apart([*names, other])) - 1e-12


@READINGS
@given(names=st.lists(st.sampled_from(NAMES), min_size=1, max_size=8, unique=True))
@settings(max_examples=60, deadline=None)
def test_a_new_entry_of_a_level_says_more_than_a_repeated_one(frequency, names):
    """Diversity counts more than frequency."""
    facet = Facet("f", tuple(Entry(name) for name in (*NAMES, "anode")))
    score = scorer(Thesaurus((facet,)), frequency=frequency)
    repeated, new = score.text(apart([*names, names[0]])), score.text(apart([*names, "anode"]))
    assert score.text(apart([*names, "ship"])) < repeated < new


@READINGS
@given(names=TEXTS, negative=st.sampled_from(["oil painting", "zinc tablets"]))
@settings(max_examples=60, deadline=None)
def test_a_negative_wording_never_raises(frequency, names, negative):
    """However much else is there."""
    score = scorer(frequency=frequency)
    assert score.text(apart([*names, negative])) <= score.text(apart([*names, "ship ship"])) + 1e-12


def test_many_entries_say_more_than_a_frequent_one():
    """Five that stand once each on a long page, over one that stands there twenty times."""
    names = ("steel", "zinc", "hull", "anode", "primer")
    five = scorer(Thesaurus((Facet("f", tuple(map(Entry, names))),)))
    page = ["cake"] * 6000
    assert five.text(terms("steel " * 20) + page) < five.text(terms(" ".join(names)) + page)


@READINGS
def test_narrower_entries_weigh_more(frequency):
    """And wordings of one entry are one entry."""
    score = scorer(frequency=frequency)
    values = [score.text(terms(name)) for name in ("blasting", "grit blasting", "wet grit blasting")]
    assert values == sorted(set(values))
    assert score.text(terms("sandblasting")) == score.text(terms("blasting"))


@READINGS
def test_two_facets_say_more_than_one(frequency):
    """The same number of entries of the same weight, spread over facets, scores higher."""
    entries = [Entry(name) for name in ("steel", "zinc", "hull", "anode")]
    one = Thesaurus((Facet("f", tuple(entries)),))
    two = Thesaurus((Facet("f", tuple(entries[:2])), Facet("g", tuple(entries[2:]))))
    text = terms("steel, zinc, hull, anode")
    assert scorer(two, frequency=frequency).text(text) > scorer(one, frequency=frequency).text(text)


@given(st.floats(0, 50), st.floats(0, 50))
def test_relevance_rises_with_the_score(one, other):
    """From 0 on; it is 0.5 at the half-point."""
    low, high = sorted((one, other))
    assert 0 <= relevance_of(low) <= relevance_of(high) <= 1
    assert relevance_of(0.0) == 0
    assert relevance_of(HALF_POINT) == pytest.approx(0.5)


def test_a_page_is_read_by_its_sections():
    """Title, meta keywords, anchors and body count alike, and no entry goes from one to the next."""
    sections = Sections(terms("stainless"), terms("steel"), terms("zinc"), terms("cathodic"))
    page = Page("https://e.example/", "", "", sections, Outline(is_heading=False))
    assert scorer().page(page) == pytest.approx(scorer().text(terms("steel, zinc")))
    sections.body += terms("protection")
    assert scorer().page(page) == pytest.approx(scorer().text(terms("steel, zinc, cathodic protection")))


URLS = [
    ("https://steel.example/", ""),
    ("https://steel.example", ""),
    ("https://x.example/stainless-steel/index.html", "stainless steel"),
    ("https://x.example/StainlessSteel_Zinc.htm?q=grit%20blasting", "stainless steel zinc, grit blasting"),
    ("https://x.example/%ff%fe/zinc", "zinc"),
]


@pytest.mark.parametrize(("url", "words"), URLS)
def test_a_urls_words_count_without_its_host(url, words):
    """A maker's name does not make each of its pages relevant."""
    assert scorer().url(url) == pytest.approx(scorer().text(terms(words)))


def test_an_empty_thesaurus_scores_nothing():
    """A facet without entries is as if it were not there."""
    score = ThesaurusScorer(Thesaurus((Facet("f", ()),)), ANALYZER)
    assert score.text(terms("steel")) == 0
    assert score.evidence(terms("steel")) == []


def test_one_wording_may_stand_for_two_entries():
    """A thesaurus that no file holds may say a word twice: each entry counts in its facet."""
    twice = Thesaurus((Facet("f", (Entry("zinc"),)), Facet("g", (Entry("zinc"), Entry("the")))))
    assert {found.facet for found in ThesaurusScorer(twice, ANALYZER).evidence(terms("zinc"))} == {"f", "g"}


RUST = Facet("subject", (Entry("rust"), Entry("corrosion")))
PEOPLE = Facet("people", (Entry("inspector"),), negative=("rust belt",))
ZINC_COATING = Facet("methods", (Entry("zinc coating"),))
BY_ITSELF = [
    ((ZINC_COATING, MATERIALS), "zinc coating", {"methods": "zinc coating", "materials": "zinc"}),
    ((RUST, PEOPLE), "the rust belt", {"subject": "rust", "people": "- rust belt"}),
    (
        (RUST, PEOPLE),
        "corrosion of conformity",
        {"subject": "- corrosion of conformity", "people": "- corrosion of conformity"},
    ),
]


@pytest.mark.parametrize(("facets", "text", "expected"), BY_ITSELF)
def test_each_facet_is_matched_by_itself(facets, text, expected):
    """What is longest in one, for or against it, hides nothing from another; what is against all does."""
    score = scorer(Thesaurus(facets, negative=("corrosion of conformity",)))
    found = {
        facet.facet: [*(name for name, _ in facet.entries), *(f"- {name}" for name in facet.negative)]
        for facet in score.evidence(terms(text))
    }
    assert found == {facet: [name] for facet, name in expected.items()}


def test_evidence_names_what_was_found():
    """By facet: entries with what all their wordings count together, and what counts against."""
    methods, materials = scorer().evidence(
        terms("wet grit blasting, sandblasting, blasting; oil painting, zinc")
    )
    values = {"wet grit blasting": gain(1), "blasting": gain(2) / 3}
    assert dict(methods.entries) == pytest.approx(values)
    assert (methods.negative, materials.negative) == (["oil painting"], [])
    assert materials.value == pytest.approx(materials.score / (materials.score + 2))


def test_a_scorer_goes_to_another_process():
    """Worker processes score as the crawl's own."""
    text = terms("steel, zinc, wet grit blasting")
    assert pickle.loads(pickle.dumps(scorer())).text(text) == scorer().text(text)


def test_other_languages_are_read_by_their_own_rules():
    """German words are stemmed as German, Japanese ones are runs of pairs."""
    german = Thesaurus((Facet("f", (Entry("Schiffe"), Entry("kathodischer Schutz"))),), "de")
    found = ThesaurusScorer(german, Analyzer("de")).evidence(Analyzer("de").terms("Des Schiffes Rost"))
    assert [name for name, _ in found[0].entries] == ["Schiffe"]
    japanese = Thesaurus((Facet("f", (Entry("防食塗装"),)),), "ja")
    found = ThesaurusScorer(japanese, Analyzer("ja")).evidence(Analyzer("ja").terms("船の防食塗装です"))
    assert [name for name, _ in found[0].entries] == ["防食塗装"]
