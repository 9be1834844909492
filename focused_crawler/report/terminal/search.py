"""What a search found, for the terminal: nothing of the pages can steer it."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from rich.console import Group
from rich.padding import Padding
from rich.text import Text

from focused_crawler.discovery.search.base import SearchResult
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.safety.printable import printable


def listed(results: Sequence[SearchResult], terms: Collection[str], analyzer: Analyzer) -> Group:
    """Return results by number, the words that were searched for in bold."""
    width = len(str(len(results)))
    rows: list[Text | Padding] = []
    for number, result in enumerate(results, start=1):
        title = Text.assemble(
            (f"{number:>{width}} ", "dim"), (printable(result.title) or "(no title)", "bold")
        )
        url = Text(printable(result.url), style="cyan", overflow="fold")
        words = _marked(printable(result.snippet), terms, analyzer)
        rows += [title, Padding(Group(url, words), (0, 0, 0, width + 1), expand=False), Text()]
    return Group(*rows)


def _marked(snippet: str, terms: Collection[str], analyzer: Analyzer) -> Text:
    text = Text(snippet)
    for word in re.finditer(r"\S+", snippet):
        if not set(terms).isdisjoint(analyzer.terms(word[0])):
            text.stylize("bold", word.start(), word.end())
    return text
