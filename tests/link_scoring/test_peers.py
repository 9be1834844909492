"""Other crawlers' policies learn, on real pages, what their papers say that they learn."""

from __future__ import annotations

import random
from collections.abc import Sequence
from types import SimpleNamespace

import numpy as np
import pytest
from scrapy.settings import Settings

from focused_crawler.classify.link_model import LinkModel
from focused_crawler.classify.midpoints import Midpoints
from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.crawl.link_order import LinkOrder
from focused_crawler.crawl.plan import CrawlPlan
from focused_crawler.experiment.simulator import simulate
from focused_crawler.frontier.base import Rules
from focused_crawler.link_scoring.ache import AcheOptions
from focused_crawler.link_scoring.base import LinkScorer
from focused_crawler.link_scoring.choosing import CHOICES
from focused_crawler.link_scoring.network import Network
from focused_crawler.link_scoring.online import REST
from focused_crawler.link_scoring.registry import create
from focused_crawler.link_scoring.sb_classifier import AT_ONCE
from focused_crawler.link_scoring.tres import TresOptions
from focused_crawler.page.model import Link, Outline, Page, Sections
from focused_crawler.page.text.similarity import TopicVector
from focused_crawler.page.url import url_key
from focused_crawler.topic.scope import Scope
from focused_crawler.virtualweb.analysed.web import AnalysedWeb
from focused_crawler.virtualweb.writer import WebWriter
from tests.crawls.site import write_topic

PEERS = ("ache", "sb_classifier", "anthelion", "deep_deep", "tres")
CHOOSING = PEERS[1:]
HTML = [("Content-Type", "text/html; charset=utf-8")]
HUBS, EACH, BUDGET, LAST = 8, 100, 240, 60
MODEL = SimpleNamespace(
    vector=TopicVector({"bee": 1.0}, {}, 1.0),
    midpoints=Midpoints(*[0.25] * 3),
    links=LinkModel(),
    meaning=None,
    language="en",
)


KINDS = ("good", "bad")
OPTIONS = {"ache": AcheOptions(learning_limit=20)}

# A small web


def hub(number: int) -> str:
    return f"http://lists.example/{number}"


def listed(kind: str, number: int) -> str:
    return {
        "good": f"http://meadow.example/spring/{number}",
        "bad": f"http://office.example/invoice/{number}",
    }[kind]


def html(title: str, body: str) -> bytes:
    return f"<html><head><title>{title}</title></head><body>{body}</body></html>".encode()


@pytest.fixture(scope="module")
def bees(tmp_path_factory: pytest.TempPathFactory) -> SimpleNamespace:
    """Lists of two kinds of pages, told apart by host, place, anchor and URL, but by no word of the topic.

    Those about bees lead to the next list.
    """
    folder, chance = tmp_path_factory.mktemp("bees"), random.Random(5)
    with WebWriter(folder / "bees.warc.gz") as writer:
        for number in range(HUBS):
            items = {"good": "", "bad": ""}
            for at in range(number * EACH, (number + 1) * EACH):
                items["good"] += f'<li><a href="{listed("good", at)}">Letter of spring {at}</a>'
                items["bad"] += f'<li><a href="{listed("bad", at)}">Quarterly invoice {at}</a>'
                next_hub = f'<p class="on"><a href="{hub(number + 1)}">Further</a></p>'
                own = " ".join("".join(chance.choices("aeiklmnorst", k=7)) for _ in range(40))
                text = f"<p>Bees keep honey in the hive; honey, bee and hive. {own}</p>"
                writer.write(listed("good", at), 200, HTML, html(f"Spring {at}", text + next_hub))
                writer.write(
                    listed("bad", at), 200, HTML, html(f"Invoice {at}", f"<p>Paid in full. {own}</p>")
                )
            body = f'<ul class="news">{items["good"]}</ul><ol class="files">{items["bad"]}</ol>'
            writer.write(hub(number), 200, HTML, html(f"List {number}", body))
    return SimpleNamespace(
        web=folder / "bees.warc.gz", topic=write_topic(folder, "bees", hub(0), hub(1), hub(2))
    )


