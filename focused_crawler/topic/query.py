"""A topic's own query over title, URL and text of pages, with AND, OR and NOT, in Lucene's syntax.

A word (`inhal*` stands for all that begin so), a "phrase", a /regular expression/; `title:`, `url:` and
`body:` say where, without them all three count. Case makes no difference; between terms without an operator
stands OR, `+` must and `-` must not be there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

import regex
from luqum.exceptions import ParseError
from luqum.parser import parser
from luqum.tree import (
    AndOperation,
    FieldGroup,
    Group,
    Item,
    Not,
    OrOperation,
    Phrase,
    Plus,
    Prohibit,
    Regex,
    SearchField,
    UnknownOperation,
    Word,
)

from focused_crawler.page.model import Page

FIELDS: Mapping[str, Callable[[Page], str]] = {
    "title": lambda page: page.title,
    "url": lambda page: page.url,
    "body": lambda page: page.text[:MOST_TEXT],
}

MOST_TEXT = 200_000
"""Characters of a page that queries look at."""

SECONDS = 0.05
"""So long may one term look at one field; one that takes longer does not match."""


class Match(NamedTuple):
    """Whether a query holds of a page, and how much of it."""

    holds: bool
    share: float  # [0, 1]


Test = Callable[[Page], Match]


@lru_cache(maxsize=64)
def compile_query(query: str) -> Test:
    """Return the test of a query; raises ValueError that says what is wrong with it."""
    try:
        return _compiled(parser.parse(query), tuple(FIELDS))
    except ParseError as error:
        raise ValueError(f"{error} Put phrases in quotes and parts in ( )") from None


def query_problem(query: str) -> str | None:
    """Return what is wrong with a query, None for a good one.

    >>> query_problem('title:bees AND NOT body:"queen size"'), query_problem("titel:bees")
    (None, 'no field is called titel; use one of title, url, body')
    """
    try:
        compile_query(query)
    except ValueError as error:
        return str(error)
    return None


def _compiled(node: Item, fields: tuple[str, ...]) -> Test:
    if isinstance(node, SearchField) and node.name not in FIELDS:
        raise ValueError(f"no field is called {node.name}; use one of {', '.join(FIELDS)}")
    match node:
        case SearchField():
            test = _compiled(node.expr, (node.name,))
        case Group() | FieldGroup():
            test = _compiled(node.expr, fields)
        case Plus():
            test = _compiled(node.a, fields)
        case Not() | Prohibit():
            test = _negated(_compiled(node.a, fields))
        case AndOperation():
            test = _all([_compiled(part, fields) for part in node.operands])
        case OrOperation():
            test = _any([_compiled(part, fields) for part in node.operands])
        case UnknownOperation():
            test = _loose(node, fields)
        case Word() | Phrase() | Regex():
            test = _term(_pattern(node), fields)
        case _:
            raise ValueError(
                f"{str(node).strip()} is nothing that is known; use words, phrases, AND, OR, NOT"
            )
    return test


def _loose(node: UnknownOperation, fields: tuple[str, ...]) -> Test:
    """Return the test of parts without an operator: all that must be there, and one of the others if any."""
    must = [part for part in node.operands if isinstance(part, Plus | Not | Prohibit)]
    may = [part for part in node.operands if not isinstance(part, Plus | Not | Prohibit)]
    tests = [_compiled(part, fields) for part in must]
    if may and not any(isinstance(part, Plus) for part in must):
        tests.append(_any([_compiled(part, fields) for part in may]))
    return tests[0] if len(tests) == 1 else _all(tests)


def _negated(test: Test) -> Test:
    def negated(page: Page) -> Match:
        verdict = test(page)
        return Match(not verdict.holds, float(not verdict.holds))

    return negated


def _all(tests: list[Test]) -> Test:
    def joined(page: Page) -> Match:
        verdicts = [test(page) for test in tests]
        share = sum(verdict.share for verdict in verdicts) / len(verdicts)
        return Match(all(verdict.holds for verdict in verdicts), share)

    return joined


def _any(tests: list[Test]) -> Test:
    def joined(page: Page) -> Match:
        verdicts = [test(page) for test in tests]
        return max(verdicts)

    return joined


def _term(pattern: regex.Pattern[str], fields: tuple[str, ...]) -> Test:
    readers = [FIELDS[name] for name in fields]

    def holds(page: Page) -> Match:
        found = any(_is_in(pattern, read(page)) for read in readers)
        return Match(found, float(found))

    return holds


def _is_in(pattern: regex.Pattern[str], text: str) -> bool:
    try:
        return pattern.search(text, timeout=SECONDS) is not None
    except TimeoutError:
        return False


def _pattern(node: Any) -> regex.Pattern[str]:
    """Return the pattern of a term: words whole, white space as it comes, * for the rest of a word."""
    if isinstance(node, Regex):
        try:
            return regex.compile(node.value[1:-1], regex.IGNORECASE)
        except regex.error as error:
            raise ValueError(f"{node.value} is no regular expression ({error})") from None
    words = node.value.strip('"').split()
    written = r"\s+".join(regex.escape(word).replace(r"\*", r"\w*") for word in words)
    before = r"(?<!\w)" if words and words[0][0].isalnum() and words[0].isascii() else ""
    after = r"(?!\w)" if words and words[-1][-1].isalnum() and words[-1].isascii() else ""
    return regex.compile(f"{before}{written}{after}", regex.IGNORECASE)
