"""What was found to begin with, for the terminal: search results, start pages, a thesaurus."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from focused_crawler.report.terminal.output import assembled, text
from focused_crawler.report.terminal.tables import heading, indented, page, table
from focused_crawler.safety.formats import count, plural
from focused_crawler.safety.printable import printable

if TYPE_CHECKING:  # each command is to load no more than it shows
    from focused_crawler.discovery.choice import Choice, Seed
    from focused_crawler.discovery.harvest import Harvest
    from focused_crawler.discovery.search.base import SearchResult
    from focused_crawler.page.text.tokens import Analyzer
    from focused_crawler.topic.thesaurus.grow import CandidatePhrase
    from focused_crawler.topic.thesaurus.model import Thesaurus


def search_results(found: Sequence[SearchResult], terms: Collection[str], analyzer: Analyzer) -> Group:
    """Return search results by number, the words that were searched for in bold."""
    width = len(str(len(found)))
    rows: list[RenderableType] = []
    for number, result in enumerate(found, start=1):
        title = (printable(result.title) or "(no title)", "bold")
        rows.append(assembled((f"{number:>{width}} ", "dim"), title))
        rows.append(indented(result.url, "cyan", by=width + 1))
        rows += [indented(_marked(result.snippet, terms, analyzer), by=width + 1), Text()]
    return Group(*rows)


def _marked(snippet: str, terms: Collection[str], analyzer: Analyzer) -> Text:
    shown = text(snippet)
    for word in re.finditer(r"\S+", shown.plain):
        if not set(terms).isdisjoint(analyzer.terms(word[0])):
            shown.stylize("bold", word.start(), word.end())
    return shown


def seeds(chosen: Sequence[Seed]) -> Table:
    """Return start pages, the best first, with who returned them where several were asked."""
    has_several = len({name for seed in chosen for name in seed.providers}) > 1
    rows = (
        (
            f"{seed.score:.2f}",
            count(len(seed.queries)),
            *([", ".join(seed.providers)] if has_several else []),
            page(seed.title or "(no title)", seed.url),
        )
        for seed in chosen
    )
    return table(">score", ">searches", *["providers"] * has_several, "page", rows=rows)


def story(harvest: Harvest, choice: Choice) -> Iterator[str]:
    """Yield in words how a search for start pages went, a line each."""
    kept = sum(answer.is_cached for answer in harvest.answers)
    earlier = f" ({kept} of them asked earlier today)" if kept else ""
    yield f"{searches(len(harvest.answers))}{earlier} found {plural(choice.found, 'page')}."
    if choice.left_out:
        reasons = (f"{count(pages)} {reason}" for reason, pages in sorted(choice.left_out.items()))
        yield f"Left out: {', '.join(reasons)}."
    if not choice.seeds:
        yield "None of them is left to start from; other words, or another provider, may find some."
    yield from harvest.failed()


def searches(number: int) -> str:
    """Return a number of searches with its noun."""
    return plural(number, "search")


def outline(thesaurus: Thesaurus) -> Group:
    """Return the trees of all facets of a thesaurus as outlines, below a summary."""
    from focused_crawler.topic.thesaurus.outline import outline_lines  # noqa: PLC0415 - loads slowly

    parts: list[RenderableType] = [facets(thesaurus)]
    for facet in thesaurus.facets:
        parts.append(heading(f"{facet.name}: {facet.title}" if facet.title else facet.name))
        for line in outline_lines(facet.entries):
            words = line.lstrip()
            parts.append(text("  " + " " * (len(line) - len(words)) + words))
        parts += [text(f"  not: {wording}", "red") for wording in facet.negative]
    return Group(*parts, *(text(f"not: {wording}", "red") for wording in thesaurus.negative))


def facets(thesaurus: Thesaurus) -> Table:
    """Return how large each facet is."""
    rows = (
        (
            facet.name,
            count(sum(1 for _ in facet.walk())),
            count(sum(len(entry.wordings) for _, entry, _ in facet.walk())),
            count(facet.depth),
            count(len(facet.negative)),
        )
        for facet in thesaurus.facets
    )
    return table("facet", ">entries", ">wordings", ">levels", ">negative", rows=rows)


def candidate_phrases(found: Sequence[CandidatePhrase]) -> Table:
    """Return candidates for a thesaurus, the most telling first."""
    rows = (
        (one.wording, one.facet, one.broader, count(one.relevant), count(one.other), count(one.score))
        for one in found
    )
    return table("phrase", "facet", "broader", ">relevant", ">other", ">score", rows=rows)
