"""The papers' formulas, worked out by hand, beside what we compute."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest
from scipy.sparse import csr_array

from focused_crawler.classify.evaluation import ConfusionMatrix
from focused_crawler.classify.hmm.clusters import PageClusters
from focused_crawler.classify.hmm.forward import Forward
from focused_crawler.classify.hmm.model import HmmModel, markov_chain
from focused_crawler.classify.midpoints import PLAIN, Midpoints
from focused_crawler.classify.naive_bayes import LuClassifier, naive_bayes_ratio
from focused_crawler.classify.page_classifiers import WINDOW, ThesaurusClassifier, VsmClassifier
from focused_crawler.classify.settings import ClassifierSettings
from focused_crawler.classify.taxonomy.classifier import TaxonomyModel
from focused_crawler.classify.taxonomy.training import train_taxonomy
from focused_crawler.classify.taxonomy.tree import Category, Tree
from focused_crawler.crawl.hubs.hits import Graph, rate
from focused_crawler.crawl.measures import HarvestRate, TargetRecall
from focused_crawler.crawl.scored_links import ScoredLink
from focused_crawler.crawl.steering.copies import SketchesInMemory
from focused_crawler.crawl.steering.hubs import NO_STEERING
from focused_crawler.crawl.steering.steering import Steering
from focused_crawler.crawl.visit_context import VisitContext
from focused_crawler.crawl.visits import Visits
from focused_crawler.experiment.simulated_records import SimulatedRecords
from focused_crawler.frontier.base import Candidate, Rules
from focused_crawler.frontier.memory.frontier import MemoryFrontier
from focused_crawler.link_scoring.content_link_sibling import ContentLinkSiblingOptions
from focused_crawler.link_scoring.hmm import HmmOptions
from focused_crawler.link_scoring.lpe import LpeOptions
from focused_crawler.link_scoring.registry import create
from focused_crawler.link_scoring.semantic import conceptual_weights, semantic_similarity
from focused_crawler.link_scoring.strategy import StrategyOptions
from focused_crawler.page.blocks import hub_measure, partition
from focused_crawler.page.model import Block, Link, Outline, Page, Sections
from focused_crawler.page.parser import parse_page
from focused_crawler.page.text.similarity import TopicVector
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.page.text.weighting import (
    count_matrix,
    document_information_gain,
    inverse_document_frequency,
    itfidf,
    mutual_information,
    section_counts,
    tfc,
)
from focused_crawler.page.text.wordnet import Relations
from focused_crawler.store.item import PageItem
from focused_crawler.topic.thesaurus.model import Entry, Facet, Thesaurus
from focused_crawler.topic.thesaurus.scoring import ThesaurusScorer
from tests.page.text.corpus import Corpus
from tests.small_taxonomy import small_page

BATSAKIS, SUBATRA_DEVI, LU, CHAKRABARTI = "Batsakis 2009", "Subatra Devi 2017", "Lu 2016", "Chakrabarti 1999"
BADIA, SHARKS = "Badia 2006", "Hersovici 1998"


class Case(NamedTuple):
    """A value of a formula; `by_hand` has all digits of the hand-made calculation."""

    paper: str
    equation: str
    by_hand: float
    ours: Callable[[], float]


CHAIN = markov_chain(
    [0.2, 0.3, 0.5],
    [[0.5, 0.3, 0.2], [0.6, 0.2, 0.2], [0.1, 0.6, 0.3]],
    [[1, 0, 0], [0, 0.7, 0.3], [0, 0.2, 0.8]],
)


def hmm(*clusters: int, is_normalised: bool = False, links: int = 1) -> float:
    """P(L0, t+1), or P(L0, t+2), after these clusters."""
    forward = Forward(CHAIN, is_normalised=is_normalised)
    levels = forward.unpack(None)
    for cluster in clusters:
        levels = forward.follow(levels, cluster)
    return forward.priority(levels) if links == 1 else forward.further(levels)


def near_centroid(name: str, anchor: str) -> float:
    """Priority on a page of C2, "arm arm"; the one relevant training page weighs arm .8 and robot .6."""
    weights = csr_array(np.array([[0.8, 1.0], [0.6, 0.0]]))
    found = HmmModel("robots", CHAIN, PageClusters("en", ["arm", "robot"], weights, np.array([0, 2])), 1, 2)
    model = SimpleNamespace(vector=QUERY, midpoints=PLAIN, hidden_markov=lambda: found)
    scorer = create(name, model, HmmOptions(neighbours=1))  # type: ignore[arg-type]
    shown = page(sections=Sections(body=["arm", "arm"]))
    (priority,) = scorer.score(shown, [Link("http://b.example/", "", [anchor], [], 0)])
    assert priority is not None
    return priority


def gain(term: str) -> float:
    return CORPUS.named(document_information_gain(CORPUS.raw).tolist())[term]


def of_d1(term: str, *, ig_in_norm: bool) -> float:
    """ITFIDF of a term of d1."""
    idf, gains = inverse_document_frequency(CORPUS.raw), document_information_gain(CORPUS.raw)
    weights = itfidf(CORPUS.tf, idf, gains, ig_in_norm=ig_in_norm).toarray()[0]
    return float(CORPUS.named(weights.tolist())[term])


def information(term: str) -> float:
    return float(CORPUS.named(mutual_information(CORPUS.raw, CORPUS.labels).tolist())[term])


def held_by(*relevances: float) -> float:
    """Priority at which a link leaves that pages of these relevances hold; its anchor has a cosine of .6."""
    model = SimpleNamespace(vector=TopicVector({"robot": 3.0, "arm": 4.0}, {}, 1.0), midpoints=PLAIN)
    strategy = create("mean_of_parents", model, StrategyOptions(similarity="cosine"))  # type: ignore[arg-type]
    links = [Link("http://x.org/", "", ["robot"], [], 0)] * 2  # a page counts once, however often it links
    with SimulatedRecords(is_distilled=False) as records:
        steering = Steering(NO_STEERING, records.original, SketchesInMemory(), None)
        frontier, rescore = MemoryFrontier(), strategy.rescore  # type: ignore[attr-defined]
        visits = Visits(VisitContext(frontier, steering, records, Rules(), rescore=rescore))
        frontier.add(Candidate(f"http://{n}.org/", 1.0) for n in range(len(relevances)))
        for relevance in relevances:
            visit = visits.take(0.0)
            assert visit is not None
            page = Page(visit.url, "", "", Sections(), Outline(False), links=links, relevance=relevance)
            scores = zip(links, strategy.score(page, links), strict=True)
            visit.links(visit.url, [ScoredLink(link.url, "", 0, score) for link, score in scores], depth=0)
            facts = {"relevance": relevance, "is_relevant": True, "fetched_at": 1.0}
            visit.record(PageItem(url=visit.url, requested_url=visit.url, **facts), 0.0)  # type: ignore[arg-type]
        (lease,) = frontier.take(1, 0.0)
        return lease.priority


CORPUS = Corpus()
LN2, LN3, LN4, LN43 = math.log(2), math.log(3), math.log(4), math.log(4 / 3)
ENTROPY = -sum(n / 24 * math.log2(n / 24) for n in (8, 5, 7, 4))  # H(D), 1.9491 bits
IG_ROBOT = ENTROPY - 1  # three times in d1, three times in d2
IG_NEWS = ENTROPY - (2 * 0.2 * math.log2(5) + 0.6 * math.log2(5 / 3))  # once, once, three times
LENGTH_D1 = math.hypot(8 * LN2, 6 * LN4, 1 * LN2, 1 * LN43)  # robot 8, arm 6, control 1, news 1


def found_of(*fetched: str) -> float:
    recall = TargetRecall((f"http://{name}.example/" for name in "abc"), key=str)
    for url in fetched:
        recall.record(url)
    return recall.value


def ratio(column: int) -> float:
    """log P(t|relevant) / P(t|other) of three documents, two of them relevant, over three terms."""
    weights = count_matrix([{"a": 2, "b": 1}, {"a": 1}, {"b": 1, "c": 3}], ["a", "b", "c"])
    prior, ratios = naive_bayes_ratio(weights, np.array([True, True, False]))
    return float([prior, *ratios.tolist()][column])


QUERY = TopicVector({"robot": 2.0, "arm": 1.0}, {"robot": 2.0, "arm": 1.0, "news": 0.5}, 1.0)
WORDS = Sections(headline=["robot"], body=["robot", "arm", "news"])


def page(sections: Sections = WORDS, **facts: object) -> Page:
    return Page("http://a.example/", "", "", sections, Outline(is_heading=False), **facts)  # type: ignore[arg-type]


def of_lu() -> float:
    """log P(relevant|d) - log P(other|d) of a page with a weighted tf of robot 5, arm 1; news was pruned."""
    terms, idf, gains = ["robot", "arm"], np.array([LN2, LN4]), np.array([IG_ROBOT, ENTROPY])
    found = LuClassifier(ClassifierSettings(), terms, idf, gains, 0.25, np.array([1.5, -0.5])).log_odds(
        page()
    )
    assert found is not None
    return found


def scored(
    name: str, anchor: list[str], context: Sequence[str] = (), block: Sequence[str] = (), **facts: object
) -> float:
    """Priority of a link by the topic of equal weights robot and arm, every idf 1."""
    midpoints = facts.pop("midpoints", PLAIN)
    vector = facts.pop("vector", TopicVector({"robot": 1.0, "arm": 1.0}, {}, 1.0))
    model = SimpleNamespace(vector=vector, midpoints=midpoints, language="en", keywords=("robot", "arm"))
    options = facts.pop("options", None)
    shown = page(**facts)
    shown.blocks, shown.links = [Block([*block])], [Link("http://b.example/robot", "", anchor, [*context], 0)]
    (priority,) = create(name, model, options).score(shown, shown.links)  # type: ignore[arg-type]
    assert priority is not None
    return priority


def hits(authority: bool, number: int) -> float:
    """u1 links to v1 and v2, u2 to v1; v1 and v2 are of one site."""
    edges = np.array([(0, 2), (0, 3), (1, 2)]).T
    links = [(edges[0], edges[1])]
    found = rate(Graph(links, np.array([0, 1, 2, 2]), np.array([0.9, 0.5, 0.8, 0.6])), rho=0.0)
    return float((found.authority if authority else found.hub)[number])


# a1 = .9 h1 + .5 h2, a2 = .9/2 h1 * 2 = .9 h1; h1 = .45 (a1 + a2), h2 = .5 a1: x = h2 / h1 solves
# .225 x^2 + .56 x - .45 = 0
X = (math.sqrt(0.56**2 + 4 * 0.225 * 0.45) - 0.56) / 0.45


def taxonomy() -> TaxonomyModel:
    """One page "star star moon" and one "star" in a, one "goal" in b."""
    star, goal = small_page("star", "http://star.example/"), small_page("goal", "http://goal.example/")
    pages = {"a": [small_page("star star moon"), star], "b": [goal]}
    return train_taxonomy(Tree.of((Category("a"), Category("b"))), pages)[0]


def probability(path: str) -> float:
    """Pr[c|d] of "star goal"."""
    return taxonomy().probabilities({"star": 1, "goal": 1})[path]


def log_rd(*good: str) -> float:
    """log R(d) of "star goal"."""
    found = taxonomy().judge(small_page("star goal"), good).log_rd
    assert found is not None
    return found


IN_A, IN_B = 2 / 3 * (4 / 7) * (1 / 7), 1 / 3 * (1 / 4) * (2 / 4)


METALS = Facet("f", (Entry("metal", (), (Entry("steel"), Entry("zinc"))), Entry("rust")))
SCORER = ThesaurusScorer(Thesaurus((METALS,)), Analyzer())


def by_thesaurus(text: str) -> float:
    return SCORER.text(Analyzer().terms(text))


def rounded_up(url: str, window: float) -> float:
    """Relevance of a page without a word of the thesaurus, by its URL and the window of the link to it."""
    found = Page(url, "", "", Sections(body=["robot"]), Outline(is_heading=False), path=WINDOW.pack(window))
    return ThesaurusClassifier(SCORER, reads_path=True).relevance(found)


def hub() -> float:
    body = (
        b"<p>hulls rust <a href='http://b.example/'>paint</a> <a href='http://c.example/'>yards</a> in docks"
    )
    found = parse_page(body, "http://a.example/", Analyzer())
    partition(found)
    measured = hub_measure(found)
    assert measured is not None
    return measured


IN_URL = (1 + 0.1 * LN2) / (1 + 0.1 * LN2 + 2.0)  # zinc, once, at the lowest level


CASES = [
    Case(LU, "MI of robot", LN2, lambda: information("robot")),  # (2/4) / (2/4 * 2/4)
    Case(LU, "MI of news", LN43, lambda: information("news")),  # (2/4) / (3/4 * 2/4)
    Case(LU, "MI of control", 0.0, lambda: information("control")),
    Case(LU, "weighted tf of robot in d1", 4 + 3 + 1, lambda: section_counts(CORPUS.sections[0])["robot"]),
    Case(LU, "IG of arm: H(D)", ENTROPY, lambda: gain("arm")),
    Case(LU, "IG of robot", IG_ROBOT, lambda: gain("robot")),
    Case(LU, "IG of news", IG_NEWS, lambda: gain("news")),
    Case(
        LU, "ITFIDF of robot in d1", 8 * LN2 * IG_ROBOT / LENGTH_D1, lambda: of_d1("robot", ig_in_norm=False)
    ),
    Case(LU, "ITFIDF of news in d1", LN43 * IG_NEWS / LENGTH_D1, lambda: of_d1("news", ig_in_norm=False)),
    Case(
        LU,
        "ITFIDF of arm in d1, IG in the norm",
        6
        * LN4
        * ENTROPY
        / math.hypot(8 * LN2 * IG_ROBOT, 6 * LN4 * ENTROPY, LN2 * (ENTROPY - 1), LN43 * IG_NEWS),
        lambda: of_d1("arm", ig_in_norm=True),
    ),
    Case(LU, "P(C): ratio", math.log((2 / 3) / (1 / 3)), lambda: ratio(0)),
    Case(
        LU, "P(t|C): ratio", math.log((4 / 7) / (1 / 7)), lambda: ratio(1)
    ),  # (1 + 3) / (3 + 4), 1 / (3 + 4)
    Case(
        LU,
        "TFC of arm in [robot arm]",
        LN3 / math.hypot(LN3, math.log(1.5)),
        lambda: tfc({"robot": 1, "arm": 1}, {"robot": math.log(1.5), "arm": LN3}, 0.0)["arm"],
    ),
    Case(  # cosines: anchor 1/sqrt(2), context 1/2
        LU,
        "JFE, cosine",
        0.5 / math.sqrt(2) + 0.5 * 0.5,
        lambda: scored("lpe", ["robot"], ["robot", "cake"], options=LpeOptions(similarity="cosine")),
    ),
    Case(  # j = .5 (1/sqrt 2) / .1 + .5 (1/2) / .2; j / (1 + j)
        LU,
        "JFE, calibrated (ours)",
        1 - 1 / (1 + 5 / math.sqrt(2) + 1.25),
        lambda: scored("lpe", ["robot"], ["robot", "cake"], midpoints=Midpoints(0.3, 0.1, 0.2)),
    ),
    Case(
        LU,
        "LPE of a relevant block",
        1 / math.sqrt(2),
        lambda: scored("lpe", ["cake"], [], ["robot"], options=LpeOptions(similarity="cosine")),
    ),
    Case(  # w_dt = tf idf IG / sqrt(sum (tf idf)^2), times log P(t|relevant) / P(t|other)
        LU,
        "P(C|d): log odds",
        0.25 + (5 * LN2 * IG_ROBOT * 1.5 - LN4 * ENTROPY * 0.5) / math.hypot(5 * LN2, LN4),
        of_lu,
    ),
    Case(LU, "F1", 2 * 0.75 * 0.6 / 1.35, lambda: ConfusionMatrix(6, 2, 4, 8).f1),
    Case(LU, "harvest rate", 3 / 4, lambda: HarvestRate.from_outcomes([True, False, True, True]).value),
    Case(LU, "target recall", 1 / 3, lambda: found_of("http://a.example/", "http://d.example/")),
    # half the mean of its pages' similarities, (.8 + .2 + .5) / 3, and half its anchor's
    Case(LU, "section 2: three pages", (0.5 + 0.6) / 2, lambda: held_by(0.8, 0.2, 0.5)),
    Case(LU, "section 2: lowered by a page", (0.45 + 0.6) / 2, lambda: held_by(0.9, 0.0)),
    Case(LU, "section 2: one page", (0.8 + 0.6) / 2, lambda: held_by(0.8)),
    Case(  # robot 2 * 2, arm 1 * 1, news 1 * .5; the page's largest tf, 2, cancels out
        BATSAKIS,
        "1, 2",
        9 / (math.sqrt(5) * math.hypot(4, 1, 0.5)),
        lambda: VsmClassifier(QUERY).relevance(page()),
    ),
    Case(
        BATSAKIS,
        "3",
        (9 / (math.sqrt(5) * math.hypot(4, 1, 0.5)) + 1 / math.sqrt(5)) / 2,
        lambda: scored(
            "best_first_content_anchor",
            ["arm"],
            vector=QUERY,
            relevance=VsmClassifier(QUERY).relevance(page()),
        ),
    ),
    Case(
        BATSAKIS,
        "4",
        (1 * 0.8 + 0.5 * 0.4) / ((1 + 0.5) * (0.8 + 0.4 + 0.6)),
        lambda: semantic_similarity(
            {"automobile": 0.8, "race": 0.4, "tree": 0.6},
            conceptual_weights(
                {"car": 1.0, "race": 0.5}, {"car": Relations(frozenset({"automobile"}), frozenset())}, 0.0
            ),
        ),
    ),
    # (.33, .42, .25) * b(., 2) = (0, .126, .2), A makes (.0956, .1452, .0852); * b(., 1): (0, .10164, .01704)
    Case(BATSAKIS, "5, 6: after C2", 0.126 * 0.6 + 0.2 * 0.1, lambda: hmm(2)),
    Case(BATSAKIS, "5, 6: after C2, C1", 0.10164 * 0.6 + 0.01704 * 0.1, lambda: hmm(2, 1)),
    Case(BATSAKIS, "5, 6: normalised, after C2", 0.0956 / 0.326, lambda: hmm(2, is_normalised=True)),
    Case(BATSAKIS, "5, 6: normalised, C2, C1", 0.062688 / 0.11868, lambda: hmm(2, 1, is_normalised=True)),
    # P(L, t+1) = (.0956, .1452, .0852); once more through A
    Case(BATSAKIS, "6: P(L0, t+2)", 0.0956 * 0.5 + 0.1452 * 0.6 + 0.0852 * 0.1, lambda: hmm(2, links=2)),
    Case(  # c_r and the page have the cosine .8
        BATSAKIS, "HMM with content", (0.0956 + 0.8) / 2, lambda: near_centroid("hmm_content", "robot")
    ),
    Case(  # c_r and the anchor .6
        BATSAKIS,
        "HMM with content and anchor",
        (0.0956 + (0.8 + 0.6) / 2) / 2,
        lambda: near_centroid("hmm_content_anchor", "robot"),
    ),
    Case(CHAKRABARTI, "Pr[c|d]", IN_A / (IN_A + IN_B), lambda: probability("a")),
    Case(CHAKRABARTI, "log R(d), a is good", math.log(IN_A / (IN_A + IN_B)), lambda: log_rd("a")),
    Case(CHAKRABARTI, "log R(d), all is good", 0.0, lambda: log_rd("a", "b")),
    Case(CHAKRABARTI, "authority of v1", (0.9 + 0.5 * X) / (1.8 + 0.5 * X), lambda: hits(True, 2)),
    Case(CHAKRABARTI, "hub of u1", 1 / (1 + X), lambda: hits(False, 0)),
    Case(  # robot twice and arm in the page, robot in the URL
        SUBATRA_DEVI,
        "Rs / (Rs + Tr)",
        (0.2 * 3 + 0.2 * 1) / (0.2 * 3 + 0.2 * 1 + 0.5),
        lambda: scored("content_link_sibling", [], options=ContentLinkSiblingOptions(limit=0.5)),
    ),
    Case(SUBATRA_DEVI, "precision", 6 / 8, lambda: ConfusionMatrix(6, 2, 4, 8).precision),
    Case(SUBATRA_DEVI, "recall", 6 / 10, lambda: ConfusionMatrix(6, 2, 4, 8).recall),
    Case(SUBATRA_DEVI, "accuracy", 14 / 20, lambda: ConfusionMatrix(6, 2, 4, 8).accuracy),
    Case(
        BADIA,
        "a facet",
        (0.5 * (1 + 0.1 * LN2) + (1 + 0.1 * LN3)) / (0.5 * (1 + 0.1 * LN2) + (1 + 0.1 * LN3) + 2.0),
        lambda: by_thesaurus("metal of steel and steel"),
    ),
    Case(  # s = .1 of the URL's words and .2 of the window; s^2 / (s^2 + .6^2)
        BADIA,
        "links and URL",
        (0.1 * IN_URL + 0.2 * 0.5) ** 2 / ((0.1 * IN_URL + 0.2 * 0.5) ** 2 + 0.36),
        lambda: rounded_up("http://rust.example/zinc", 0.5),
    ),
    Case(BADIA, "hub measure", 2 / 3, hub),  # two links; hulls, rust, docks
    Case(  # inherited .5 * .8, anchor 0, context 1/sqrt 2
        SHARKS,
        "potential",
        0.5 * (0.5 * 0.8) + 0.5 * (0.2 / math.sqrt(2)),
        lambda: scored("shark_search", ["cake"], ["robot"], relevance=0.8, is_relevant=True),
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.paper}, {case.equation}")
def test_by_hand_and_ours(case: Case) -> None:
    """They differ by no more than rounding."""
    assert case.ours() == pytest.approx(case.by_hand, rel=0, abs=1e-9)
