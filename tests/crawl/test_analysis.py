from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scrapy.settings import Settings

from focused_crawler.crawl.analysis import LONG, MANY_TAGS, Analyst, Way, checksum, takes_long
from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.frontier.base import Candidate
from focused_crawler.frontier.sql.frontier import SqlFrontier
from focused_crawler.link_scoring.content_link_sibling import ContentLinkSibling
from focused_crawler.page.model import Link, Page
from focused_crawler.page.parser import UnparsablePage
from focused_crawler.safety.errors import CrawlError, ModelError
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.pages import PageStore
from focused_crawler.topic.topic import load_topic
from tests.small_taxonomy import save_small_taxonomy

URL = "http://sky.example/"
BODY = b"""<html><head><title>Stars</title></head><body><p>A telescope shows stars and planets at night.
<a href="/a">telescope</a> <a href="/b">football</a></p></body></html>"""


class Learning:
    """A strategy that counts the pages it has seen."""

    def __init__(self, *_: object) -> None:
        self.seen: list[str] = []

    def learn(self, page: Page) -> None:
        self.seen.append(page.url)

    def score(self, page: Page, links: list[Link]) -> list[float | None]:
        return [min(len(self.seen) / 10, 1.0) for _ in links]


class Noting(Learning):
    """A strategy that passes on what it was told, and whether it has scored."""

    is_done = False

    def score(self, page: Page, links: list[Link]) -> list[float | None]:
        self.is_done = True
        return super().score(page, links)

    def path(self, page: Page) -> bytes:
        return (page.path or b"") + (b", after scoring" if self.is_done else b"")


class Changed(ContentLinkSibling):
    """One of ours that learns by other features."""

    def features(self, page: Page, links: Sequence[Link]) -> Any:
        return page.title, len(links)

    def learn_from(self, features: Any) -> None:
        pass

    def score_from(self, features: Any) -> list[float | None]:
        return [0.5] * features[1]


class TooFew(Learning):
    """A strategy with a mistake."""

    def score(self, page: Page, links: list[Link]) -> list[float | None]:
        return [0.5]


def analyst(demo_web: Path, **settings: object) -> Analyst:
    topic = demo_web.parent / "demo.topics/astronomy"
    scorers = {name.lower(): f"{__name__}.{name}" for name in ("Learning", "Noting", "TooFew", "Changed")}
    config = CrawlConfig.from_settings(
        Settings({"FOCUSED_TOPIC": str(topic), "FOCUSED_LINK_SCORERS": scorers, **settings})
    )
    return Analyst.make(config, load_topic(str(topic)))


def test_step_by_step(demo_web: Path) -> None:
    """Each step adds what it finds, and does nothing where it was done."""
    judge = analyst(demo_web, FOCUSED_STRATEGY="best_first_content")
    analysis = judge.classify(BODY, URL, "utf-8", Way(3))
    assert (analysis.title, analysis.depth, analysis.links, analysis.scored) == ("Stars", 3, None, None)
    judge.partition(analysis)
    links = analysis.page.links
    judge.partition(analysis)
    assert analysis.page.links is links
    assert analysis.links == 2
    followed = judge.score(analysis)
    assert [link.url for link in followed] == ["http://sky.example/a", "http://sky.example/b"]
    assert {link.score for link in followed} == {analysis.relevance}
    assert judge.score(analysis) is followed


def test_links_too_deep(demo_web: Path) -> None:
    """They are not scored, but the strategy learns from their page."""
    judge = analyst(demo_web, FOCUSED_STRATEGY="learning", DEPTH_LIMIT=2)
    analysis = judge.classify(BODY, URL, "utf-8", Way(2))
    judge.partition(analysis)
    assert {link.score for link in judge.score(analysis)} == {None}
    assert judge.scope.is_too_deep(analysis.depth)
    assert judge.order.scorer.seen == [URL]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("strategy", "learns"), [("lpe", False), ("breadth_first", False), ("learning", True)]
)
def test_who_learns(strategy: str, learns: bool, demo_web: Path) -> None:
    """Ours learn nothing; a user's own may."""
    assert analyst(demo_web, FOCUSED_STRATEGY=strategy).order.learns is learns


