"""Sessions that nobody browsed."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.discovery.sessions import LINKS, WALKS, derive_sessions
from focused_crawler.virtualweb.graph import LinkGraph

NAMES = [f"http://{number}.example/" for number in range(12)]


@st.composite
def graphs(draw):
    size = draw(st.integers(1, 12))
    numbers = st.integers(0, size - 1)
    rows = draw(st.lists(st.lists(numbers, max_size=5), min_size=size, max_size=size))
    return LinkGraph.of(rows), draw(st.lists(numbers, min_size=1, max_size=4, unique=True))


@given(graphs(), st.integers(0, 3))
def test_sessions_follow_links_and_end_in_examples(found, seed):
    """No page twice, examples relevant, others as judged; the same seed walks the same ways."""
    graph, examples = found
    sessions = derive_sessions(graph, examples, lambda page: page % 2 == 0, NAMES, seed)
    assert sessions == derive_sessions(graph, examples, lambda page: page % 2 == 0, NAMES, seed)
    for session in sessions:
        pages = [NAMES.index(url) for url in session.urls]
        assert pages[-1] in examples
        assert len(set(pages)) == len(pages) <= LINKS + 1
        assert all(target in graph.out(source) for source, target in pairwise(pages))
        assert session.relevant == tuple(page in examples or page % 2 == 0 for page in pages)
    ends = Counter(session.urls[-1] for session in sessions)
    assert set(ends) == {NAMES[example] for example in examples}
    assert max(ends.values()) <= WALKS


def test_each_page_is_judged_once():
    """To judge a page may mean to read it; examples need no judging."""
    asked = Counter()

    def judge(page):
        asked[page] += 1
        return False

    derive_sessions(LinkGraph.of([[1], [2], [3], []]), [2, 3], judge, NAMES)
    assert asked == {0: 1, 1: 1}


def test_an_example_that_no_link_leads_to_is_a_session():
    """It still says what relevant pages look like."""
    (session,) = derive_sessions(LinkGraph.of([[], []]), [1], bool, NAMES)
    assert session.urls == (NAMES[1],)