def found_by(bees: SimpleNamespace, strategy: str, **settings: object) -> list[str]:
    """Return the pages that a crawl fetches, in order."""
    named = {
        "FOCUSED_TOPIC": bees.topic,
        "FOCUSED_STRATEGY": strategy,
        "FOCUSED_WEB": bees.web,
        "FOCUSED_TRAP_BUDGETS": False,
        **settings,
    }
    plan = CrawlPlan.make(CrawlConfig.from_settings(Settings(named)))
    with AnalysedWeb(bees.web) as web:
        seeds = plan.topic.seeds_of(None)
        return simulate(plan.analyst, web, seeds, BUDGET, Rules(delay=0.0, per_host=None)).urls


def share(urls: Sequence[str]) -> float:
    return sum("meadow" in url for url in urls) / len(urls)


@pytest.mark.parametrize("strategy", PEERS)
def test_what_was_good_is_fetched_more_often(strategy: str, bees: SimpleNamespace) -> None:
    """In the end of a crawl; an order that learns nothing cannot tell the links apart."""
    found = found_by(bees, strategy, FOCUSED_ACHE_LEARNING_LIMIT=20, FOCUSED_TRES_HOST_PAGES=0)
    assert len(found) == BUDGET
    assert share(found[-LAST:]) >= share(found_by(bees, "best_first_content_anchor")[-LAST:]) + 0.1


# Step by step


def link(url: str, text: str = "", place: int = 0) -> Link:
    return Link(url, text, text.split(), [], 0, place=place)


def page(url: str, links: Sequence[Link] = (), *, good: bool = False, depth: int = 1) -> Page:
    outline = Outline(is_heading=False)
    made = Page(url, "", "", Sections(), outline, links=list(links), relevance=float(good), depth=depth)
    made.is_relevant = good
    made.places = {1: "div ul.news li a", 2: "div ul.news li.last a", 3: "div table tr a"}
    return made


def visit(scorer: LinkScorer, made: Page) -> tuple[dict[str, float], dict[int, float]]:
    """Do with a page what a crawl does; return its links' priorities, and all that is rescored after it."""
    scorer.learn(made)
    scores = dict(zip((one.url for one in made.links), scorer.score(made, made.links), strict=True))
    moved: dict[int, float] = {}
    for keys, priorities in scorer.rescored():
        moved |= dict(zip(keys.tolist(), priorities.tolist(), strict=True))
    return scores, moved


def start(count: int) -> Page:
    """Return a start page with as many good and bad links."""
    links = [
        link(listed(kind, at), f"{kind} words", 1 + 2 * (kind == "bad"))
        for at in range(count)
        for kind in KINDS
    ]
    return page(hub(0), links, depth=0)


def crawl(scorer: LinkScorer, first: Page, pages: int) -> list[str]:
    """Visit pages, each the one that is best by then."""
    priorities: dict[str, float] = {}
    found, made = [first.url], first
    for _ in range(pages):
        scores, moved = visit(scorer, made)
        for url, score in scores.items():
            priorities[url] = max(score, priorities.get(url, 0.0))
        priorities |= {url: moved[url_key(url)] for url in priorities if url_key(url) in moved}
        best = max((url for url in priorities if url not in found), key=lambda url: (priorities[url], url))
        found.append(best)
        made = page(best, [link(hub(1))] if "meadow" in best else [], good="meadow" in best)
    return found


@pytest.mark.parametrize("strategy", PEERS)
@pytest.mark.parametrize("cut", [12, 70])
def test_it_goes_on_where_it_was(strategy: str, cut: int) -> None:
    """From its memory, or from the pages: the same to the last bit, chosen links too."""
    whole = create(strategy, MODEL, OPTIONS.get(strategy))
    urls = crawl(whole, start(60), 80)
    pages = [start(60), *(page(url, [link(hub(1))], good="meadow" in url) for url in urls[1:])]
    first, again, by_memory, by_pages = (create(strategy, MODEL, OPTIONS.get(strategy)) for _ in range(4))
    expected = [visit(again, made) for made in pages]
    for made in pages[:cut]:
        sent = first.features(made, made.links)
        visit(first, made)
        by_pages.learn_from(sent)
        by_pages.score_from(sent)
        list(by_pages.rescored())
    by_memory.remember(first.memory())
    for resumed in (by_memory, by_pages):
        assert [visit(resumed, made) for made in pages[cut:]] == expected[cut:]


