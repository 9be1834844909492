"""The demo web's topics: `topic.toml` and the ground truth, known by construction."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from random import Random

from focused_crawler.virtualweb.demo.grammar import TOPICS, words
from focused_crawler.virtualweb.demo.model import DemoPage, World
from focused_crawler.virtualweb.truth import RELEVANT

RELEVANT_EXAMPLES = 30
OTHER_EXAMPLES = 60


def write_topics(world: World, folder: Path) -> None:
    """Write a folder a topic."""
    for topic in TOPICS:
        home = folder / topic
        home.mkdir(parents=True, exist_ok=True)
        (home / "topic.toml").write_text(_topic_toml(world, topic), encoding="utf-8")
        (home / RELEVANT).write_text(
            "".join(f"{url}\n" for url in relevant_urls(world, topic)), encoding="utf-8"
        )


def relevant_urls(world: World, topic: str) -> list[str]:
    """Return all pages about a topic, but no copies on the mirror: who has the page has no use for them."""
    return sorted(page.url for page in world.pages if page.topic == topic)


def _topic_toml(world: World, topic: str) -> str:
    random = world.random(f"topic {topic}")
    about = words(topic)
    sets = _seed_sets(world, topic, random)
    relevant = random.sample([p for p in _visible(world) if p.topic == topic], RELEVANT_EXAMPLES)
    other = random.sample([p for p in _visible(world) if topic not in (p.topic, p.subject)], OTHER_EXAMPLES)
    lines = [f"{key} = {json.dumps(value)}" for key, value in (("name", topic), ("title", about["title"]))]
    lines += [f"description = {json.dumps(about['description'])}", 'language = "en"']
    lines += [_strings("keywords", about["keywords"]), _urls("seeds", sets["a"])]
    lines += ["", "[seed_sets]", *(_urls(name, pages) for name, pages in sets.items())]
    lines += ["", "[examples]", _urls("relevant", relevant), _urls("other", other), ""]
    return "\n".join(lines)


def _seed_sets(world: World, topic: str, random: Random) -> dict[str, list[DemoPage]]:
    """Return a: five relevant pages on as many hosts. b: one. c: pages about other things."""
    by_host: dict[str, list[DemoPage]] = {}
    for page in _visible(world):
        if page.topic == topic and page.kind == "article":
            by_host.setdefault(page.site.host, []).append(page)
    five = [random.choice(by_host[host]) for host in random.sample(sorted(by_host), 5)]
    general = [site.pages[0] for site in world.sites if site.kind == "general"]
    directory = [site.pages[0] for site in world.sites if site.kind == "directory"]
    return {"a": five, "b": five[:1], "c": [*directory, *random.sample(general, 3 - len(directory))]}


def _visible(world: World) -> list[DemoPage]:
    return [page for page in world.pages if not page.is_hidden and page.kind != "private"]


def _urls(key: str, pages: Iterable[DemoPage]) -> str:
    return _strings(key, [page.url for page in pages])


def _strings(key: str, values: Iterable[str]) -> str:
    return "\n".join([f"{key} = [", *(f"    {json.dumps(value)}," for value in values), "]"])
