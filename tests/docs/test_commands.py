from __future__ import annotations

import re
from pkgutil import iter_modules

import pytest
from scrapy.commands import ScrapyHelpFormatter

from focused_crawler.edge import menu
from tests.docs.commands import GLOBAL, PAGE, commands_page, found_as


def test_the_page_of_commands_is_what_they_say_themselves() -> None:
    """Else run `python -m tests.docs.commands`."""
    assert PAGE.read_text() == commands_page()


def test_each_way_to_use_a_command_is_whole() -> None:
    """No line of the page is a piece of one: `scrapy thesaurus --search)`, or `preview CRAWL......`."""
    ways = re.findall(r"^    (scrapy .+)$", PAGE.read_text(), re.MULTILINE)
    assert len(ways) > 50
    for way in ways:
        assert way.count("(") == way.count(")"), way
        assert not re.match(r"scrapy \w+ -(?!-web)|.*(?:\.{4}|:$)", way), way


@pytest.mark.parametrize("name", [found.name for found in iter_modules(menu.__path__)])
def test_help_has_the_same_headings_at_any_width(name: str) -> None:
    """Scrapy makes a heading of each line that ends with a colon, also in the middle of an option."""
    (_, _, parser), found = found_as(name), set()
    for width in (1000, *range(60, 121)):
        formatter = ScrapyHelpFormatter(parser.prog, width=width)
        for group in (group for group in parser._action_groups if group.title != GLOBAL):
            formatter.start_section(group.title)
            formatter.add_arguments(group._group_actions)
            formatter.end_section()
        found.add(len(re.findall(r"^[=-]{4,}$", formatter.format_help(), re.MULTILINE)))
    assert len(found) == 1
