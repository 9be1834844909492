from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.page.blocks import partition
from focused_crawler.page.parser import parse_page
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.report.explain.page import WritingAnalyzer, text_of, written

LANGUAGES = ["en", "de", "fr", "zh", "tr", "xx"]
ANALYZERS = {language: (Analyzer(language), WritingAnalyzer(language)) for language in LANGUAGES}
HTML = "<title>Robots' arms</title><meta name=keywords content='robot arms'><h1>The <i>ro</i>bot</h1>{}<p>end"


@given(st.sampled_from(LANGUAGES), st.text(max_size=60))
def test_terms_are_the_same(language: str, text: str) -> None:
    """To all that judges a page, a term that remembers its word is a term as any other."""
    plain, writing = ANALYZERS[language]
    terms = writing.terms(text)
    assert terms == plain.terms(text)
    assert {*terms} == {*plain.terms(text)}


@given(
    st.lists(
        st.sampled_from(
            ["<p>", "<a href=/x>", "</a>", "arms, ", "the ", "state-of-the-art ", "机器人 ", "& "]
        )
    )
)
def test_a_page_is_the_same(parts: list[str]) -> None:
    """Sections, blocks and links; and each term of a block stands in one section, too."""
    body = HTML.format("".join(parts)).encode()
    pages = [parse_page(body, "http://a.example/", analyzer, "utf-8") for analyzer in ANALYZERS["en"]]
    for page in pages:
        partition(page)
    assert pages[0] == pages[1]
    sections = pages[1].sections
    in_sections = {id(term) for name in ("headline", "anchor", "body") for term in getattr(sections, name)}
    assert {id(term) for block in pages[1].blocks for term in block.terms} <= in_sections


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("(Robots' arms)", ["Robots", "arms"]),
        ("the ROBOT’s arm…", ["the", "ROBOT’s", "arm"]),
        ("state-of-the-art", ["state", "of", "the", "art"]),
        ("机器人", ["机器", "器人"]),
        ("C++ !", ["C"]),
    ],
)
def test_words_as_they_are_written(text: str, words: list[str]) -> None:
    """Without the signs around them, where a part of the text is one word."""
    terms = written(WritingAnalyzer("en").terms(text))
    assert [term.word for term in terms] == words
    assert text_of(terms) == text.removesuffix(" !")
