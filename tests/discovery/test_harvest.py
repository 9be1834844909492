"""Searches are asked one by one, and what fails does not cost what was found."""

from __future__ import annotations

import pytest

from focused_crawler.discovery.harvest import FILE_NAME, MOST_FAILURES, Answers, harvest
from tests.discovery.shelf import OutOfOrder, Shelf, fill


@pytest.fixture
def folder(tmp_path):
    return fill(tmp_path, a__1="rust on a hull", a__2="rust rust hull", b__1="hull of a ship")


def test_each_search_gives_its_best_results(folder):
    """No more than were asked for."""
    found = harvest(Shelf(folder), ["rust hull", "ship", "nothing there"], 1)
    assert [(answer.query, [result.url for result in answer.results]) for answer in found.answers] == [
        ("rust hull", ["https://a.example/2"]),
        ("ship", ["https://b.example/1"]),
        ("nothing there", []),
    ]
    assert (found.failures, found.ended) == ([], "")


def test_a_search_without_an_answer_is_passed_over(folder):
    """And told."""
    found = harvest(OutOfOrder(folder, {"ship"}), ["rust hull", "ship", "hull"], 5)
    assert [answer.query for answer in found.answers] == ["rust hull", "hull"]
    assert (found.failures, found.ended) == ([("ship", "no shelf for ship")], "")


def test_a_final_error_ends_it_with_what_was_found(folder):
    """A key that is refused is refused for all words."""
    provider = OutOfOrder(folder, set(), final={"ship"})
    found = harvest(provider, ["rust hull", "ship", "hull"], 5)
    assert [answer.query for answer in found.answers] == ["rust hull"]
    assert found.ended == "no shelf for ship"
    assert provider.asked == ["rust hull", "ship"]


def test_errors_in_succession_end_it_too(folder):
    """A provider that is down is not asked thirty times; single errors may be as many as they like."""
    searches = [f"x{number}" for number in range(20)]
    provider = OutOfOrder(folder, set(searches))
    assert harvest(provider, searches, 5).ended == f"no shelf for x{MOST_FAILURES - 1}"
    assert len(provider.asked) == MOST_FAILURES
    every_other = OutOfOrder(folder, set(searches[::2]))
    found = harvest(every_other, searches, 5)
    assert (len(found.failures), len(found.answers), found.ended) == (10, 10, "")


def test_a_harvest_goes_on_where_it_was_broken_off(folder):
    """What was answered earlier today is neither asked nor paid for again, and costs no pause."""
    first = OutOfOrder(folder, set(), final={"hull"})
    harvest(first, ["rust hull", "ship", "hull"], 5, Answers(folder / FILE_NAME, "shelf"))
    again = Shelf(folder)
    found = harvest(again, ["rust hull", "ship", "hull"], 5, Answers(folder / FILE_NAME, "shelf"))
    assert again.asked == ["hull"]
    assert [answer.is_cached for answer in found.answers] == [True, True, False]
    assert found.answers[0].results[0].url == "https://a.example/2"
