from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.crawl.measures import HarvestRate

OUTCOMES = st.lists(st.booleans(), min_size=1, max_size=300)


@given(OUTCOMES)
def test_harvest_rate_is_the_share_of_relevant_pages(pages):
    """Whatever the order of pages, the rate is a plain share."""
    rate = HarvestRate()
    for relevant in pages:
        rate.record(relevant=relevant)
    assert rate.value == sum(pages) / len(pages)
    assert (rate.pages, rate.relevant) == (len(pages), sum(pages))


@given(OUTCOMES, st.integers(1, 50))
def test_a_window_forgets_older_pages(pages, size):
    """The moving rate is the share among the last pages, and nothing else."""
    rate = HarvestRate(windows=(size,))
    for relevant in pages:
        rate.record(relevant=relevant)
    assert rate.over_last(size) == pytest.approx(sum(pages[-size:]) / len(pages[-size:]))


@given(OUTCOMES, st.integers(0, 300))
def test_a_resumed_rate_goes_on_as_if_never_stopped(pages, cut):
    """Restoring from the pages recorded so far changes no later number."""
    resumed = HarvestRate.from_outcomes(pages[:cut])
    for relevant in pages[cut:]:
        resumed.record(relevant=relevant)
    whole = HarvestRate.from_outcomes(pages)
    assert [resumed.value, *map(resumed.over_last, (100, 1000))] == [
        whole.value,
        *map(whole.over_last, (100, 1000)),
    ]


def test_before_the_first_page_the_rate_is_zero():
    """Nothing fetched is no division by zero."""
    assert (HarvestRate().value, HarvestRate().over_last(1000)) == (0.0, 0.0)
