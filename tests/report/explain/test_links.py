from __future__ import annotations

from collections.abc import Callable
from math import exp, sqrt

import pytest
from scrapy.settings import Settings

from focused_crawler.crawl.analysis import Analyst, Way
from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.crawl.lists.use import Priors
from focused_crawler.crawl.scored_links import candidates
from focused_crawler.page.model import Link, Page
from focused_crawler.page.parser import parse_page
from focused_crawler.report.explain.links import BestLink, find_links, parts_of, score_links
from focused_crawler.report.explain.page import WritingAnalyzer, judge
from focused_crawler.topic.scope import EVERYWHERE, Scope

URL = "http://bread.example/"
BODY = b"""<title>Bread</title>
<p>Bread and the oven: <a href=/oven>a hot oven for bread</a> <a href=/oven>again</a></p>
<p>The museum has <a href=/museum>a museum</a> and a <a href=http://bread.example/Loaf>guitar</a>, people.</p>
"""


def read(analyst: Analyst, depth: int = 1) -> Page:
    page = parse_page(BODY, URL, WritingAnalyzer("en"))
    judge(analyst, page, depth)
    return page


STRATEGIES = [
    "breadth_first",
    "cbp",
    "lpe",
    "lpe_soft",
    "content_link_sibling",
    "link_classifier",
    "shark_search",
]


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("depth", [0, 1])
def test_scores_are_those_of_the_crawl(analyst: Callable[..., Analyst], strategy: str, depth: int) -> None:
    """Each page once, with its best score, highest first; those that are not followed come last."""
    links = score_links(analyst(strategy=strategy), read(analyst(strategy=strategy), depth))
    crawl = analyst(strategy=strategy)
    analysis = crawl.classify(BODY, URL, "utf-8", Way(depth))
    crawl.partition(analysis)
    followed = {link.url: link.priority for link in candidates(crawl.score(analysis), depth, URL)}
    assert {found.link.url: found.score for found in links if found.score is not None} == followed
    ranks = [-1.0 if found.score is None else found.score for found in links]
    assert ranks == sorted(ranks, reverse=True)
    assert len(links) == 3


@pytest.mark.parametrize(("limit", "followed"), [("0", 3), ("1", 0), ("2", 3)])
def test_a_limit_of_depth_holds(analyst: Callable[..., Analyst], limit: str, followed: int) -> None:
    """What a crawl would not follow from so deep a page, has no priority."""
    settings = Settings({"DEPTH_LIMIT": limit})
    scope = CrawlConfig.from_settings(settings).scope(EVERYWHERE)
    for strategy in ("breadth_first", "adaptive"):
        judging = analyst(strategy=strategy, scope=scope)
        page = read(judging, depth=1)
        links = score_links(judging, page)
        assert len(links) == 3
        assert sum(found.score is not None for found in links) == followed
        assert sum(parts_of(judging, page, found) is not None for found in links) == followed


class Silent:
    """A user's own strategy, without parts."""

    def learn(self, page: Page) -> None:
        pass

    def score(self, page: Page, links: list[Link]) -> list[float]:
        return [0.5] * len(links)


def test_parts_are_told_by_the_strategy(analyst: Callable[..., Analyst]) -> None:
    """One that has none has only its scores."""
    judging = analyst(strategy="best_first_content")
    page = read(judging)
    parts = parts_of(judging, page, BestLink(page.links[0], 0.5))
    assert parts is not None
    assert (parts.formula, parts.values) == ("page", {"page": page.relevance})
    judging.order.scorer = Silent()  # type: ignore[assignment]
    assert parts_of(judging, page, BestLink(page.links[0], 0.5)) is None
    assert [found.score for found in score_links(judging, page)] == [0.5] * 3


@pytest.mark.parametrize("weight", [0.25, 1 / 3, 1.0])
@pytest.mark.parametrize("strategy", [*STRATEGIES, "silent"])
def test_parts_add_up_to_the_score_with_lists(
    analyst: Callable[..., Analyst], strategy: str, weight: float
) -> None:
    """The site's share is one of them, also where a strategy tells nothing; None stays None."""
    priors = Priors(weight, 0.5, {"bread.example": 0.125})
    judging = analyst(strategy="cbp" if strategy == "silent" else strategy, priors=priors)
    if strategy == "silent":
        judging.order.scorer = Silent()  # type: ignore[assignment]
    page = read(judging)
    for found in score_links(judging, page):
        parts = parts_of(judging, page, found)
        assert parts is not None
        worked_out = eval(
            parts.formula, {"sqrt": sqrt, "sigmoid": lambda x: 1 / (1 + exp(-x))}, dict(parts.values)
        )
        if found.score is None:
            assert worked_out is None
            continue
        assert parts.values["site_share"] == 0.125
        assert worked_out == pytest.approx(found.score, abs=1e-5)


def test_a_word_that_is_skipped_is_the_reason(analyst: Callable[..., Analyst]) -> None:
    """No parts of the strategy's stand beside a link that it was not asked about."""
    judging = analyst(scope=Scope(words=("museum",)))
    page = read(judging)
    refused = [found for found in score_links(judging, page) if found.score is None]
    assert [(found.link.url, found.reason) for found in refused] == [
        ("http://bread.example/museum", "it has a word of FOCUSED_SKIP_URLS: museum")
    ]
    assert parts_of(judging, page, refused[0]) is None


@pytest.mark.parametrize(
    ("wanted", "urls"),
    [
        ("http://bread.example/Loaf", ["http://bread.example/Loaf"]),
        ("HTTP://bread.example:80/Loaf#x", ["http://bread.example/Loaf"]),
        ("MUSEUM", ["http://bread.example/museum"]),
        ("guitar", ["http://bread.example/Loaf"]),
        (" loaf ", ["http://bread.example/Loaf"]),
        ("nowhere", []),
    ],
)
def test_links_are_found_by_text_or_url(wanted: str, urls: list[str]) -> None:
    """A whole URL finds its link alone, a part of a text or a URL all that have it."""
    links = [("http://bread.example/Loaf", "guitar"), ("http://bread.example/museum", "")]
    scored = [BestLink(Link(url, text, [], [], 0), 0.5) for url, text in links]
    assert [found.link.url for found in find_links(scored, wanted)] == urls
