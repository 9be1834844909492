"""Entries put into a thesaurus's file, which stays as its author wrote it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.safety.errors import TopicError
from focused_crawler.topic.thesaurus.file import read_thesaurus
from focused_crawler.topic.thesaurus.writer import NewEntry, add_entries, deepened

FILE = """\
# of mine
language = "en"   # English
negative = ["corrosion of conformity"]

[facets.methods]
title = "Methods"
entries = '''
# how it is fought
surface preparation | surface treatment
  abrasive blasting | grit blasting  # the usual
    wet abrasive blasting

  hand tools
cathodic protection
'''

[facets.makers]
entries = '''Jotun
Hempel'''
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "thesaurus.toml"
    path.write_text(FILE)
    return path


@pytest.mark.parametrize(
    ("new", "line", "after"),
    [
        (NewEntry("passivation", "methods"), "passivation", "cathodic protection"),
        (
            NewEntry("dry ice blasting", "methods", "grit blasting"),
            "    dry ice blasting",
            "    wet abrasive blasting",
        ),
        (NewEntry("cleaning", "methods", "surface treatments"), "  cleaning", "  hand tools"),
        (
            NewEntry("impressed current", "methods", "cathodic protection"),
            "  impressed current",
            "cathodic protection",
        ),
        (NewEntry("Sigma", "makers"), "Sigma", "Hempel"),
        (NewEntry("Jotun Marine", "makers", "Jotun"), "  Jotun Marine", "entries = '''Jotun"),
    ],
)
def test_an_entry_gets_a_line_of_its_own(file, new, line, after):
    """At the end of its facet, or of what stands below its broader entry; all else stays."""
    assert add_entries(file, [new], "en") == [new]
    lines = file.read_text().replace("'''\n", "\n'''\n").replace("\n\n'''", "\n'''").split("\n")
    assert lines[lines.index(after.removesuffix("'''")) + 1] == line
    rest = file.read_text().replace(f"\n{line}", "", 1)
    assert rest.replace("\n'''", "'''") == FILE.replace("\n'''", "'''")


def test_a_facet_that_is_new_is_made(file):
    """At the end of the file."""
    add_entries(file, [NewEntry("R. Baboian", "people"), NewEntry("H. Uhlig", "people")], "en")
    assert file.read_text() == f"{FILE}\n[facets.people]\nentries = '''\nR. Baboian\nH. Uhlig\n'''\n"


def test_what_is_there_is_left_out(file):
    """In any facet, as a matcher sees it, for or against."""
    words = ("Hempels", "grit-blasting", "Corrosion of Conformity", "zinc", "Zinc")
    assert [
        one.wording for one in add_entries(file, [NewEntry(word, "methods") for word in words], "en")
    ] == ["zinc"]


def test_nothing_new_leaves_the_file_alone(file):
    """Not even its time changes."""
    before = file.stat()
    assert add_entries(file, [NewEntry("Jotun", "methods")], "en") == []
    assert file.stat().st_mtime_ns == before.st_mtime_ns


@pytest.mark.parametrize(
    ("new", "message"),
    [
        (
            NewEntry("zinc", "methods", "galvanising"),
            r"methods has no entry 'galvanising'.*leave broader empty",
        ),
        (NewEntry("zinc", "metals", "metal"), r"metals has no entry 'metal'"),
        (NewEntry("zinc", "Bad Name"), r"facet 'Bad Name' of 'zinc' is no name; use a-z"),
        (NewEntry("zinc", "metals", "metal", "a.csv:7"), r"^a\.csv:7: facet metals has no entry"),
        (NewEntry("the", "makers", "", "a.csv:7"), r"^a\.csv:7: 'the' has no word to look for"),
        (NewEntry("the", "makers"), r"thesaurus\.toml: 'the' has no word to look for"),
        (
            NewEntry("a ''' b zinc", "makers", "", "a.csv:7"),
            r"^a\.csv:7: .* holds ''', which ends the outline",
        ),
        (NewEntry('zinc """', "new", "", "a.csv:7"), r'^a\.csv:7: .* holds """, which ends the outline'),
    ],
)
def test_a_row_that_does_not_fit_changes_nothing(file, new, message):
    """One line says what would."""
    with pytest.raises(TopicError, match=message):
        add_entries(file, [NewEntry("tin", "makers"), new], "en")
    assert file.read_text() == FILE


def test_controls_are_left_out(file):
    """They would make a file that cannot be read."""
    add_entries(file, [NewEntry("zi\x01nc\x7f \ufffedust", "makers")], "en")
    assert "\nzinc dust\n" in file.read_text()


def test_another_level_makes_all_others_weigh_less(file):
    """Which one who adds a row with `broader` may not know."""
    before = read_thesaurus(file)
    add_entries(file, [NewEntry("hand brushes", "methods", "hand tools"), NewEntry("tin", "new")], "en")
    assert deepened(before, read_thesaurus(file)) == []
    add_entries(file, [NewEntry("Jotun Marine", "makers", "Jotun")], "en")
    assert deepened(before, read_thesaurus(file)) == [
        "facet makers has 2 levels now instead of 1: each entry that was there weighs 0.50 times what it did"
    ]


def test_line_ends_stay(file):
    """Those of Windows, too."""
    file.write_bytes(FILE.replace("\n", "\r\n").encode())
    add_entries(file, [NewEntry("zinc", "makers")], "en")
    assert file.read_bytes().count(b"\r\n") == file.read_bytes().count(b"\n")
    assert len(read_thesaurus(file)) == 8


def test_an_outline_on_one_line_is_not_touched(file):
    """It is no outline in quotes that a line could be put into."""
    text = '[facets.a]\nentries = "zinc\\ntin"\n'
    file.write_text(text)
    with pytest.raises(TopicError, match="cannot be added to here"):
        add_entries(file, [NewEntry("lead", "a")], "en")
    assert file.read_text() == text


@given(st.lists(st.tuples(st.sampled_from(["methods", "makers", "new"]), st.text(max_size=12)), max_size=6))
def test_whatever_is_added_can_be_read(tmp_path_factory, rows):
    """Words with signs of the format, or none at all."""
    path = tmp_path_factory.mktemp("t") / "thesaurus.toml"
    path.write_text(FILE)
    new = [NewEntry(word, facet) for facet, word in rows]
    try:
        added = add_entries(path, new, "en")
    except TopicError:
        assert path.read_text() == FILE
    else:
        assert len(read_thesaurus(path)) == 7 + len(added)
