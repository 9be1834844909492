"""Laws that every strategy obeys."""

from __future__ import annotations

import copy
import dataclasses
import math
import pickle
import random
from collections.abc import Iterator
from functools import cache
from types import SimpleNamespace

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from focused_crawler.classify.calibration import sigmoid
from focused_crawler.classify.link_model import LinkModel
from focused_crawler.classify.midpoints import Midpoints
from focused_crawler.link_scoring.base import LONGEST_PATH, LinkScorer, Parts, splits
from focused_crawler.link_scoring.registry import ABLATIONS, STRATEGIES, create, options_of
from focused_crawler.page.model import STOP, Block, Focus, Link, Outline, Page, Sections
from focused_crawler.page.text.similarity import TopicVector
from focused_crawler.page.text.wordnet import find_wordnet
from focused_crawler.topic.thesaurus.model import Entry, Facet, Thesaurus
from tests.hmm import small_hmm
from tests.wordnet import KEYWORDS

VECTOR = TopicVector({"robot": 3.0, "arm": 2.0, "sensor": 1.0}, {"robot": 2.0, "arm": 1.5, "news": 0.5}, 1.0)
THESAURUS = Thesaurus((Facet("parts", (Entry("robots", (), (Entry("robot arm"), Entry("sensor"))),)),))
MODEL = SimpleNamespace(
    vector=VECTOR,
    midpoints=Midpoints(*[0.1] * 3),
    language="en",
    meaning=None,
    links=LinkModel({"in link robot": 1.0}),
    keywords=KEYWORDS,
    hidden_markov=cache(small_hmm),
    thesaurus=lambda: THESAURUS,
)
TERMS = st.lists(st.sampled_from(["robot", "arm", "sensor", "news", "cake", STOP]), max_size=8)


@st.composite
def pages(draw):
    """A partitioned page; a URL may stand in several links."""
    blocks = draw(st.lists(st.builds(Block, TERMS), min_size=1, max_size=4))
    link = st.builds(
        Link,
        url=st.sampled_from([f"http://example.org/{i}" for i in range(5)]),
        text=st.text(max_size=5),
        anchor=TERMS,
        context=TERMS,
        block=st.integers(0, len(blocks) - 1),
    )
    return Page(
        url="http://example.org/",
        title="",
        text="",
        sections=Sections(body=draw(TERMS)),
        outline=Outline(is_heading=False),
        blocks=blocks,
        links=draw(st.lists(link, max_size=8)),
        relevance=draw(st.floats(0, 1)),
        depth=draw(st.integers(0, 10_000)),
        is_relevant=draw(st.booleans()),
        focus=draw(st.builds(Focus, st.floats(0, 1), st.just("robots"), st.booleans())),
    )


OPTIONS = st.fixed_dictionaries(
    {
        "threshold": st.floats(0, 1),
        "beta": st.floats(0, 1),
        "similarity": st.sampled_from(["calibrated", "cosine"]),
        "site_discount": st.sampled_from([0.0, 0.5]),
    }
)
NAMES = [
    name
    for name in (*STRATEGIES, *ABLATIONS)
    if find_wordnet() is not None or not name.startswith("semantic")
]
quickly = settings(max_examples=25, deadline=None)  # a page at a time, for every strategy


def made(name: str, options: dict[str, object]) -> LinkScorer:
    """Make a strategy with those of the options that it has."""
    kind = type(options_of(name, ()))
    own = {field.name for field in dataclasses.fields(kind)}
    return create(name, MODEL, kind(**{name: value for name, value in options.items() if name in own}))


def names() -> Iterator[str]:
    """Yield all strategies: to make up a page takes longer than to score it in every way.

    The one that broke a law is the last that is noted.
    """
    for name in NAMES:
        note(f"strategy: {name}")
        yield name


@quickly
@given(page=pages(), options=OPTIONS)
def test_one_priority_a_link(page, options):
    """A priority is in [0, 1], or None: do not follow."""
    for name in names():
        scores = made(name, options).score(page, page.links)
        assert len(scores) == len(page.links)
        assert all(score is None or 0.0 <= score <= 1.0 for score in scores)


@quickly
@given(page=pages(), options=OPTIONS)
def test_same_answer_twice_and_input_unchanged(page, options):
    """Scoring has no memory and leaves the page as it was."""
    before = copy.deepcopy(page)
    for name in names():
        scorer = made(name, options)
        scores = list(scorer.score(page, page.links))
        assert list(scorer.score(page, page.links)) == scores
        assert page == before


@quickly
@given(page=pages(), options=OPTIONS)
def test_another_process_says_the_same(page, options):
    """Strategy and page can be sent away, and come to the same priorities there."""
    for name in names():
        scorer = made(name, options)
        sent, there = pickle.loads(pickle.dumps((scorer, page), pickle.HIGHEST_PROTOCOL))
        assert there == page
        assert list(sent.score(there, there.links)) == list(scorer.score(page, page.links))


@quickly
@given(page=pages(), options=OPTIONS, seed=st.integers())
def test_order_of_links_does_not_matter(page, options, seed):
    """Each link keeps its priority wherever it stands in the list."""
    order = list(range(len(page.links)))
    random.Random(seed).shuffle(order)
    for name in names():
        scorer = made(name, options)
        scores = scorer.score(page, page.links)
        shuffled = scorer.score(page, [page.links[index] for index in order])
        assert list(shuffled) == [scores[index] for index in order]


