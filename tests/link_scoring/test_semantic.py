"""The semantic crawlers of Batsakis et al. 2009."""

from __future__ import annotations

from itertools import product
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.classify.midpoints import Midpoints
from focused_crawler.link_scoring.registry import create
from focused_crawler.link_scoring.semantic import conceptual_weights, semantic_similarity
from focused_crawler.page.model import STOP, Link, Outline, Page, Sections
from focused_crawler.page.text.idf import TermStatistics
from focused_crawler.page.text.similarity import TopicVector
from focused_crawler.page.text.wordnet import Relations, relations
from focused_crawler.safety.errors import ConfigError
from tests.wordnet import KEYWORDS, needs_wordnet

TOPIC = {"car": 1.0, "race": 0.5}
TEXT = {"automobil": 0.8, "race": 0.4, "tree": 0.6}
RELATED = {
    "car": Relations(frozenset({"automobil", "motorcar"}), frozenset({"cab", "race"})),
    "race": Relations(frozenset({"rush"}), frozenset({"hunt"})),
}
WEIGHTS = st.dictionaries(
    st.sampled_from(["car", "automobil", "cab", "race", "rush", "hunt", "tree"]), st.floats(0.01, 100)
)


def model(*keywords, language="en"):
    return SimpleNamespace(
        vector=TopicVector({}, {}, 1.0),
        midpoints=Midpoints(*[0.1] * 3),
        language=language,
        keywords=keywords,
    )


def page(body, *links):
    return Page("http://x.example/", "", "", Sections(body=body), Outline(False), links=list(links))


def link(*anchor):
    return Link("http://a.example/", "", list(anchor), [], 0)


def test_golden_value_of_equation_4():
    """Of six pairs, car and automobile and race twice: (1 * .8 + .5 * .4) / (1.5 * 1.8)."""
    synonyms = {"car": Relations(frozenset({"automobil"}), frozenset())}
    assert semantic_similarity(TEXT, conceptual_weights(TOPIC, synonyms, 0.0)) == pytest.approx(1.0 / 2.7)
    assert round(1.0 / 2.7, 4) == 0.3704


@needs_wordnet
def test_golden_value_with_the_real_wordnet():
    """Car and automobile share a synonym set, race and tree stand alone in this text."""
    concepts = conceptual_weights(TOPIC, relations(KEYWORDS), 0.0)
    assert semantic_similarity(TEXT, concepts) == pytest.approx(0.3704, abs=5e-5)


def test_a_neighbour_counts_half():
    """With hypernyms and hyponyms a cab is half a car; the topic's own word stays whole."""
    concepts = conceptual_weights(TOPIC, RELATED, 0.5)
    assert concepts["cab"] == pytest.approx(0.5 * 1.0 / 1.5)
    assert concepts["race"] == pytest.approx((0.5 * 1.0 + 0.5) / 1.5)  # a neighbour of car, and itself
    assert "cab" not in conceptual_weights(TOPIC, RELATED, 0.0)


@given(topic=WEIGHTS, text=WEIGHTS, neighbour=st.sampled_from([0.0, 0.5]))
def test_it_is_the_double_sum_of_the_paper(topic, text, neighbour):
    """Seen from the text, with the topic's half summed beforehand, Eq. 4 comes to the same."""

    def sim(one, other):
        synonyms, neighbours = RELATED.get(one, Relations(frozenset(), frozenset()))
        return 1.0 if other == one or other in synonyms else neighbour if other in neighbours else 0.0

    pairs = list(product(topic, text))
    whole = sum(topic[one] * text[other] for one, other in pairs)
    expected = sum(topic[one] * text[other] * sim(one, other) for one, other in pairs)
    found = semantic_similarity(text, conceptual_weights(topic, RELATED, neighbour))
    assert found * whole == pytest.approx(expected)
    assert 0.0 <= found <= 1.0


@needs_wordnet
def test_priority_is_the_mean_of_page_and_anchor():
    """Each by Eq. 4 with the weights of Eq. 2: frequency times the language's idf."""
    idf = TermStatistics.for_language("en").idf
    scorer = create("semantic_synonym", model(*KEYWORDS))
    car = idf("car") / sum(
        map(idf, ["car", "race", "robot", "arm", "home", "cook", "cook", "zyzzogeton", "stream"])
    )
    content = car * 2 * idf("automobil") / (2 * idf("automobil") + idf("tree"))
    scores = scorer.score(page(["automobil", STOP, "tree", "automobil"]), [link("car"), link("tree"), link()])
    assert scores == pytest.approx([(content + car) / 2, content / 2, content / 2])


@needs_wordnet
def test_the_hypernym_crawler_sees_more():
    """A cab is a car, a synonym it is not."""
    cab = page(["cab", "tree"])
    (synonym,) = create("semantic_synonym", model(*KEYWORDS)).score(cab, [link()])
    (hypernym,) = create("semantic_hypernym", model(*KEYWORDS)).score(cab, [link()])
    assert synonym == 0.0
    assert hypernym > 0.0


def test_other_languages_are_refused():
    """WordNet is English; the message says what to use."""
    with pytest.raises(ConfigError, match=r"know English only, and .* 'de'; use best_first_content_anchor"):
        create("semantic_synonym", model("Auto", language="de"))
