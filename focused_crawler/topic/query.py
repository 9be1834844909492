"""A topic's own query over title, URL and text of pages, with AND, OR and NOT, in Lucene's syntax.

A word (`inhal*` stands for all that begin so), a "phrase", a /regular expression/; `title:`, `url:` and
`body:` say where, without them all three count. Case, width and accents' forms make no difference; between
terms without an operator stands OR, `+` must and `-` must not be there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple
from unicodedata import normalize
from urllib.parse import unquote

import regex
from luqum.exceptions import ParseError
from luqum.thread import parse
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
from focused_crawler.page.text.words import NOT_SPACED, WordReader
from focused_crawler.safety.formats import tidy
from focused_crawler.topic.scope import is_found, pattern_problem

FIELDS: Mapping[str, Callable[[Page], Sequence[str]]] = {
    "title": lambda page: (page.title,),
    "url": lambda page: (unquote(page.url), page.url)[: 1 + ("%" in page.url)],
    "body": lambda page: (page.text[:MOST_TEXT],),
}
"""What a page has in a field; a URL as it is read, and as it is written."""

MOST_TEXT = 200_000
"""Characters of a page that queries look at."""

DEEPEST = 100
"""So many parts of a query may lie in each other."""

_OPERATORS = {"and": "AND", "or": "OR", "not": "NOT", "&&": "AND", "||": "OR", "!": "NOT"}
_QUOTES = tuple("“”„‟«»‹›「」『』")
_LETTER = rf"[[\p{{L}}\p{{N}}\p{{M}}]--{NOT_SPACED}]"
"""What whole words consist of; where no spaces are written, any character may be a word."""
_IS_LETTER = regex.compile(_LETTER, regex.V1)
_SEAM = regex.compile(rf"(?<={NOT_SPACED})\s*(?={NOT_SPACED})", regex.V1)
_REST = "\ue000"  # stands for a * that is not escaped
_ESCAPED = regex.compile(r"\\(.)|\*", regex.DOTALL)

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
        tree = parse(normalize("NFKC", query))
        if _depth(tree) > DEEPEST:
            raise RecursionError
        return _compiled(tree, tuple(FIELDS))
    except ParseError as error:
        raise ValueError(f"{error} Put phrases in quotes and parts in ( )") from None
    except RecursionError:
        raise ValueError(f"it is nested too deeply; use {DEEPEST} levels of ( ) at most") from None


def query_problem(query: str) -> str | None:
    """Return what is wrong with a query, None for a good one.

    >>> query_problem('title:bees AND NOT body:"queen size"'), query_problem("titel:bees")
    (None, 'no field is called titel; use one of title, url, body')
    """
    try:
        compile_query(query)
    except ValueError as error:
        return tidy(str(error))
    return None


def _depth(node: Item) -> int:
    return 1 + max(map(_depth, node.children), default=0)


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
        case OrOperation() | UnknownOperation():
            test = _loose(node, fields)
        case Word() | Phrase():
            test = _term(_pattern(node), _spelled, fields)
        case Regex():
            test = _term(_expression(node), str, fields)
        case _:
            raise ValueError(
                f"{str(node).strip()} is nothing that is known; use words, phrases, AND, OR, NOT"
            )
    return test


def _loose(node: OrOperation | UnknownOperation, fields: tuple[str, ...]) -> Test:
    """Return the test of parts with OR or nothing between: all that must be there or must not, and one of the
    others if none must. After OR, NOT is a part like others.
    """
    demands = (Plus, Prohibit) if isinstance(node, OrOperation) else (Plus, Not, Prohibit)
    must = [part for part in node.operands if isinstance(part, demands)]
    may = [part for part in node.operands if not isinstance(part, demands)]
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


def _term(pattern: regex.Pattern[str], spelled: Callable[[str], str], fields: tuple[str, ...]) -> Test:
    readers = [FIELDS[name] for name in fields]

    def holds(page: Page) -> Match:
        found = any(is_found(pattern, spelled(text), SECONDS) for read in readers for text in read(page))
        return Match(found, float(found))

    return holds


_spelled = lru_cache(maxsize=8)(WordReader("").spelling)  # each term of a query looks at the same texts


def _expression(node: Regex) -> regex.Pattern[str]:
    pattern = node.value[1:-1]
    if message := pattern_problem(pattern) if pattern else "// has nothing to look for":
        raise ValueError(message)
    return regex.compile(pattern, regex.IGNORECASE)


def _pattern(node: Word | Phrase) -> regex.Pattern[str]:
    """Return the pattern of a term in its one spelling: words whole, white space as it comes, none between
    characters that need none, * for the rest of a word.
    """
    value = node.value[1:-1] if isinstance(node, Phrase) else node.value
    if isinstance(node, Word):
        if operator := _OPERATORS.get("!" if value.startswith("!") else value):
            raise ValueError(f'{value} is no term: write {operator}, or "{value}" for what it says')
        if value.startswith(_QUOTES):
            raise ValueError(f'{value} is in quotation marks of its own; phrases stand between " and "')
    words = _spelled(_ESCAPED.sub(lambda found: found[1] or _REST, value)).split()
    if not words:
        raise ValueError(f"{node.value} has nothing to look for; write a word or a phrase")
    runs = (r"\s+".join(map(regex.escape, run.split())) for run in _SEAM.split(" ".join(words)))
    written = r"\s*".join(runs).replace(_REST, f"{_LETTER}*")
    before = rf"(?<!{_LETTER})" if _IS_LETTER.match(words[0]) else ""
    after = rf"(?!{_LETTER})" if _IS_LETTER.match(words[-1][-1]) else ""
    return regex.compile(f"{before}{written}{after}", regex.V1)
