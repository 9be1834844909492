"""Which pages to label: strata by host and relevance, more of those that are large and unsure."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.crawl.judged import Judged, LabelSet, estimate
from focused_crawler.crawl.label_sample import spread

CHANCE = np.random.default_rng(7)


def judged(relevance, host):
    relevance = np.array(relevance, dtype=float)
    return Judged(relevance, relevance >= 0.5, np.array(host, dtype=np.intp))


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(0, 30)), max_size=60), st.data())
def test_each_page_comes_once_and_those_of_a_kind_by_chance(pages, data):
    """Whatever was drawn before, which does not come again."""
    crawl = judged([one for one, _ in pages], [host for _, host in pages])
    order = data.draw(st.permutations(range(len(pages))))
    drawn = data.draw(st.sets(st.sampled_from(range(len(pages))))) if pages else set()
    found = list(spread(crawl, order, drawn))
    assert sorted([*found, *drawn]) == list(range(len(pages)))
    place = {page: number for number, page in enumerate(order)}
    same = [page for page in found if pages[page] == pages[found[0]]] if found else []
    assert same == sorted(same, key=place.__getitem__)


def test_what_is_drawn_counts_for_its_kind():
    """After ten pages of one of two equal hosts it is the other's turn."""
    crawl = judged([0.3] * 40, [0] * 20 + [1] * 20)
    found = list(spread(crawl, range(40), set(range(10))))
    assert set(found[:9]) <= set(range(20, 40))


def test_it_tells_more_than_as_many_pages_at_random():
    """On crawls whose hosts are about the topic, or not, or mixed: the interval is narrower, and holds."""
    widths, held = [], []
    for _ in range(12):
        host = np.repeat(np.arange(8), 50)
        share = CHANCE.choice([0.02, 0.5, 0.98], 8)[host]
        truth = CHANCE.random(400) < share
        relevance = np.clip(np.where(truth, 0.7, 0.3) + CHANCE.normal(0, 0.2, 400), 0.01, 0.99)
        crawl, order = judged(relevance, host), CHANCE.permutation(400)
        both = []
        for pages in (order, np.array(list(spread(crawl, order.tolist(), ())))):
            index = pages[:40]
            found = estimate(crawl, LabelSet(index, truth[index], np.ones(40, dtype=bool))).harvest_rate
            both.append(found.high - found.low)
            held.append(found.low <= truth.mean() <= found.high)
        widths.append(both)
    at_random, chosen = np.mean(widths, axis=0)
    assert chosen < 0.95 * at_random
    assert np.mean(held) > 0.8
