"""Scrapy's command `settings`, with ours."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("--get FOCUSED_PAGES", "0"),
        ("--get FOCUSED_PAGES -s FOCUSED_PAGES=7", "7"),
        ("--get BOT_NAME", "focused_crawler"),
    ],
)
def test_a_value_is_that_of_a_crawl(scrapy, words, value):
    """A setting that nobody has set has its default; it was None."""
    done = scrapy.run("settings", *words.split())
    assert (done.code, done.out) == (0, f"{value}\n")


@pytest.mark.parametrize("words", ["", "FOCUSED_PAGES", "--get FOCUSED_PAGEZ"])
def test_what_names_no_setting_is_refused(scrapy, words):
    """In one line; it printed nothing, or None, and all seemed well."""
    done = scrapy.run("settings", *words.split())
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert "FOCUSED_PAGES" in done.err
