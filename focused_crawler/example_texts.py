"""The words of example pages and of pages that were found, fetched politely like any page."""

from __future__ import annotations

from collections.abc import Sequence

from scrapy.crawler import CrawlerProcessBase

from focused_crawler.classify.other_examples import other_examples
from focused_crawler.errors import TopicError
from focused_crawler.examples import fetch_pages, read_page
from focused_crawler.page.blocks import partition
from focused_crawler.page.model import Page
from focused_crawler.text.tokens import Analyzer
from focused_crawler.thesaurus.borders import bordered_text
from focused_crawler.thesaurus.document_counts import SourceText
from focused_crawler.thesaurus.sources import Texts
from focused_crawler.topic import Topic


def texts_of_examples(process: CrawlerProcessBase, topic: Topic) -> Texts:
    """Return a topic's examples, with those of other topics where it has no others of its own.

    Raises TopicError where none of a kind can be had.
    """
    relevant, other = topic.relevant_examples, other_examples(topic)
    if not relevant or not other:
        raise TopicError(
            f"{topic.name} has no {'other' if relevant else 'relevant'} examples; name pages under [examples]"
            " in its topic.toml, or grow from --crawl FOLDER or --search"
        )
    names = (*relevant, *other)
    texts = {
        text.url: text for text in fetched_texts(process, [name for name in names if "://" in name], topic)
    }
    analyzer = Analyzer(topic.language)
    for name in names:
        if "://" not in name:
            texts[name] = _source(name, read_page(topic.folder / name, analyzer), analyzer)
    found = Texts(*([texts[name] for name in kind if name in texts] for kind in (relevant, other)))
    if not found.relevant or not found.other:
        raise TopicError(f"too few examples of {topic.name} could be had; name pages that can be fetched")
    return found


def fetched_texts(process: CrawlerProcessBase, urls: Sequence[str], topic: Topic) -> list[SourceText]:
    """Return the words of pages; says on stderr which could not be had. A process can do that once."""
    analyzer = Analyzer(topic.language)
    pages = fetch_pages(process, list(urls), analyzer)
    return [_source(url, page, analyzer) for url, page in pages.items()]


def _source(name: str, page: Page, analyzer: Analyzer) -> SourceText:
    partition(page)
    return SourceText(name, bordered_text(page, analyzer))
