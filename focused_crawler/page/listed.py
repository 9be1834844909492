"""What a sitemap or feed lists, as a page of links that a strategy can score."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import unquote, urlsplit

from focused_crawler.page.listing import ListedUrl
from focused_crawler.page.model import Block, Link, Outline, Page, Sections
from focused_crawler.page.text.tokens import Analyzer

_BETWEEN = re.compile(r"[\W\d_]+")
_ENDING = re.compile(r"\.[A-Za-z0-9]{1,5}$")


def listed_page(url: str, entries: Sequence[ListedUrl], analyzer: Analyzer, context_words: int) -> Page:
    """Return entries as links, each in a block of its own: the title is its anchor, its summary the context.

    One without a title has the words of its URL for an anchor. The page itself says nothing.
    """
    blocks: list[Block] = []
    links: list[Link] = []
    for entry in entries:
        text = entry.title or words_of(entry.url)
        anchor = analyzer.terms(text)
        context = analyzer.terms(entry.summary)[: 2 * context_words] if entry.summary else []
        links.append(Link(entry.url, text[:200], anchor, context, len(blocks)))
        blocks.append(Block([*anchor, *context]))
    outline = Outline(is_heading=False)
    return Page(url, "", "", Sections(), outline, url, blocks=blocks, links=links)


def words_of(url: str) -> str:
    """Return the words of a URL's path and query.

    >>> words_of("http://a.org/blog/2024/how-to_brew%20tea.html?lang=en")
    'blog how to brew tea lang en'
    """
    parts = urlsplit(url)
    return " ".join(_BETWEEN.split(unquote(f"{_ENDING.sub('', parts.path)} {parts.query}"))).strip()
