"""A part of Scrapy's own tests with a topic beside; all: `python -m tests.conformance.scrapy_tests`."""

from __future__ import annotations

import pytest

from tests.conformance.scrapy_tests import NotToBeHad, fetch, known, run, unknown

PART = (
    "test_scheduler.py",
    "test_closespider.py",
    "test_dupefilters.py",
    "test_downloadermiddleware_offsite.py",
    "test_downloadermiddleware_retry.py",
    "test_spidermiddleware_httperror.py",
    "test_spidermiddleware_depth.py",
    "test_request_attribute_binding.py",
)


@pytest.mark.slow
def test_scrapys_own_tests_end_as_without_us() -> None:
    """All pass without us, and with us but for those that ask for what the add-on is for."""
    try:
        folder = fetch()
    except NotToBeHad as error:
        pytest.skip(f"Scrapy's own tests cannot be had here: {error}")
    ours = run(folder, "topic", PART)
    assert sum(outcome == "passed" for outcome in ours.values()) > 100
    failed = [name for name, outcome in ours.items() if outcome == "failed"]
    assert unknown(failed, known("topic")) == []
