"""A topic's own query, in Lucene's syntax."""

from __future__ import annotations

import pickle
import time

import pytest

from focused_crawler.classify.rules import MISS, RulesClassifier
from focused_crawler.page.model import Page
from focused_crawler.page.parser import parse_page
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.topic.query import query_problem

HTML = (
    b"<title>Bees of the Alps</title><p>Honey bees and bumble\nbees; the Queen's hive. C++ and \xe7\x8c\xab"
)
PAGE = parse_page(HTML, "http://example.org/garden/bees-2026.html", Analyzer("en"), "utf-8")


@pytest.mark.parametrize(
    ("query", "holds"),
    [
        ("honey", True),
        ("HONEY", True),
        ("hon", False),
        ("hon*", True),
        ("title:honey", False),
        ("title:bees", True),
        ("url:garden", True),
        ("body:garden", False),
        ('"bumble bees"', True),
        ('"bees bumble"', False),
        ("/bumble\\s+b[aeiou]+s/", True),
        ("title:(alps OR andes)", True),
        ("title:(alps AND andes)", False),
        ("bees AND NOT wasps", True),
        ("bees AND NOT honey", False),
        ("wasps honey", True),
        ("+honey wasps", True),
        ("+honey -hive", False),
        ("honey -hive", False),
        ("NOT wasps", True),
        ("wasps OR (honey AND NOT (wax OR hornet))", True),
        ('"C++"', True),
        ("猫", True),
    ],
)
def test_a_query_holds_or_not(query: str, holds: bool) -> None:
    judge = RulesClassifier(query)
    assert (judge.relevance(PAGE) == 1.0) is holds
    assert pickle.loads(pickle.dumps(judge)).relevance(PAGE) == judge.relevance(PAGE)


def test_a_near_miss_comes_before_a_far_one() -> None:
    """By the share of what has to hold, and never as far as what holds."""
    queries = (
        "wasps AND hornets",
        "bees AND wasps AND hornets",
        "bees AND honey AND wasps",
        "bees AND honey",
    )
    relevances = [RulesClassifier(query).relevance(PAGE) for query in queries]
    assert relevances == [0.0, pytest.approx(MISS / 3), pytest.approx(2 * MISS / 3), 1.0]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("titel:bees", "no field is called titel; use one of title, url, body"),
        ("(bees", "Syntax error"),
        ("/(/", "is no regular expression"),
        ("bees~2", "is nothing that is known"),
        ("[a TO b]", "is nothing that is known"),
        ("bees AND", "Syntax error"),
    ],
)
def test_a_slip_is_said_in_one_line(query: str, message: str) -> None:
    problem = query_problem(query)
    assert problem is not None
    assert message in problem
    assert "\n" not in problem


def test_a_term_that_takes_for_ever_does_not_match() -> None:
    page = Page("http://a.example/", "", "a" * 100_000 + "!", PAGE.sections, PAGE.outline)
    began = time.thread_time()
    assert RulesClassifier("/(a+)+$/").relevance(page) == 0.0
    assert time.thread_time() - began < 1
