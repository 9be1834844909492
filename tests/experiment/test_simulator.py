from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focused_crawler.crawl.analysis import Analyst
from focused_crawler.experiment.simulator import Flight, Simulation, simulate
from focused_crawler.frontier.base import Rules
from focused_crawler.page.model import Link, Page
from focused_crawler.virtualweb.analysed.web import AnalysedWeb

HTML = {"Content-Type": "text/html"}
MakeAnalyst = Callable[..., Analyst]
MakeWeb = Callable[..., AnalysedWeb]
Answer = tuple[str, int, dict[str, str], bytes]


def page(name: str, *links: str, head: str = "") -> Answer:
    anchors = " ".join(f'<a href="{url(link)}">honey {link}</a>' for link in links)
    body = f"<html><head>{head}</head><body><p>Bees keep honey in {name}.</p><p>{anchors}</p></body></html>"
    return url(name), 200, HTML, body.encode()


def redirect(name: str, target: str) -> Answer:
    return url(name), 302, {"Location": url(target)}, b""


def failure(name: str, status: int) -> Answer:
    return url(name), status, HTML, b"<p>no</p>"


def url(name: str) -> str:
    """Return the URL of a page; the first letter of its name is its host."""
    return f"http://{name[0]}.example/{name[1:]}"


def names(crawl: Simulation) -> list[str]:
    return [f"{found[7]}{found.partition('.example/')[2]}" for found in crawl.urls]


def crawled(
    analyst: Analyst, web: AnalysedWeb, *seeds: str, pages: int = 99, rules: Rules | None = None
) -> list[str]:
    """Return the names of the pages in order, "a1" for http://a.example/1."""
    return names(simulate(analyst, web, [url(seed) for seed in seeds], pages, rules or Rules()))


def test_a_crawl_ends_when_nothing_is_left(make_analyst: MakeAnalyst, make_web: MakeWeb) -> None:
    """Or when its pages are spent: the reason tells."""
    web = make_web(page("a", "b", "c"), page("b", "a"), failure("c", 404))
    every = simulate(make_analyst(), web, [url("a")], 10, Rules())
    assert (names(every), every.visits, every.reason) == (["a", "b"], [0, 1], "finished")
    one = simulate(make_analyst(), web, [url("a")], 1, Rules())
    assert (names(one), one.reason) == (["a"], "pages_budget")


def test_no_seed_no_crawl(make_analyst: MakeAnalyst, make_web: MakeWeb) -> None:
    """Neither without seeds nor with what is no URL."""
    web = make_web(page("a"))
    assert simulate(make_analyst(), web, [], 5, Rules()).visits == []
    assert simulate(make_analyst(), web, ["mailto:a@example.org"], 5, Rules()).reason == "finished"


def test_the_first_seed_is_first(make_analyst: MakeAnalyst, make_web: MakeWeb) -> None:
    """It leaves before the others come, as a crawl asks for it at once; so whichever it is."""
    web = make_web(*(page(name) for name in "abcd"))
    for first in "abcd":
        others = [name for name in "abcd" if name != first]
        assert crawled(make_analyst(), web, first, *others)[0] == first


def test_redirects_are_followed(make_analyst: MakeAnalyst, make_web: MakeWeb) -> None:
    """To a page that was not fetched, under whatever URL it was asked for, and ten hops far."""
    hops = [redirect(f"r{n}", f"r{n + 1}") for n in range(1, 11)]
    web = make_web(
        page("a", "b", "c", "r1", "r2"), redirect("b", "d"), redirect("c", "d"), page("d"), *hops, page("r11")
    )
    assert sorted(crawled(make_analyst(), web, "a")) == ["a", "d", "r11"]
    assert crawled(make_analyst(), web, "r1") == ["r11"]
    assert crawled(make_analyst(), make_web(redirect("r0", "r1"), *hops, page("r11")), "r0") == []


def test_a_redirect_in_a_circle_ends(make_analyst: MakeAnalyst, make_web: MakeWeb) -> None:
    """After its hops, with no page."""
    web = make_web(redirect("a", "b"), redirect("b", "a"), redirect("c", "c1"))
    assert crawled(make_analyst(), web, "a", "c") == []


def test_a_page_that_refreshes_leads_on(make_analyst: MakeAnalyst, make_web: MakeWeb) -> None:
    """Its own text is not read, unless it stands where redirects end."""
    head = f'<meta http-equiv="refresh" content="0;url={url("b")}">'
    web = make_web(page("a", "c", head=head), page("b"), page("c"))
    assert crawled(make_analyst(), web, "a") == ["b"]
    hops = [redirect(f"r{n}", f"r{n + 1}") for n in range(10)]
    web = make_web(*hops, page("r10", "c", head=head), page("b"), page("c"))
    assert crawled(make_analyst(), web, "r0") == ["r10", "c"]


def test_what_may_pass_is_tried_again(make_analyst: MakeAnalyst, make_web: MakeWeb) -> None:
    """It costs no page, and ends after so many tries."""
    web = make_web(page("a", "b", "c"), failure("b", 503), page("c"))
    assert crawled(make_analyst(), web, "a", rules=Rules(max_tries=5)) == ["a", "c"]


