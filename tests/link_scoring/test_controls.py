"""Random and shuffled order: what a bench must find worthless."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.classify.link_model import LinkModel
from focused_crawler.classify.midpoints import Midpoints
from focused_crawler.link_scoring.baselines import share_of
from focused_crawler.link_scoring.registry import create, options_of, scored_by
from focused_crawler.link_scoring.shuffled import POOL
from focused_crawler.link_scoring.strategy import StrategyOptions
from focused_crawler.page.model import Link, Outline, Page, Sections
from focused_crawler.page.text.similarity import TopicVector
from focused_crawler.safety.errors import ConfigError

VECTOR = TopicVector({"robot": 1.0}, {}, 1.0)
MODEL = SimpleNamespace(
    vector=VECTOR,
    midpoints=Midpoints(*[0.25] * 3),
    links=LinkModel({}),
    meaning=None,
    language="en",
    keywords=("robot",),
)
URLS = [f"http://example.org/{number}" for number in range(2000)]
MINE = {"mine": f"{__name__}.Third", "bare": f"{__name__}.Bare"}


class Bare:
    """What every strategy must have: it scores URLs by their number, but follows only each second."""

    def __init__(self, *_):
        self.learnt = 0

    def score(self, page, links):
        numbers = (int(link.url.rpartition("/")[2]) for link in links)
        return [None if number % 2 else number / len(URLS) for number in numbers]

    def learn(self, page):
        self.learnt += 1


class Third(Bare):
    """It has three scores, and more to say."""

    def score(self, page, links):
        return [0.25 * (int(link.url.rpartition("/")[2]) % 3) for link in links]

    def path(self, page):
        return b"way"

    def memory(self):
        return b"%d pages" % self.learnt

    def remember(self, memory):
        self.learnt = int(memory.partition(b" ")[0])


def page(relevance, urls):
    links = [Link(url, "", [], [], 0) for url in urls]
    return Page("http://example.org/", "", "", Sections(), Outline(False), links=links, relevance=relevance)


def scored(scorer, relevance=0.0, urls=URLS):
    shown = page(relevance, urls)
    return list(scorer.score(shown, shown.links))


def shuffled(name="mine", pages=1):
    """Return it after pages that hold all URLs."""
    scorer = create(f"shuffled:{name}", MODEL, None, MINE)
    for _ in range(pages):
        scorer.learn(page(0.5, URLS))
    return scorer


@pytest.mark.parametrize("name", ["random", "shuffled", "shuffled:lpe"])
def test_the_seed_decides(name):
    """The same seed, the same order; another seed, another."""

    def order(seed):
        return scored(create(name, MODEL, type(options_of(name, ()))(random_seed=seed)))

    assert order(1) == order(1) != order(2)


@pytest.mark.parametrize("name", ["random", "shuffled"])
def test_a_url_has_the_same_priority_wherever_it_stands(name):
    """So meeting it again, on whatever page, lifts nothing; nor does another way to write the same page."""
    scorer = create(name, MODEL)
    assert scored(scorer, 0.1) == scored(scorer, 0.9)
    assert share_of("http://www.example.org/a/", 0) == share_of("https://example.org/a", 0)


def test_unfocused_goes_by_a_hash_alone():
    """Chakrabarti et al. 1999, section 5.2: no page, server or setting has a say. Not that of random."""
    scores = scored(create("unfocused", MODEL), 0.1)
    assert scores == scored(create("unfocused", MODEL, StrategyOptions(threshold=0.9)), 0.9)
    assert len(set(scores)) == len(URLS)
    assert sorted(URLS, key=dict(zip(URLS, scores, strict=True)).__getitem__) != sorted(
        URLS, key=dict(zip(URLS, scored(create("random", MODEL)), strict=True)).__getitem__
    )


def test_random_is_even():
    """Each tenth of [0, 1) has its tenth of the URLs."""
    tenths = [int(share_of(url, 0) * 10) for url in URLS]
    assert all(150 < tenths.count(tenth) < 250 for tenth in range(10))


@given(st.text(), st.integers())
def test_random_is_a_share(url, seed):
    """Whatever the URL and the seed."""
    assert 0.0 <= share_of(url, seed) < 1.0


def test_shuffled_is_not_the_random_order():
    """They are two controls."""
    one, other = (create(name, MODEL) for name in ("random", "shuffled"))
    ranks = [sorted(range(len(URLS)), key=scored(scorer).__getitem__) for scorer in (one, other)]
    assert ranks[0] != ranks[1]
    assert len(set(ranks[0][:200]) & set(ranks[1][:200])) < 50


def test_real_scores_are_dealt_out():
    """As many URLs have each of three equal scores as had it before, and not the same URLs."""
    found = scored(shuffled())
    assert {round(rank, 2): found.count(rank) // 100 for rank in set(found)} == {0.17: 6, 0.5: 6, 0.83: 6}
    same = sum(round(3 * rank - 0.5) == number % 3 for number, rank in enumerate(found))
    assert 0.28 < same / len(URLS) < 0.38


def test_what_was_not_followed_is_dealt_out_last():
    """Half of the URLs share the lowest place, the others have each one of its own."""
    found = scored(shuffled("bare"))
    lowest = found.count(min(found))
    assert 900 < lowest < 1100
    assert min(found) == 0.25
    assert all(rank > 0.5 for rank in found if rank > 0.25)
    assert len(set(found)) > 600


def test_early_scores_are_worth_no_more_than_late_ones():
    """They are high while a crawl is near its seeds: a rank says nothing of when a link was met."""
    scorer = create("shuffled:best_first_content", MODEL)
    early = []
    for relevance in (0.9, 0.5, 0.1):
        scorer.learn(page(relevance, URLS))
        early.append(sum(scored(scorer)) / len(URLS))
    assert early == pytest.approx([0.5, 0.5, 0.5], abs=0.02)


def test_the_strategy_goes_on_as_ever():
    """It learns from each page once, and what it notes for pages is noted; what it has not, is not there."""
    scorer = shuffled(pages=3)
    assert scorer.path(page(0.5, [])) == b"way"
    assert not hasattr(scorer, "paths")
    assert not hasattr(shuffled("bare"), "path")
    assert scorer.memory().endswith(b"3 pages")


@pytest.mark.parametrize("name", ["mine", "bare"])
def test_what_was_dealt_out_and_learnt_is_remembered(name):
    """The pool is bounded, and a crawl that goes on has the same."""
    scorer, resumed = shuffled(name, pages=3), shuffled(name, pages=0)
    resumed.remember(scorer.memory())
    assert scored(resumed) == scored(scorer)
    assert resumed.memory() == scorer.memory()
    assert 8 * POOL < len(scorer.memory()) < 8 * POOL + 20


@pytest.mark.parametrize("memory", [b"", b"\xff" * 8, b"\1" + bytes(7), b"\1" + bytes(13) + b"\xff\x7f"])
def test_a_damaged_pool_is_refused(memory):
    """None, too many, too few scores, or such as none can be."""
    with pytest.raises(ValueError, match=r"."):
        shuffled().remember(memory)


def test_which_strategy_is_shuffled():
    """That after the colon, with its own options; alone, the default one; a user's, too."""
    assert [scored_by(name) for name in ("shuffled:lpe", "shuffled", "lpe")] == [
        "lpe",
        "link_classifier",
        "lpe",
    ]
    assert type(options_of("shuffled:lpe", ())) is type(options_of("lpe", ()))
    assert type(options_of("shuffled:mine", (), MINE)) is StrategyOptions
    both = [create(name, MODEL) for name in ("shuffled", "shuffled:link_classifier")]
    for scorer in both:
        scorer.learn(page(0.5, URLS))
    assert scored(both[0]) == scored(both[1])


@pytest.mark.parametrize(
    "name", ["shuffled:lep", "shuffled:", "shuffled:shuffled", "shuffled:shuffled:lpe", "lpe:x"]
)
def test_a_wrong_name_says_what_to_type(name):
    """In one line."""
    with pytest.raises(
        ConfigError,
        match=r"^no strategy is called '.*'; (did you mean .*\? Else )?use one of .*, mine, or",
    ) as error:
        create(name, MODEL, None, {"mine": MINE["mine"]})
    assert str(error.value).endswith(", or shuffled: before one of these")


def test_a_users_class_that_cannot_be_made_is_named():
    """By its own name, as it is where it is not shuffled."""
    with pytest.raises(ConfigError, match=r"names 'builtins\.object' for 'none', which is no link scorer"):
        create("shuffled:none", MODEL, None, {"none": "builtins.object"})