@quickly
@given(page=pages(), options=OPTIONS)
def test_a_part_of_the_links_can_be_scored(page, options):
    """No links, no priorities; the links that are left out change nothing but their own URL's best."""
    unique = list({link.url: link for link in page.links}.values())
    for name in names():
        scorer = made(name, options)
        assert list(scorer.score(page, [])) == []
        together = scorer.score(page, unique)
        assert [scorer.score(page, [link])[0] for link in unique] == list(together)


@quickly
@given(page=pages(), options=OPTIONS)
def test_learning_is_allowed_at_any_time(page, options):
    """A page may be learnt before and after it is scored; the page stays as it was."""
    before = copy.deepcopy(page)
    for name in names():
        scorer = made(name, options)
        scorer.learn(page)
        scorer.score(page, page.links)
        scorer.learn(page)
        assert page == before


@quickly
@given(fetched=st.lists(pages(), max_size=4), page=pages(), options=OPTIONS)
def test_what_was_learnt_outlives_the_crawl(fetched, page, options):
    """A strategy that is given back what it had learnt goes on as if it had never stopped."""
    for name in names():
        scorer = made(name, options)
        for earlier in fetched:
            scorer.learn(earlier)
        resumed = made(name, options)
        memory = scorer.memory()
        if memory is not None:
            resumed.remember(memory)
            assert resumed.memory() == memory
        scorer.learn(page)
        resumed.learn(page)
        assert list(resumed.score(page, page.links)) == list(scorer.score(page, page.links))


@quickly
@given(fetched=st.lists(pages(), max_size=4), page=pages(), options=OPTIONS, is_seed=st.booleans())
def test_lessons_say_all_that_is_learnt(fetched, page, options, is_seed):
    """Who is told what each page taught scores as who read them."""
    for name in names():
        here, there = (made(name, options) for _ in range(2))
        if not hasattr(here, "lesson"):
            assert not splits(here)
            continue
        for earlier in fetched:
            earlier.depth = 0 if is_seed else earlier.depth
            features = here.features(earlier, earlier.links)
            here.learn_from(features)
            here.score_from(features)
            if lesson := here.lesson(features):
                there.learn_lesson(lesson)
        assert there.memory() == here.memory()
        features = here.features(page, page.links)
        assert there.score_from(features) == here.score_from(features)


@pytest.mark.parametrize("name", [name for name in NAMES if hasattr(made(name, {}), "lesson")])
def test_a_damaged_lesson(name):
    """Is none, in one line."""
    with pytest.raises(ValueError):  # noqa: PT011 - whatever it is that numpy, struct or json says
        made(name, {}).learn_lesson(b"none")


@quickly
@given(fetched=st.lists(pages(), max_size=4), options=OPTIONS, is_seed=st.booleans())
def test_features_say_all_that_is_learnt_and_scored(fetched, options, is_seed):
    """What another process finds out about pages is enough: same scores, same memory."""
    for name in names():
        here, there, reader = (made(name, options) for _ in range(3))
        if not splits(here):
            continue
        for page in fetched:
            page.depth = 0 if is_seed else page.depth
            here.learn(page)
            sent = pickle.dumps(reader.features(page, page.links), pickle.HIGHEST_PROTOCOL)
            there.learn_from(pickle.loads(sent))
            assert list(there.score_from(pickle.loads(sent))) == list(here.score(page, page.links))
        assert there.memory() == here.memory()


@pytest.mark.parametrize("name", NAMES)
def test_who_learns_has_features(name):
    """But for the control, which shows other strategies pages, as these may need them."""
    learns = made(name, {}).memory() is not None
    assert splits(made(name, {})) is (learns and name != "shuffled")


@quickly
@given(page=pages(), options=OPTIONS)
def test_what_links_carry_is_short(page, options):
    """The frontier keeps it with every URL."""
    for name in names():
        path = made(name, options).path(page)
        assert path is None or len(path) <= LONGEST_PATH


@pytest.mark.parametrize("name", NAMES)
def test_a_foreign_memory_is_refused(name):
    """What is in a crawl's file need not be this strategy's: ValueError, and the crawl ends in one line."""
    scorer = made(name, {})
    if scorer.memory() is None:
        scorer.remember(b"anything")  # nothing is learnt, nothing is read
    else:
        with pytest.raises(ValueError, match=r"."):
            scorer.remember(b"\xffnot ours")


@quickly
@given(
    fetched=st.lists(pages(), max_size=2),
    page=pages(),
    options=OPTIONS,
    soft=st.sampled_from(["page", "links"]),
)
def test_parts_make_the_priority(fetched, page, options, soft):
    """What is shown to a reader is what the crawl goes by: the formula gives the priority of each link."""
    for name in names():
        scorer = made(name, {**options, "soft": soft})
        for earlier in [*fetched, page]:
            scorer.learn(earlier)
        for link, score in zip(page.links, scorer.score(page, page.links), strict=True):
            parts = scorer.parts(page, link)
            assert worked_out(parts) == (None if score is None else pytest.approx(score, abs=1e-9))
            assert all(map(math.isfinite, parts.values.values()))  # JSON has no other numbers


def worked_out(parts: Parts) -> float | None:
    for value, addends in parts.sums.items():
        assert sum(addends.values()) == pytest.approx(parts.values[value], abs=1e-9)
    functions = {"__builtins__": {}, "max": max, "sqrt": math.sqrt, "sigmoid": sigmoid}
    return eval(parts.formula, functions, dict(parts.values))