@pytest.mark.parametrize("strategy", CHOOSING)
def test_links_are_chosen_anew_after_each_page(strategy: str) -> None:
    """Who was chosen before falls back, and one that the crawl passed over is not chosen again."""
    scorer = create(strategy, MODEL)
    urls = {url_key(listed(kind, at)): listed(kind, at) for at in range(30) for kind in KINDS}

    def chosen(moved: dict[int, float]) -> list[int]:
        best_first = sorted(moved, key=moved.__getitem__, reverse=True)
        return [key for key in best_first if moved[key] > REST]

    first = chosen(visit(scorer, start(30))[1])
    assert len(first) == CHOICES
    passed, fetched = first[:2], first[2]
    moved = visit(scorer, page(urls[fetched]))[1]
    second = chosen(moved)
    assert len(second) == CHOICES
    assert not {*passed, fetched} & {*second}
    assert {key for key in first[3:] if key not in second} <= {key for key in moved if moved[key] <= REST}


@pytest.mark.parametrize("strategy", ["adaptive", *PEERS])
def test_what_the_scope_leaves_out_never_waits(strategy: str) -> None:
    """It is neither chosen nor scored again; nor is what lies too deep, until another page holds it."""
    scorer = create(strategy, MODEL)
    order = LinkOrder(strategy, scorer, scope=Scope(hosts=("meadow.example",), depth=2))
    first = start(20)
    scores = order.scores(first)
    assert [score is not None for score in scores] == ["meadow" in one.url for one in first.links]
    deep = link(listed("good", 90))
    assert order.scores(page(listed("good", 0), [deep], depth=2)) == [None]
    left = {url_key(listed("good", at)) for at in range(1, 20)}
    assert {key for keys, _ in order.rescored() for key in keys} <= left
    assert {key for one in (deep, *first.links) if scorer.standing(key := url_key(one.url))} == left
    order.scores(page(listed("good", 1), [deep]))
    assert scorer.standing(url_key(deep.url)) is not None


@pytest.mark.parametrize("strategy", ["adaptive", *PEERS])
def test_what_no_page_came_of_waits_no_more(strategy: str) -> None:
    """It is neither chosen nor scored again, until a page is found there after all."""
    scorer = create(strategy, MODEL)
    visit(scorer, start(20))
    key, other = (url_key(listed(kind, 3)) for kind in KINDS)
    assert [scorer.give_up(url_key(hub(9))), scorer.give_up(key), scorer.give_up(key)] == [False, True, False]
    assert scorer.standing(key) is None
    for number in range(8):
        scorer.doubt()
        moved = visit(scorer, page(listed("good", 10 + number), [link(listed("good", 3))]))[1]
        assert key not in moved
    assert scorer.standing(key) is None is not scorer.standing(other)
    before = scorer.memory()
    visit(scorer, page(listed("good", 3), good=True))
    assert len(scorer.memory()) >= len(before)
    assert scorer.memory() != before


@pytest.mark.parametrize("strategy", ["adaptive", *PEERS])
def test_links_are_scored_apart_as_if_they_had_not_been(strategy: str) -> None:
    """Of a long sitemap, most of which is never queued: known links and new ones, waiting and fetched."""
    scorer, other = create(strategy, MODEL), create(strategy, MODEL)
    pages = [start(20), *(page(listed(kind, at), good=kind == "good") for at in range(4) for kind in KINDS)]
    sitemap = page("http://meadow.example/all.xml", [link(listed("good", at), place=1) for at in range(90)])
    for made in pages[:-1]:
        expected = visit(scorer, made), visit(other, made)
        assert expected[0] == expected[1]
        before = {name: column.copy() for name, column in scorer.seen.content().items()}
        head = scorer._head.content()
        first, again = (scorer.score_apart(sitemap, sitemap.links) for _ in range(2))
        assert first == again
        for name, column in scorer.seen.content().items():
            np.testing.assert_array_equal(column, before[name])
        np.testing.assert_equal(scorer._head.content(), head)
    assert visit(scorer, pages[-1]) == visit(other, pages[-1])
    waiting = [at for at in range(90) if scorer.standing(url_key(listed("good", at)))]
    assert waiting == [*range(4, 20)]


@pytest.mark.parametrize("strategy", PEERS)
def test_a_redirect_hides_no_outcome(strategy: str) -> None:
    """What a page was counts for the link that was followed, whatever its own URL is."""
    scorer = create(strategy, MODEL)
    first = start(5)
    visit(scorer, first)
    arrived = page("http://moved.example/", good=True)
    arrived.asked = first.links[2].url
    visit(scorer, arrived)
    assert scorer.standing(url_key(first.links[2].url)) is None
    assert scorer.standing(url_key(first.links[3].url)) is not None


