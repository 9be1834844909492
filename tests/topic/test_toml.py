"""Lists are changed where they stand, and nothing else is."""

from __future__ import annotations

import tempfile
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focused_crawler.safety.errors import TopicError
from focused_crawler.topic.file import TopicFile
from focused_crawler.topic.toml import change_list

TOP = '# all about it\nname = "bees"  # as the folder\n'
CHANGES = {
    "no table": ("", "\n[taxonomy]\ngood = [\n    {new},\n]\n"),
    "no key": ("[taxonomy]  # here\n", "[taxonomy]  # here\ngood = [\n    {new},\n]\n"),
    "empty list": ("[taxonomy]\ngood = []\n", "[taxonomy]\ngood = [\n    {new},\n]\n"),
    "empty lines": ("[taxonomy]\ngood = [\n]\n", "[taxonomy]\ngood = [\n    {new},\n]\n"),
    "one line": ('[taxonomy]\ngood = ["a"] # x\n', '[taxonomy]\ngood = ["a", {new}] # x\n'),
    "comma at the end": ('taxonomy.good = ["a", ]\n', 'taxonomy.good = ["a", {new}]\n'),
    "comments": (
        '[taxonomy]\ngood = [\n    "a",  # the core\n    # "b",\n]\n# end\n',
        '[taxonomy]\ngood = [\n    "a",  # the core\n    {new},\n    # "b",\n]\n# end\n',
    ),
    "no comma": ("[taxonomy]\ngood = [ 'a' # x\n]", "[taxonomy]\ngood = [ 'a', # x\n    {new},\n]"),
    "late comma": ('[taxonomy]\ngood = [\n"a" # x\n, # y\n]\n', None),
    "in a table of one line": ('taxonomy = {good = ["a"]}\n', 'taxonomy = {good = ["a", {new}]}\n'),
    "brackets in texts": ('[taxonomy]\ngood = ["]", "[#"]\n', '[taxonomy]\ngood = ["]", "[#", {new}]\n'),
    "no key in a table of one line": ("taxonomy = {}\n", "taxonomy = {good = [\n    {new},\n]}\n"),
    "no key before a comment": (
        "[taxonomy]\nbest = 1\n\n# of the next\n[thresholds]\n",
        "[taxonomy]\nbest = 1\ngood = [\n    {new},\n]\n\n# of the next\n[thresholds]\n",
    ),
    "no table at the end of the file": ("best = 1", "best = 1\n[taxonomy]\ngood = [\n    {new},\n]\n"),
    "two parts of a table": (
        "[taxonomy.a]\n[thresholds]\n[taxonomy]\n# end\n",
        None,
    ),
    "another table behind": (
        '[taxonomy]\ngood = ["a"]\n\n[thresholds]\nlink = 0.5\n',
        '[taxonomy]\ngood = ["a", {new}]\n\n[thresholds]\nlink = 0.5\n',
    ),
}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "topic.toml"


def changed(path, before, add=(), remove=()):
    """Return what a file says after a change."""
    path.write_bytes(before.encode())
    change_list(TopicFile(path, 10_000), "taxonomy", "good", add, remove)
    return path.read_bytes().decode()


@pytest.mark.parametrize("name", CHANGES)
def test_an_item_is_added_where_a_person_would(path, name):
    """Comments stay beside what they are about."""
    before, after = CHANGES[name]
    text = changed(path, TOP + before, ["health/asthma"])
    assert tomllib.loads(text)["taxonomy"]["good"][-1] == "health/asthma"
    assert text.count("#") == (TOP + before).count("#")
    if after is not None:
        assert text == TOP + after.replace("{new}", '"health/asthma"')
    assert changed(path, text, ["health/asthma"]) == text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('good = ["a", "b", "c"]', 'good = ["a", "c"]'),
        ('good = ["b"]', "good = []"),
        ('good = [\n    "a",\n    "b",  # beta\n    "c",\n]', 'good = [\n    "a",\n    "c",\n]'),
        ('good = [\n    "b",\n    # none\n]', "good = [\n    # none\n]"),
    ],
)
def test_an_item_goes_with_its_comment(path, before, after):
    """Its line goes with it where it has one."""
    assert changed(path, f"[taxonomy]\n{before}\n", remove=["b"]) == f"[taxonomy]\n{after}\n"


def test_all_items_are_replaced(path):
    """No empty line stands where they were."""
    text = changed(path, '[taxonomy]\ngood = [\n    "a",\n    "b",\n]\n', ["c"], ["a", "b"])
    assert text == '[taxonomy]\ngood = [\n    "c",\n]\n'


def test_line_ends_of_windows_stay(path):
    """As the rest of the file has them."""
    text = changed(path, '[taxonomy]\r\ngood = [\r\n    "a",\r\n]\r\n', ["b"])
    assert text == '[taxonomy]\r\ngood = [\r\n    "a",\r\n    "b",\r\n]\r\n'


def test_what_cannot_be_changed_says_what_to_write(path):
    """The editor reads tables a hundred levels deep; the file stays as it is."""
    text = f"deep = {'[' * 150}{']' * 150}\n"
    with pytest.raises(
        TopicError, match=r"topic\.toml:1: good cannot .* write it as \[taxonomy\] and good = "
    ):
        changed(path, text, ["a"])
    assert path.read_text() == text


def test_a_folder_that_cannot_be_written_to(path):
    """One line that names the file."""
    path.write_text("")
    path.parent.chmod(0o500)
    try:
        if not path.parent.stat().st_uid:
            pytest.skip("root may write anywhere")
        with pytest.raises(TopicError, match=r"cannot be written \(Permission denied\); free its folder"):
            changed(path, "", ["a"])
    finally:
        path.parent.chmod(0o700)


ITEMS = st.lists(st.sampled_from(["a", "b]", 'c"', "#d", "e\\", "f'", "g,"]), unique=True, max_size=5)
GAPS = st.sampled_from(["", " ", "\n", "  # a ] comment, \"of' a [ kind\n", "\n\n    "])


@st.composite
def written(draw):
    """Return a list of texts and one of the ways to write it."""
    items = draw(ITEMS)
    text = "good = [" + draw(GAPS)
    for item in items:
        plain = draw(st.booleans()) and not set("'\\") & set(item)
        text += f"'{item}'" if plain else '"' + item.replace("\\", "\\\\").replace('"', '\\"') + '"'
        text += draw(GAPS) + "," + draw(GAPS)
    if items and draw(st.booleans()):
        text = text.rstrip().removesuffix(",") if text.rstrip().endswith(",") else text
    return items, text + "]\n# behind\n[other]\nx = 1\n"


@settings(max_examples=150, deadline=None)
@given(written(), ITEMS, ITEMS)
def test_whatever_the_list_looks_like(case, add, remove):
    """What is read afterwards is what was wanted, and no other line is lost."""
    items, text = case
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "topic.toml"
        path.write_text(text)
        change_list(TopicFile(path, 10_000), "", "good", add, remove)
        found = tomllib.loads(path.read_text())
        kept = [item for item in items if item not in remove]
        assert found == {"good": [*kept, *(item for item in add if item not in kept)], "other": {"x": 1}}
        assert path.read_text().endswith("]\n# behind\n[other]\nx = 1\n")