def test_a_score_a_link(demo_web: Path) -> None:
    """A strategy that returns too few has a mistake, which must not go unseen."""
    judge = analyst(demo_web, FOCUSED_STRATEGY="toofew")
    analysis = judge.classify(BODY, URL, "utf-8", Way(0))
    judge.partition(analysis)
    with pytest.raises(CrawlError, match="toofew gives 1 scores for 2 links"):
        judge.score(analysis)


@pytest.mark.parametrize("score", [7, -0.1, float("nan"), float("inf"), "high"])
def test_a_score_that_is_no_priority_names_itself_and_the_strategy(score: Any, demo_web: Path) -> None:
    """The frontier would order by it, or fail at it, long after."""
    judge = analyst(demo_web, FOCUSED_STRATEGY="lpe")
    with pytest.raises(CrawlError, match=f"^strategy lpe gives {score} as a score; give a number"):
        judge.order.corrected(["http://a/", "http://b/"], [None, score])
    with pytest.raises(CrawlError, match=r"^strategy lpe gives None in the place of scores"):
        judge.order.corrected(["http://a/"], None)  # without a return
    assert judge.order.corrected(["http://a/", "http://b/", "http://c/"], [None, 0, 1.0]) == [None, 0, 1.0]


def test_scores_of_any_kind_of_number_are_stored(demo_web: Path, database: CrawlDatabase) -> None:
    """As numbers that the frontier can order by: numpy's own, whole ones, truths."""
    order = analyst(demo_web, FOCUSED_STRATEGY="lpe").order
    urls = [f"http://a.example/{number}" for number in range(5)]
    scores = order.corrected(urls, [np.float32(0.25), np.float64(0.5), True, 0, None])
    frontier, store = SqlFrontier(database), PageStore(database)
    store.record_links(urls[-1], [(url, "", 0, score) for url, score in zip(urls, scores, strict=True)])
    frontier.add([Candidate(*one) for one in zip(urls, scores, strict=True) if one[1] is not None])
    database.commit()
    stored = [score for (score,) in database.rows("SELECT score FROM links ORDER BY number")]
    assert stored == [0.25, 0.5, 1.0, 0.0, None]
    assert [lease.priority for lease in SqlFrontier(database).take(9, 0.0)] == [1.0, 0.5, 0.25, 0.0]


def test_a_path_is_passed_on(demo_web: Path) -> None:
    """The page has that of its lease; the strategy is asked after it has scored."""
    judge = analyst(demo_web, FOCUSED_STRATEGY="noting")
    analysis = judge.classify(BODY, URL, "utf-8", Way(1, b"from afar"))
    judge.partition(analysis)
    assert analysis.page.path == b"from afar"
    assert {link.path for link in judge.score(analysis)} == {b"from afar, after scoring"}


def test_a_path_has_its_limit(demo_web: Path) -> None:
    """What the frontier would have to keep with every URL."""
    judge = analyst(demo_web, FOCUSED_STRATEGY="noting")
    ending = len(b", after scoring")
    for length, outcome in ((1024 - ending, nullcontext()), (1025 - ending, pytest.raises(CrawlError))):
        analysis = judge.classify(BODY, URL, "utf-8", Way(1, bytes(length)))
        judge.partition(analysis)
        with outcome:
            judge.score(analysis)


@pytest.mark.parametrize("strategy", ["lpe", "learning"])
def test_nothing_is_noted_or_kept(strategy: str, demo_web: Path) -> None:
    """By a strategy of ours, nor by one that has only what it must have."""
    judge = analyst(demo_web, FOCUSED_STRATEGY=strategy)
    analysis = judge.classify(BODY, URL, "utf-8", Way(1, b"from afar"))
    judge.partition(analysis)
    assert {link.path for link in judge.score(analysis)} == {None}
    judge.order.remember(b"nothing")
    assert judge.order.memory() is None


