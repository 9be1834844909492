"""The strict TOML reader finds the line of any key, however the file is written."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.safety.errors import TopicError
from focused_crawler.safety.printable import place
from focused_crawler.topic.file import TopicFile, read_text, shown

TRICKY = '''\
# seeds = "not here"
description = """
seeds = "nor here"
[examples]
relevant = 1
"""
"seeds" = [  # here: line 7
    "https://a.example/?x=1",
    # [thresholds]

    "https://b.example/",
]
thresholds.link = 0.5

[examples]   # the table
other = [["nested"], ["https://b.example/"]]
relevant = []
[ seed_sets . deep ]
a = 1
[[many]]
b = 2
'''


@pytest.fixture
def tricky(tmp_path):
    path = tmp_path / "topic.toml"
    path.write_text(TRICKY, encoding="utf-8")
    return TopicFile(path, 10_000)


@pytest.mark.parametrize(
    ("table", "key", "item", "line"),
    [
        ("", "description", None, 2),
        ("", "seeds", None, 7),
        ("", "seeds", "https://a.example/?x=1", 8),
        ("", "seeds", "https://b.example/", 11),
        ("", "seeds", "written otherwise", 7),
        ("thresholds", "link", None, 13),
        ("", "examples", None, 15),
        ("examples", "other", "https://b.example/", 16),
        ("examples", "relevant", None, 17),
        ("seed_sets", "deep", None, 18),
        ("", "many", None, 20),
        ("", "not there", None, 1),
        ("examples", "not there", None, 1),
    ],
)
def test_line_of_a_key_is_found(tricky, table, key, item, line):
    """Texts of several lines, comments, dotted keys and nested lists do not lead astray."""
    assert f"topic.toml:{line}: wrong" in str(tricky.error(table, key, "wrong", item))


def test_long_file_is_searched_quickly(tmp_path):
    """Even a list of ten thousand commented URLs costs no noticeable time."""
    path = tmp_path / "topic.toml"
    items = "".join(f'    "https://a.example/{n}",  # [{n}] = x\n    # y =\n\n' for n in range(10_000))
    path.write_text(f"a = [\n{items}]\nb = 1\n", encoding="utf-8")
    file = TopicFile(path, 1_000_000)
    started = time.process_time()
    assert ":30003: wrong" in str(file.error("", "b", "wrong"))
    assert time.process_time() - started < 2


def test_file_one_byte_over_the_limit_is_refused(tmp_path):
    """The limit itself is still allowed."""
    path = tmp_path / "a.txt"
    path.write_bytes(b"12345")
    assert read_text(path, 5) == "12345"
    with pytest.raises(TopicError, match=r"is larger than 4 bytes; keep it below$"):
        read_text(path, 4)


def test_paths_are_shown_as_one_would_type_them(tmp_path, monkeypatch):
    """Below the working folder a path is relative, elsewhere absolute."""
    monkeypatch.chdir(tmp_path)
    assert place(tmp_path / "a" / "b.toml", 3) == "a/b.toml:3"
    assert place(Path("/elsewhere/b.toml")) == "/elsewhere/b.toml"


@given(st.text() | st.integers() | st.floats() | st.lists(st.text()))
def test_shown_values_stay_on_one_short_line(value):
    """No value can break an error's line or flood a terminal."""
    text = shown(value)
    assert len(text) <= 100
    assert text.isprintable()


def test_a_text_of_just_the_most_bytes_is_read(tmp_path):
    text = 'a = "é"\n'
    assert TopicFile(tmp_path / "topic.toml", 9, text).content == text
    with pytest.raises(TopicError, match="larger than 8 bytes"):
        TopicFile(tmp_path / "topic.toml", 8, text)
