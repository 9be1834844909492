"""The order that learns can go without each of its parts, and is itself where it goes without none."""

from __future__ import annotations

import pytest

from focused_crawler.experiment.checks import is_control
from focused_crawler.link_scoring.adaptive import Adaptive, AdaptiveOptions
from focused_crawler.link_scoring.registry import (
    ABLATIONS,
    STRATEGIES,
    create,
    is_known,
    options_of,
    scored_by,
)
from focused_crawler.link_scoring.weights import LEFT_OUT, Weights
from focused_crawler.page.model import Page
from focused_crawler.page.url import url_key
from focused_crawler.safety.errors import ConfigError
from tests.link_scoring.test_adaptive import HUB, LIST, MENU, TOPIC, link, page, visit

DIRECTORY = "http://list.example/"


def target(place: int, number: int) -> str:
    return f"http://site.example/{place}/{number}"


def crawled() -> list[Page]:
    """Return pages of which each part has something to say: a directory, a hub, what its lists lead to."""
    inside = [link(f"{DIRECTORY}{number}") for number in range(4)]
    hub = [link(target(place, number), place, ["robot"]) for place in (LIST, MENU) for number in range(20)]
    last = page("http://site.example/", [link(target(LIST, 30), LIST, ["robot"])], relevance=0.4)
    led_to = [
        page(target(place, number), relevance=place == LIST) for number in range(8) for place in (LIST, MENU)
    ]
    return [page(DIRECTORY, inside, relevance=0.0, depth=0), page(HUB, hub, relevance=0.9), *led_to, last]


def order_of(name: str) -> tuple[Adaptive, list[dict[object, float]]]:
    """Return the strategy after these pages, and all priorities that it gave and changed."""
    scorer = create(name, TOPIC)
    return scorer, [found for made in crawled() for found in visit(scorer, made)]


@pytest.mark.parametrize("part", LEFT_OUT)
def test_without_a_part_priorities_differ(part: str) -> None:
    assert order_of(f"without:{part}")[1] != order_of("adaptive")[1]


def test_what_weighs_as_ever_is_as_ever() -> None:
    """All that leaves a part out are weights, and the whole order's are the default ones."""
    plain = Adaptive(TOPIC, AdaptiveOptions(), Weights())
    found = [found for made in crawled() for found in visit(plain, made)]
    assert found == order_of("adaptive")[1]


@pytest.mark.parametrize(
    ("part", "names"),
    [
        ("places", {"by_place"}),
        ("hosts", {"by_host"}),
        ("folders", {"by_folder"}),
        ("wording", {"wording"}),
        ("outcomes", {"by_place", "by_host", "by_folder", "wording", "brought"}),
        ("link", {"link_weight"}),
        ("pages", {"pages_weight"}),
        ("words", {"likeness"}),
    ],
)
def test_what_is_left_out_weighs_nothing(part: str, names: set[str]) -> None:
    """And nothing else does: what `explain` shows of a link of a crawl that all parts have a say in."""
    assert nothing_of("adaptive") == set()
    assert nothing_of(f"without:{part}") == names


def nothing_of(name: str) -> set[str]:
    scorer, _ = order_of(name)
    parts = scorer.parts(page(HUB), link(target(LIST, 15), LIST, ["robot"]))
    weights = {f"{kind}_weight": parts.sums["weight"][kind] for kind in ("pages", "link")}
    shown = {**parts.values, **parts.sums["brought"], **weights}
    return {kind for kind, value in shown.items() if not value}


def test_without_directories_no_way_leads_through_one() -> None:
    """Nor do links carry the site of one."""
    for name, is_way in (("adaptive", True), ("without:directories", False)):
        scorer, _ = order_of(name)
        first = crawled()[0]
        assert (scorer.path(first) is not None) is is_way
        assert ("way_through_a_directory" in scorer.parts(first, first.links[0]).values) is is_way


def test_without_rescoring_a_link_keeps_its_priority() -> None:
    """That by which it was met, whatever is learnt; a new one has what was learnt."""
    scorer, found = order_of("without:rescoring")
    assert not any(found[1::2])
    assert scorer.standing(url_key(target(MENU, 15))).sent == pytest.approx(
        found[2][target(MENU, 15)], abs=1e-6
    )
    assert any(order_of("adaptive")[1][1::2])


@pytest.mark.parametrize("name", ABLATIONS)
def test_an_ablation_is_a_strategy_like_others(name: str) -> None:
    """With the options of the whole, shuffled like any, and no control; but none that runs by itself."""
    assert is_known(name, {})
    assert is_known(f"shuffled:{name}", {})
    assert name not in STRATEGIES
    assert type(options_of(name, ())) is type(options_of("adaptive", ()))
    assert scored_by(f"shuffled:{name}") == name
    assert (is_control(name), is_control(f"shuffled:{name}")) == (False, True)


@pytest.mark.parametrize(
    ("name", "part", "near"),
    [
        ("without:hots", "hots", "did you mean hosts? Else "),
        ("shuffled:without:Place", "Place", "did you mean places? Else "),
        ("without:lpe", "lpe", ""),
        ("without:", "", ""),
        ("without", "", ""),
    ],
)
def test_a_part_that_is_none(name: str, part: str, near: str) -> None:
    """One line says which there are."""
    with pytest.raises(ConfigError) as error:
        create(name, TOPIC)
    use = f"use one of {', '.join(LEFT_OUT)}, as in without:hosts"
    assert str(error.value) == f"adaptive has no part {part!r}; {near}{use}"