def test_a_strategy_teaches_what_it_has_learnt_or_nothing(demo_web: Path) -> None:
    """One of ours that was made to learn something else by a user is no worse in a crawl of one process."""
    for strategy, teaches in (("content_link_sibling", True), ("adaptive", True), ("changed", False)):
        judge = analyst(demo_web, FOCUSED_STRATEGY=strategy)
        analysis = judge.classify(BODY, URL, "utf-8", Way(1))
        judge.partition(analysis)
        assert len(judge.score(analysis)) == 2
        assert judge.order.teaches is teaches
        assert bool(analysis.learnt) is teaches


def test_a_page_left_behind(demo_web: Path) -> None:
    """It is read once more, once, and is the same."""
    judge = analyst(demo_web)
    analysis = judge.classify(BODY, URL, "utf-8", Way(1))
    judge.partition(analysis)
    page = analysis.page
    analysis.source = partial(judge.read, BODY, URL, "utf-8", Way(1))
    assert analysis.page == page
    assert analysis.page is analysis.page


def test_no_page(demo_web: Path) -> None:
    """A body that is none is refused."""
    with pytest.raises(UnparsablePage):
        analyst(demo_web).classify(b"%PDF-1.7", URL, None, Way(0))


def test_checksum() -> None:
    """Of words alone; no words, no checksum."""
    assert checksum("") == ""
    assert checksum("a") == checksum("a") != checksum("b")


@pytest.mark.parametrize("strategy", ["hard_focus", "soft_focus", "unfocused"])
def test_a_taxonomy_judges(strategy: str, demo_web: Path, tmp_path: Path) -> None:
    """Where the strategy goes by it; the page's best leaf is kept then."""
    models = save_small_taxonomy(tmp_path, "astronomy")
    judge = analyst(demo_web, FOCUSED_STRATEGY=strategy, FOCUSED_MODELS=models)
    analysis = judge.classify(b"<a href=/1>star planet moon</a> <a href=/2>match</a>", URL, "utf-8", Way(0))
    judge.partition(analysis)
    page = analysis.page
    if strategy == "unfocused":
        assert (page.focus, analysis.focus) == (None, None)
        return
    assert page.focus is not None
    assert page.focus == analysis.focus
    assert (page.focus.category, page.focus.is_good) == ("sky/planets", False)
    scores = [link.score for link in judge.score(analysis)]
    assert scores == [None if strategy == "hard_focus" else page.focus.relevance] * 2


def test_a_taxonomy_by_setting(demo_web: Path, tmp_path: Path) -> None:
    """FOCUSED_TAXONOMY gives each page its category, whatever the strategy, and good ones need not be."""
    save_small_taxonomy(tmp_path)
    (tmp_path / "taxonomy").rename(tmp_path / "model")
    judge = analyst(demo_web, FOCUSED_STRATEGY="cbp", FOCUSED_TAXONOMY=tmp_path)
    focus = judge.classify(b"<p>goal and match</p>", URL, "utf-8", Way(0)).focus
    assert focus is not None
    assert (focus.category, focus.log_rd) == ("sports/football", None)


def test_a_taxonomy_that_is_not_there(demo_web: Path, tmp_path: Path) -> None:
    """The crawl does not begin."""
    with pytest.raises(ModelError, match="scrapy taxonomy train"):
        analyst(demo_web, FOCUSED_STRATEGY="soft_focus", FOCUSED_MODELS=tmp_path)


def test_what_takes_long_is_large_or_all_tags() -> None:
    """A page as most are is read at once, for two threads cost far more than one."""
    text = b"<p>Bees keep honey in the hive.</p>\n"
    assert not takes_long(text * (LONG // len(text)))
    assert takes_long(text * (LONG // len(text) + 1))
    assert not takes_long(b"<p>a" * MANY_TAGS)
    assert takes_long(b"<p>a" * (MANY_TAGS + 1))
