"""The benchmark of matching measures what it says."""

from __future__ import annotations

import random

from benchmarks.thesaurus import cost, count_by_loop, sampled_keys
from focused_crawler.page.model import Outline, Page, Sections
from focused_crawler.topic.thesaurus.scoring import Matcher

WORDS = [f"w{number}" for number in range(40)]


def pages(count):
    chance = random.Random(3)
    bodies = [chance.choices([*WORDS, ""], k=120) for _ in range(count)]
    return [Page("https://x.example/", "", "", Sections(body=body), Outline(False)) for body in bodies]


def test_wordings_are_drawn_from_pages():
    """Each once, beginning and ending with a word."""
    keys = sampled_keys(pages(5), 200, random.Random(1))
    assert len(keys) == len(set(keys)) == 200
    assert all(key[0] and key[-1] and len(key) <= 3 for key in keys)


def test_the_loop_finds_what_the_matcher_finds():
    """It does the same work; what is found within a longer wording comes on top."""
    keys = sampled_keys(pages(5), 200, random.Random(1))
    for page in pages(3):
        matched = {keys[number] for number in Matcher(keys).count(page.sections.body)[0]}
        assert matched <= count_by_loop(keys, [page.sections.body]).keys()
    assert count_by_loop([("a",), ("b", "a")], [["b", "a"], ["a"]]) == {("a",): 2, ("b", "a"): 1}


def test_all_ways_are_timed():
    """With a small thesaurus and a larger one."""
    keys = sampled_keys(pages(5), 200, random.Random(1))
    found = [cost(pages(20), keys[:size]) for size in (50, 200)]
    assert all(value > 0 for line in found for value in line.values())
    assert [line["entries"] for line in found] == [50, 200]
