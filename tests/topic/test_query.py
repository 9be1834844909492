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


TEXT = "Fallobstäpfel, Straße, cafe\u0301, который, मधु. Python入門 蜜蜂\n在花园 ＡＢＣ don’t C++"
FOREIGN = parse_page(
    f"<title>Äpfel</title><p>{TEXT}".encode(),
    "http://example.org/%E8%9C%9C/honey_2026.html",
    Analyzer("en"),
    "utf-8",
)


@pytest.mark.parametrize(
    ("query", "holds"),
    [
        ("body:äpfel", False),  # a part of a word
        ("body:*äpfel", True),
        ("котор", False),
        ("котор*", True),
        ("मध", False),
        ("मधु", True),
        ("python", True),  # a word ends where another script begins
        ("花", True),
        ("蜜蜂在", True),  # lines end anywhere
        ('"蜂 在 花"', True),
        ('"花 蜂"', False),
        ("url:/%E8%9C%9C/", True),  # as it is written
        ("STRASSE", True),
        ("café", True),
        ("abc", True),
        ("body：（ＡＢＣ　AND　蜜蜂）", True),
        ("don't", True),
        ("C\\+\\+", True),
        ("C\\+\\*", False),
        ("url:蜜", True),
        ("url:honey", True),
        ("/python入門/", True),
        ("+wasps OR café", False),
        ("café OR -abc", False),
        ("wasps OR NOT hornets", True),
        ("wasps NOT hornets", False),
        ("NOT (wasps OR NOT (abc AND café))", True),
    ],
)
def test_a_query_in_any_script(query: str, holds: bool) -> None:
    """Words are whole where spaces part them, and have one spelling; `+` and `-` count beside OR, too."""
    assert (RulesClassifier(query).relevance(FOREIGN) == 1.0) is holds


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
        ('"bees\n', "Illegal character"),
        ("bees\n~2", "is nothing that is known"),
        ('""', "nothing to look for"),
        ("//", "nothing to look for"),
        ("bees and wasps", "write AND"),
        ("bees || wasps", "write OR"),
        ("bees !wasps", "write NOT"),
        ("“queen bees”", "quotation marks of its own"),
        ("(" * 5000 + "bees" + ")" * 5000, "nested too deeply"),
        ("NOT " * 3000 + "bees", "nested too deeply"),
        ("/" + "(" * 3000 + ")" * 3000 + "/", "is no regular expression"),
        ("/(?u)(?a)x/", "is no regular expression"),
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
