"""Why a page of a crawl has its relevance, by its stored words."""

from __future__ import annotations

from dataclasses import replace

from focused_crawler.crawl.analysis import Analyst
from focused_crawler.report.explain.page import PageReasons, WritingAnalyzer, explain_page
from focused_crawler.store.page_texts import PageText


def writing(analyst: Analyst) -> Analyst:
    """Return an analyst that knows how the terms of a page are written there."""
    return replace(analyst, analyzer=WritingAnalyzer(analyst.analyzer.language))


def text_reasons(analyst: Analyst, text: PageText) -> PageReasons:
    """Return why a page is relevant or not by its stored words. `analyst` is a `writing` one."""
    page = text.page(analyst.analyzer)
    analyst.judge(page, analyst.model.classifier.relevance(page))
    return explain_page(analyst, page)