def test_links_beyond_the_depth_limit_are_left(make_analyst: MakeAnalyst, make_web: MakeWeb) -> None:
    """Pages at the limit are fetched."""
    web = make_web(page("a", "b"), page("b", "c"), page("c", "d"), page("d"))
    assert crawled(make_analyst(DEPTH_LIMIT=2), web, "a") == ["a", "b", "c"]


def test_a_frontier_that_makes_us_wait(make_analyst: MakeAnalyst, make_web: MakeWeb) -> None:
    """Time passes at once, to another host of a redirect as well."""
    web = make_web(page("a", "a1", "a2"), page("a1"), redirect("a2", "a3"), page("a3"))
    assert sorted(crawled(make_analyst(), web, "a", rules=Rules(delay=60.0))) == ["a", "a1", "a3"]


def test_many_in_flight_take_the_time_they_would(make_analyst: MakeAnalyst, make_web: MakeWeb) -> None:
    """As many at a time as hosts have answers for; what is in flight has told nothing yet."""
    web = make_web(page("a", "b1", "c1", "b2", "c2"), *map(page, ("b1", "b2", "c1", "c2")))
    rules, seeds = Rules(delay=10.0, per_host=1), [url("a")]
    alone = simulate(make_analyst(), web, seeds, 9, rules, flight=Flight(1, 1.0))
    many = simulate(make_analyst(), web, seeds, 9, rules, flight=Flight(4, 1.0))
    assert sorted(alone.visits) == sorted(many.visits) == [0, 1, 2, 3, 4]
    assert alone.requests == many.requests == 5
    assert 10.0 < many.seconds <= alone.seconds < 20.0


def test_slots_wait_for_the_best_host(make_analyst: MakeAnalyst, make_web: MakeWeb) -> None:
    """Where a share of its priority is needed; else what is deeper down goes before its next page."""
    web = make_web(page("a", "a1", "a2", "b1"), *map(page, ("a1", "a2")), page("b1", "c1"), page("c1"))
    orders = []
    for share in (0.0, 0.9):
        rules = Rules(delay=5.0, per_host=1, wait_for_best=share)
        crawl = simulate(make_analyst("breadth_first"), web, [url("a")], 9, rules, flight=Flight(4, 0.5))
        orders.append(names(crawl))
    assert [order.index("c1") < order.index("a2") for order in orders] == [True, False]


def test_pages_of_a_host_may_be_bounded(make_analyst: MakeAnalyst, make_web: MakeWeb) -> None:
    """The rules are the frontier's own."""
    web = make_web(page("a", "a1", "a2", "b1"), page("a1"), page("a2"), page("b1"))
    found = crawled(make_analyst(), web, "a", rules=Rules(host_pages=2))
    assert sorted(name[0] for name in found) == ["a", "a", "b"]


def test_relevance_is_found_out_once(make_analyst: MakeAnalyst, make_web: MakeWeb) -> None:
    """What is known is believed, and what is new is told."""
    web = make_web(page("a", "b"), page("b", "c"), page("c"))
    known: dict[int, float] = {}
    simulate(make_analyst(), web, [url("a")], 9, Rules(), relevance=known)
    assert sorted(known) == [0, 1, 2]
    assert all(0.0 <= value <= 1.0 for value in known.values())
    known[0] = 0.123
    analyst = make_analyst("best_first_content")
    simulate(analyst, web, [url("a")], 9, Rules(), relevance=known)
    assert known[0] == 0.123


def test_another_reading_is_refused(make_analyst: MakeAnalyst, make_web: MakeWeb) -> None:
    """Else the crawl would silently be another one."""
    with pytest.raises(ValueError, match="context_words=3"):
        simulate(make_analyst(FOCUSED_CONTEXT_WORDS=3), make_web(page("a")), [url("a")], 1, Rules())


PAGES = [f"{host}{number}" for host in "abc" for number in range(4)]
kinds = st.sampled_from(["page", "page", "redirect", "refresh", "fails", "busy", "missing"])
webs = st.lists(
    st.tuples(kinds, st.lists(st.sampled_from(PAGES), max_size=5)), min_size=len(PAGES), max_size=len(PAGES)
)


@settings(max_examples=60, deadline=None)
@given(
    webs, st.integers(0, 14), st.integers(1, 4), st.sampled_from(["breadth_first", "lpe_soft"]),
    st.sampled_from([Flight(), Flight(1, 0.5), Flight(4, 0.5)]),
)  # fmt: skip
def test_laws(
    make_analyst: MakeAnalyst, make_web: MakeWeb, rows: list, pages: int, n_best: int, strategy: str,
    flight: Flight,
) -> None:  # fmt: skip
    """No page twice, never more than asked for, the same again, and none that no link leads to."""
    web = make_web(page("z", "a0", "b1"), *filter(None, map(answer, PAGES, rows)))
    analyst = make_analyst(strategy)
    rules = Rules(n_best=n_best)
    crawl = simulate(analyst, web, [url("z"), url("c2")], pages, rules, flight=flight)
    assert len(crawl.visits) == len(set(crawl.visits)) <= pages
    assert crawl.reason == ("pages_budget" if len(crawl.visits) == pages else "finished")
    assert crawl == simulate(analyst, web, [url("z"), url("c2")], pages, rules, flight=flight)
    found = {web.number(url("z")), web.number(url("c2"))}
    for number in crawl.visits:
        found |= {web.number(link.url) for link in web.page(number).links} | {number}
    assert set(crawl.visits) <= found


