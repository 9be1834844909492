from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from focused_crawler.crawl.fetching import FETCHING
from focused_crawler.crawl.profiles import profile_names
from focused_crawler.edge import meta
from focused_crawler.edge.arguments import SETTING_OF_ARGUMENT
from focused_crawler.edge.setting_names import DEFAULTS
from focused_crawler.link_scoring.registry import STRATEGIES

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "focused_crawler"


@cache
def documented(page: str) -> set[str]:
    """Return all that a page sets in code type."""
    return set(re.findall(r"`([^`\n]+)`", (ROOT / page).read_text()))


def strings(tree: ast.AST) -> set[str]:
    """Return all strings of a file; of one with values in it, the part before the first value."""
    inside = {part for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    whole = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and node not in inside}
    begun = {
        node.values[0].value
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr) and isinstance(node.values[0], ast.Constant)
    }
    return {text for text in whole | begun if isinstance(text, str)}


@cache
def stats_written() -> set[str]:
    found = set()
    for code in (path.read_text() for path in PACKAGE.rglob("*.py")):
        if "focused/" in code:  # or it takes a second to look at all files
            found |= {text for text in strings(ast.parse(code)) if text.startswith("focused/")}
    return found


@pytest.mark.parametrize("name", sorted({*DEFAULTS, *FETCHING}))
def test_every_setting_is_documented(name: str) -> None:
    """In docs/reference/settings.md, which names the ones we set of Scrapy's as well."""
    assert name in documented("docs/reference/settings.md")


def documented_defaults() -> dict[str, object]:
    """Return name -> default from the tables of docs/reference/settings.md."""
    rows = re.findall(
        r"^\| (`[A-Z].*?) \| (.*?) \|", (ROOT / "docs/reference/settings.md").read_text(), re.MULTILINE
    )
    return {name: value_of(default) for names, default in rows for name in re.findall(r"`(.+?)`", names)}


def value_of(cell: str) -> object:
    parts = re.findall(r"`(.*?)`", cell)
    if len(parts) > 1:
        return parts
    try:
        return ast.literal_eval(parts[0])
    except (SyntaxError, ValueError):
        return parts[0]


@pytest.mark.parametrize("name", sorted({*DEFAULTS, *FETCHING} & documented_defaults().keys()))
def test_documented_defaults_are_the_real_ones(name: str) -> None:
    """A default that is tuned is changed in docs/reference/settings.md as well."""
    assert documented_defaults()[name] == {**DEFAULTS, **FETCHING}[name]


@pytest.mark.parametrize("name", sorted({*SETTING_OF_ARGUMENT, *profile_names()}))
def test_every_argument_and_profile_is_documented(name: str) -> None:
    """What may stand after -a."""
    assert name in documented("docs/reference/settings.md")


@pytest.mark.parametrize("key", [value for name, value in vars(meta).items() if name.isupper()])
def test_every_meta_key_is_documented(key: str) -> None:
    """In docs/reference/meta.md."""
    assert key in documented("docs/reference/meta.md")


@pytest.mark.parametrize("stat", sorted(stats_written()))
def test_every_stat_is_documented(stat: str) -> None:
    """In docs/reference/stats.md; of a stat with a variable end, at least one."""
    known = documented("docs/reference/stats.md")
    assert stat in known or (stat.endswith("/") and any(name.startswith(stat) for name in known))


def test_no_documented_stat_is_gone() -> None:
    """Each one is written somewhere, in whole or in its first parts."""
    written = stats_written()
    prefixes = tuple(stat for stat in written if stat.endswith("/"))
    for stat in documented("docs/reference/stats.md") - {"focused/"}:
        assert not stat.startswith("focused/") or stat in written or stat.startswith(prefixes), stat


@pytest.mark.parametrize("name", STRATEGIES)
def test_every_strategy_has_its_page(name: str) -> None:
    """With the paper it is from; those that are for comparison have a section of one in research."""
    peers = (ROOT / "docs/research/peers.md").read_text("utf-8")
    assert (ROOT / f"docs/explanation/strategies/{name}.md").is_file() or f"\n## {name}\n" in peers
