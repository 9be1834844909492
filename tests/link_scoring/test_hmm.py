"""The HMM crawlers: what they say of a page and the path to it."""

from __future__ import annotations

import struct
from dataclasses import replace
from types import SimpleNamespace

import pytest

from focused_crawler.classify.midpoints import Midpoints
from focused_crawler.link_scoring.hmm import HmmOptions
from focused_crawler.link_scoring.registry import create
from focused_crawler.page.model import Link
from focused_crawler.page.text.idf import TermStatistics
from focused_crawler.page.text.similarity import TopicVector
from tests.cosine import cosine
from tests.hmm import WORDS, page, small_hmm

HMM = small_hmm()
MODEL = SimpleNamespace(
    vector=TopicVector({}, {}, 1.0), midpoints=Midpoints(*[0.1] * 3), hidden_markov=lambda: HMM
)
LINKS = [Link("http://a.example/", "", anchor, [], 0) for anchor in (["robot"], ["cake"], [])]
OPTIONS = HmmOptions(neighbours=1)


def scores(name, found, options=OPTIONS):
    return list(create(name, MODEL, options).score(found, LINKS))


def ahead(clusters, *, is_normalised=False):
    """P(L0, t+1) after a path of these clusters, by hmmlearn's matrices and Eq. 5 and 6."""
    levels = HMM.chain.startprob_
    for cluster in clusters:
        levels = (levels @ HMM.chain.transmat_) * HMM.chain.emissionprob_[:, cluster]
        levels = levels / levels.sum() if is_normalised else levels
    return (levels @ HMM.chain.transmat_)[0]


def test_hmm_is_the_probability_that_a_relevant_page_follows():
    """The same for all links of a page."""
    hub = HMM.clusters.nearest({"link": 1.0}, 1)
    assert scores("hmm", page(WORDS["hub"])) == pytest.approx([ahead([hub])] * 3)
    normalised = replace(OPTIONS, normalise=True)
    expected = [ahead([hub], is_normalised=True)] * 3
    assert scores("hmm", page(WORDS["hub"]), normalised) == pytest.approx(expected)


def test_the_path_counts():
    """What a page's links carry goes on where the page stood."""
    scorer = create("hmm", MODEL, OPTIONS)
    first, second = page(WORDS["hub"]), page(WORDS["robot"])
    second.path = scorer.path(first)
    hub = HMM.clusters.nearest({"link": 1.0}, 1)
    assert scorer.score(second, LINKS)[0] == pytest.approx(ahead([hub, 0]))
    second.path = None
    assert scorer.score(second, LINKS)[0] == pytest.approx(ahead([0]))


def test_a_path_takes_a_number_a_level():
    """Whichever variant: the similarity of a page is its own affair."""
    for name in ("hmm", "hmm_content", "hmm_content_anchor"):
        assert len(create(name, MODEL, OPTIONS).path(page("robot"))) == 4 * 8


def test_content_and_anchor_are_compared_with_the_centroid():
    """The mean of hmm and the cosine of Eq. 1; with anchors, of hmm and the mean of both cosines."""
    statistics = TermStatistics.for_language("en")
    found, centroid = page("robot cake cake"), HMM.clusters.centroid.weights
    content = cosine({"robot": statistics.idf("robot"), "cake": 2 * statistics.idf("cake")}, centroid)
    anchor = cosine({"robot": 1.0}, centroid)
    (plain, *_) = scores("hmm", found)
    assert scores("hmm_content", found) == pytest.approx([(plain + content) / 2] * 3)
    expected = [(plain + (content + similarity) / 2) / 2 for similarity in (anchor, 0, 0)]
    assert scores("hmm_content_anchor", found) == pytest.approx(expected)
    assert 0 < content < anchor < 1


def test_levels_shrink_along_a_path():
    """Eq. 5 as printed multiplies probabilities; normalised, they do not."""
    normalised = replace(OPTIONS, normalise=True)
    for options, is_shrinking in ((OPTIONS, True), (normalised, False)):
        scorer, found = create("hmm", MODEL, options), page(WORDS["robot"])
        priorities = []
        for _ in range(10):
            priorities.append(scorer.score(found, LINKS)[0])
            found = replace(found, path=scorer.path(found))
        assert (priorities[-1] < priorities[0] / 100) == is_shrinking


def test_each_page_is_looked_up_once(monkeypatch):
    """`path` is asked right after `score`."""
    seen = []
    nearest = type(HMM.clusters).nearest
    monkeypatch.setattr(type(HMM.clusters), "nearest", lambda *args: seen.append(args) or nearest(*args))
    scorer, found = create("hmm_content_anchor", MODEL, OPTIONS), page("robot")
    scorer.score(found, LINKS)
    scorer.path(found)
    assert len(seen) == 1


@pytest.mark.parametrize("is_first_robot", [True, False])
def test_ties_are_ordered_two_links_ahead(is_first_robot):
    """Of a robot page and a hub linked from a root the hub may lead further; whichever comes first, or in
    a later run. The other two strategies have P(L0, t+1) as it is.
    """
    options = HmmOptions(neighbours=1, epsilon=0.01)
    path = create("hmm", MODEL, options).path(page(WORDS["root"]))
    robot, hub = (replace(page(WORDS[name]), path=path) for name in ("robot", "hub"))
    root, near, far = (HMM.clusters.nearest({word: 1.0}, 1) for word in ("menu", "arm", "link"))
    assert ahead([root, near]) == pytest.approx(0.033832, abs=1e-6)  # P(L0, t+2) is .031725
    assert ahead([root, far]) == pytest.approx(0.032792, abs=1e-6)  # and .032763
    scorer, later = create("hmm", MODEL, options), create("hmm", MODEL, options)
    first, second = (robot, hub) if is_first_robot else (hub, robot)
    scorer.learn(first)
    given = scorer.score(first, LINKS)[0]
    assert given == pytest.approx(ahead([root, near if is_first_robot else far]))
    later.remember(scorer.memory())
    assert later.score(first, LINKS)[0] == given
    assert (later.score(second, LINKS)[0] > given) == is_first_robot
    assert scores("hmm_content", robot, options) == scores("hmm_content", robot, OPTIONS)


@pytest.mark.parametrize("memory", [b"x", struct.pack("<3d", 0.5, 2.0, 0.5), struct.pack("<d", 0.5)])
def test_memory_that_is_none(memory):
    """It comes from a file."""
    with pytest.raises(ValueError, match=r"buffer|reshape|no probabilities"):
        create("hmm", MODEL, OPTIONS).remember(memory)