def answer(name: str, row: tuple[str, list[str]]) -> Answer | None:
    kind, links = row
    first = links[0] if links else name
    return {
        "page": page(name, *links),
        "redirect": redirect(name, first),
        "refresh": page(name, *links, head=f'<meta http-equiv="refresh" content="0;url={url(first)}">'),
        "fails": failure(name, 410),
        "busy": failure(name, 503),
        "missing": None,
    }[kind]


def test_a_hub_raises_nothing_with_a_word_in_its_url(make_analyst: MakeAnalyst, make_web: MakeWeb) -> None:
    """Which a link to it would not be followed for, either."""
    web = make_web(page("a", "b", "c", "d", "f"), *(page(name) for name in "bcdf"))
    settings = {"FOCUSED_DISTILL_PAGES": 2, "FOCUSED_HUB_TRIGGER": 2, "FOCUSED_SKIP_URLS": "f.example"}
    assert sorted(crawled(make_analyst(**settings), web, "a")) == ["a", "b", "c", "d"]
    settings["FOCUSED_SKIP_URLS"] = ""
    assert sorted(crawled(make_analyst(**settings), web, "a")) == ["a", "b", "c", "d", "f"]


def test_a_hub_raises_nothing_that_lies_too_deep(make_analyst: MakeAnalyst, make_web: MakeWeb) -> None:
    """Its links are not followed, however good it is."""
    web = make_web(page("a", "b", "c", "d"), page("b", "c", "d", "f"), *(page(name) for name in "cdf"))
    settings = {"FOCUSED_DISTILL_PAGES": 2, "FOCUSED_HUB_TRIGGER": 3, "DEPTH_LIMIT": "1"}
    assert sorted(crawled(make_analyst(**settings), web, "a")) == ["a", "b", "c", "d"]
    settings["DEPTH_LIMIT"] = "2"
    assert sorted(crawled(make_analyst(**settings), web, "a")) == ["a", "b", "c", "d", "f"]


class Shallow:
    """Follows the links of start pages."""

    def __init__(self, *_: object) -> None:
        pass

    def learn(self, page: Page) -> None:
        pass

    def score(self, page: Page, links: Sequence[Link]) -> list[float | None]:
        return [None if page.depth else 0.5] * len(links)


def test_what_a_hub_raises_leads_to_nothing_outside(make_analyst: MakeAnalyst, make_web: MakeWeb) -> None:
    """Nor by a redirect, though no link to it was followed."""
    pages = (page("a", "b", "c", "d"), page("b", "c", "d", "f"), page("c"), page("d"), page("g"))
    web = make_web(*pages, redirect("f", "g"))
    settings: dict[str, object] = {"FOCUSED_DISTILL_PAGES": 2, "FOCUSED_HUB_TRIGGER": 3}
    settings["FOCUSED_LINK_SCORERS"] = {"shallow": f"{__name__}.Shallow"}
    assert crawled(make_analyst("shallow", **settings), web, "a")[-1] == "g"
    settings["FOCUSED_SKIP_URLS"] = "g.example"
    assert sorted(crawled(make_analyst("shallow", **settings), web, "a")) == ["a", "b", "c", "d"]
    assert crawled(make_analyst("shallow", **settings), web, "f") == ["g"]


def test_what_a_hub_has_raised_stays_first(make_analyst: MakeAnalyst, make_web: MakeWeb) -> None:
    """Whatever pages with weaker links to it are found meanwhile, and however they are scored together."""
    others = " ".join(f'<a href="{url(name)}">{name}</a>' for name in "cde")
    bodies = {
        "a": f'<p>Bees keep honey.</p><p><a href="{url("b")}">honey</a> {others}</p>',
        "b": f'<p>Bees keep honey.</p><p><a href="{url("x")}">x</a></p>',
        **dict.fromkeys("cde", f"<p>Rain. {others}</p>"),
        "x": "<p>Rain.</p>",
    }
    web = make_web(*((url(name), 200, HTML, body.encode()) for name, body in bodies.items()))
    settings = {"FOCUSED_DISTILL_PAGES": 2, "FOCUSED_HUB_TRIGGER": 1}
    analyst = make_analyst(strategy="mean_of_parents", **settings)
    found = crawled(analyst, web, "a")
    assert (found[:2], sorted(found[2:5]), found[5:]) == (["a", "b"], ["c", "d", "e"], ["x"])