def test_ache_goes_by_words_as_soon_as_it_is_trained() -> None:
    """Before, all links of a page are alike."""
    scorer = create("ache", MODEL, AcheOptions(learning_limit=20))
    scores, _ = visit(scorer, start(30))
    assert len(set(scores.values())) == 1
    for at in range(10):
        for kind in KINDS:
            visit(scorer, page(listed(kind, at), good=kind == "good"))
    good, bad = scorer.score(start(30), [link(listed(kind, 25)) for kind in KINDS])
    assert good > 0.8
    assert bad < 0.2


def test_similar_places_are_one_group() -> None:
    """What was found in a list counts for its last item, and not for another list."""
    scorer = create("sb_classifier", MODEL)
    links = [link(listed("good", at), place=1 + (at > 20)) for at in range(30)]
    visit(scorer, page(hub(0), [*links, link(listed("bad", 1), place=3)], depth=0))
    visit(scorer, page(listed("good", 1), good=True))
    (brought,) = scorer.outcomes(listed("good", 25))
    (other,) = scorer.outcomes(listed("bad", 1))
    assert (brought.pages, brought.relevance, other.pages) == (1, 1.0, 0)


def test_what_looks_relevant_on_a_page_that_was_chosen_is_fetched_at_once() -> None:
    """As soon as both kinds of URLs are known."""
    scorer = create("sb_classifier", MODEL)
    visit(scorer, start(20))
    for at in range(15):
        for kind in KINDS:
            scores, _ = visit(
                scorer, page(listed(kind, at), [link(listed(kind, 100 + at))], good=kind == "good")
            )
    assert scores[listed("bad", 114)] < AT_ONCE
    more = [link(listed(kind, 200)) for kind in KINDS]
    scores, _ = visit(scorer, page(listed("good", 16), more, good=True))
    assert scores[listed("good", 200)] >= AT_ONCE > scores[listed("bad", 200)]


def test_a_page_before_good_ones_is_worth_something() -> None:
    """By its anchor, though it is not relevant itself."""
    scorer = create("deep_deep", MODEL)
    ways, ends = (
        [link(f"http://a.example/{name}/{at}", name) for at in range(80)] for name in ("onward", "leaflet")
    )
    visit(scorer, page(hub(0), [*ways, *ends], depth=0))
    for at in range(75):
        letter = link(f"http://b.example/{at}", "springtime")
        visit(scorer, page(ways[at].url, [letter]))
        visit(scorer, page(ends[at].url))
        visit(scorer, page(letter.url, good=True))
    way, end = scorer.score(page(hub(0), [ways[79], ends[79]]), [ways[79], ends[79]])
    assert way > end + 0.1


def test_a_page_is_no_sibling_of_those_that_it_links_to() -> None:
    """Though its menu links to it, by the URL that was asked for as well; a page fetched before it is one."""
    scorer = create("anthelion", MODEL)
    menu = [link(hub(0)), link(hub(1))]

    def has_siblings(number: int) -> bool:
        (row,) = scorer.seen.find(np.array([url_key(listed("good", number))], np.int64)).tolist()
        return bool(scorer.seen["siblings"][row].any())

    first = page(hub(0), [*menu, link(listed("good", 0))], good=True)
    first.asked = hub(1)
    visit(scorer, first)
    visit(scorer, page(hub(2), [*menu, link(listed("good", 1))]))
    assert [has_siblings(0), has_siblings(1)] == [False, True]


def test_a_host_may_have_had_its_share() -> None:
    """Its links come last then; without a cap they do not."""
    for cap, is_last in ((5, True), (0, False)):
        scorer = create("tres", MODEL, TresOptions(host_pages=cap))
        visit(scorer, start(10))
        for at in range(5):
            visit(scorer, page(listed("good", at), good=True))
        good, bad = scorer.score(start(10), [link(listed(kind, 9)) for kind in KINDS])
        assert (good == 0.0) is is_last
        assert bad > 0.0


def test_a_network_learns_what_no_sum_can_say() -> None:
    """That exactly one of two is there."""
    network, chance = Network((2, 30, 15, 1), 1), np.random.default_rng(1)
    points = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    for _ in range(1500):
        sample = chance.integers(4, size=60)
        network.fit(points[sample], points[sample].sum(axis=1) % 2)
    assert network.worths(points) == pytest.approx([0, 1, 1, 0], abs=0.1)
