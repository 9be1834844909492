from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.discovery.page_views import PageView
from focused_crawler.safety.errors import ConfigError
from focused_crawler.store.item import PageItem
from focused_crawler.store.page_table import ORDERS
from focused_crawler.store.pages import PageStore
from focused_crawler.topic.label import Label
from focused_crawler.topic.labels import Labels

ASKED = {
    "words": st.sampled_from(["", "honey", '"wild bees" -wasps']),
    "relevant": st.sampled_from(["", "yes", "no"]),
    "label": st.sampled_from(["", "yes", "no", "unsure", "any", "none"]),
    "host": st.sampled_from(["", "a.example", "localhost:8000"]),
    "depth": st.sampled_from(["", "0", "17"]),
    "low": st.one_of(st.just(""), st.floats(0, 1).map(str)),
    "high": st.one_of(st.just(""), st.floats(0, 1).map(str)),
    "order": st.sampled_from(["", *ORDERS]),
}


@given(st.fixed_dictionaries(ASKED))
def test_an_address_says_the_whole_view(asked):
    """Whatever is asked for: what a view says of itself asks for the same."""
    view = PageView.read(asked)
    assert view.given == {name: value for name, value in asked.items() if value}
    assert PageView.read(view.given) == view


@pytest.mark.parametrize(
    ("field", "value", "cure"),
    [
        ("relevant", "maybe", "use one of yes, no"),
        ("label", "<b>", "use one of yes, no, unsure, any, none"),
        ("order", "size", "use one of newest, oldest, relevance, doubt, host, depth, best"),
        ("order", "best", "no words are given"),
        ("depth", "-1", "use the number of links from a start page"),
        ("depth", "²", "use the number of links from a start page"),
        ("depth", "9" * 30, "use the number of links from a start page"),
        ("depth", "9" * 5_000, "use the number of links from a start page"),
        ("low", "nan", "use a relevance from 0 to 1, as in low=0.5"),
        ("high", "1.01", "use a relevance from 0 to 1, as in high=0.5"),
        ("high", "x" * 9999, "use a relevance from 0 to 1, as in high=0.5"),
    ],
)
def test_what_nobody_can_ask_for(field, value, cure):
    """It ends in a line that says what can be."""
    with pytest.raises(ConfigError, match=f"^{field} is .*{cure}") as raised:
        PageView.read({field: value})
    assert len(str(raised.value)) < 300


@pytest.mark.parametrize(
    ("typed", "host"),
    [
        (" WWW.A.example. ", "www.a.example"),
        ("https://www.a.example/bees?x=1", "www.a.example"),
        ("a.example/", "a.example"),
    ],
)
def test_a_host_may_be_copied_from_an_address(typed, host):
    assert PageView.read({"host": typed}).host == host


def test_labels_choose_pages(database):
    """By what most people say; none of a page that nobody labelled, and of one whose label was taken back."""
    store = PageStore(database)
    for number in range(8):
        store.record_page(
            PageItem(
                url=f"http://a.example/{number}", fetched_at=1.0, relevance=number / 8, is_relevant=number > 3
            )
        )
    said = [
        (0, "yes", "Ana"),
        (1, "no", "Ana"),
        (2, "unsure", "Ana"),
        (3, "yes", "Ana"),
        (3, "no", "Bo"),
        (9, "no", "Bo"),
    ]
    labels = Labels(
        tuple(
            Label(url=f"http://a.example/{page}", label=label, by=by, queue="page")
            for page, label, by in said
        )
    )

    def shown(found=None, **asked):
        table = PageView.read(asked).table(database, labels, found)
        return [int(page.url[-1]) for page in table.screen().rows]

    expected = {"yes": [0], "no": [1], "unsure": [2, 3], "any": [0, 1, 2, 3], "none": [4, 5, 6, 7]}
    assert {label: shown(label=label, order="oldest") for label in expected} == expected
    assert shown(label="none", relevant="yes", low="0.6") == [7, 6, 5]
    assert shown([8, 2, 5, 6], words="bees") == [7, 1, 4, 5]
    assert shown([8, 2, 5, 6], words="bees", order="relevance", label="none") == [7, 5, 4]
    assert shown([], words="bees") == []
