from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from io import StringIO

import pytest
from rich.console import Console, RenderableType

from focused_crawler.crawl.analysis import Analyst
from focused_crawler.page.model import Focus
from focused_crawler.page.parser import parse_page
from focused_crawler.report.explain.html import save_html
from focused_crawler.report.explain.links import parts_of, score_links
from focused_crawler.report.explain.page import (
    BlockReason,
    PageReasons,
    TermReason,
    WritingAnalyzer,
    explain_page,
    judge,
)
from focused_crawler.report.explain.terminal import MOST_BLOCKS, link_reasons, page_reasons, place_in_taxonomy

URL = "http://bread.example/"
LONG = "loaf" * 30
HOSTILE = f"""<title>Bread\x1b[2J [red]oven[/red]</title>
<p>oven\x1b]0;x\x07 [/bold] \u202ebread <b>&lt;script&gt;</b> onclick="x" {LONG} dough flour</p>
<p><a href='/a?[/red]'>[link=http://x]yeast\x1b[0m</a> and <a href=/b></a> flour, dough, yeast, crust</p>"""


def reasons(analyst: Analyst, body: str = HOSTILE) -> PageReasons:
    page = parse_page(body.encode(), URL, WritingAnalyzer("en"), "utf-8")
    judge(analyst, page, 1)
    return explain_page(analyst, page)


def printed(analyst: Analyst, width: int, body: str = HOSTILE) -> str:
    why = reasons(analyst, body)
    shown = [(found, parts_of(analyst, why.page, found)) for found in score_links(analyst, why.page)]
    links = link_reasons(why.page, [found for found, _ in shown], shown, analyst.order.strategy)
    return output(page_reasons(why), links, width=width)


def output(*shown: RenderableType, width: int = 80) -> str:
    out = StringIO()
    Console(file=out, width=width, highlight=False, color_system=None).print(*shown)
    return out.getvalue()


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("classifier", ["ratio_regression", "cold"])
def test_nothing_of_a_page_steers_the_terminal(
    analyst: Callable[..., Analyst], classifier: str, width: int
) -> None:
    """Controls and marks of direction are escaped, markup is text, and no line is too long."""
    text = printed(analyst(classifier), width)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text)
    assert "[red]oven[/red]" in text
    assert "[link=http://x]yeast" in text
    assert max(map(len, text.splitlines())) <= width


def test_columns_keep_their_figures(analyst: Callable[..., Analyst]) -> None:
    """Long words and long blocks give way at 80 columns."""
    text = printed(analyst(), 80)
    assert re.search(r"^ word +term +log odds +headline +keywords +anchor +body *$", text, re.MULTILINE)
    assert re.search(r"^ +1 +[+-]\d\.\d{3} +0\.\d\d   oven", text, re.MULTILINE)
    assert re.search(r"^ +[+-]\d\.\d{3} +\(title and meta keywords\)", text, re.MULTILINE)


def test_the_strongest_words_come_first(analyst: Callable[..., Analyst]) -> None:
    """Those for the topic, then those against it; a word that says nothing is neither."""
    values = {"best": 2.0, "good": 1.0, "nothing": 0.0, "bad": -1.0, "worst": -3.0}
    terms = [TermReason(word, word, value, (0, 0, 0, 1)) for word, value in values.items()]
    text = output(page_reasons(replace(reasons(analyst()), terms=terms)))
    shown = re.findall(r"^ (\w+) +[+-]\d\.\d{3} +100%", text, re.MULTILINE)
    assert shown == ["best", "good", "worst", "bad"]


def test_of_many_blocks_the_weightiest_are_shown(analyst: Callable[..., Analyst]) -> None:
    """For the topic or against it, in reading order; the others add up in one line."""
    values = dict.fromkeys(range(1, MOST_BLOCKS + 3), 0.5) | {3: -5.0, 7: 0.003, 9: -0.002}
    blocks = [BlockReason(number, (), value, 0.0) for number, value in values.items()]
    text = output(page_reasons(replace(reasons(analyst()), blocks=blocks)))
    shown = re.findall(r"^ +(\d+) +[+-]\d\.\d{3} +0\.00", text, re.MULTILINE)
    assert shown == [str(number) for number in values if number not in {7, 9}]
    assert re.search(r"^ +\+0\.001 +\(2 more\)", text, re.MULTILINE)


def test_links_come_with_what_makes_their_scores(analyst: Callable[..., Analyst]) -> None:
    """The formula once, the values a link, and the addends of a sum."""
    text = printed(analyst(strategy="link_classifier"), 120)
    assert "It links to 2 pages; link_classifier follows 2\n" in text
    assert text.count("priority = sigmoid(-1.5 + 0.6 * page_log_odds + 3 * anchor + url_and_words)") == 1
    assert re.search(r"page_log_odds -?\d\.\d{3}, anchor 0\.\d{3}, url_and_words -?\d\.\d{3}", text)
    assert re.search(r"url_and_words = intercept [+-]\d\.\d{3}, host bread.example \+\d\.\d{3}", text)
    assert text.count("(no text)") == 1
    assert "[link=http://x]yeast" in text


def test_a_page_without_words(analyst: Callable[..., Analyst]) -> None:
    """There is a verdict, and no empty table."""
    text = printed(analyst(), 80, "<p>")
    assert "(no title)" in text
    assert "The classifier knows 0 of its 0 terms." in text
    assert "log odds" not in text
    assert text.endswith("It links to 0 pages; lpe_soft follows 0\n")


def test_the_taxonomy_has_its_line(analyst: Callable[..., Analyst]) -> None:
    """With R(d), where the crawl has a taxonomy."""
    why = reasons(analyst())
    assert list(place_in_taxonomy(why.page)) == []
    why.page.focus = Focus(0.8125, "home/food\x1b[2J", is_good=False)
    (line,) = place_in_taxonomy(why.page)
    assert "home/food" in line
    assert "\x1b" not in line
    assert line.endswith(", not a good one; R(d), that it belongs to a good one, is 0.812.")


def test_the_coloured_page_is_escaped(analyst: Callable[..., Analyst], tmp_path) -> None:
    """Words are marked by what they say; markup of the page is text there, too."""
    save_html(reasons(analyst()), tmp_path / "why.html")
    text = (tmp_path / "why.html").read_text()
    assert re.search(r'<mark title="\+\d\.\d{3}" style="--strength: \d+%">yeast', text)
    assert "&lt;script&gt;" in text
    assert "<script" not in text
    assert "\x1b" not in text
