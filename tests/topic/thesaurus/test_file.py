"""`thesaurus.toml`, read strictly."""

from __future__ import annotations

import pytest

from focused_crawler.safety.errors import TopicError
from focused_crawler.topic.thesaurus.file import MAX_ENTRIES, find_thesaurus, read_thesaurus
from focused_crawler.topic.thesaurus.model import Entry, Facet, Scoring, Thesaurus
from focused_crawler.topic.topic import Topic

WHOLE = """\
language = "en"
negative = ["corrosion of conformity"]
[scoring]
kappa = 3
anchor = 0.0

[facets.methods]
title = "How it is  fought"
negative = ["sandblasting sunglasses"]
entries = '''
# broad ones first
surface preparation | surface treatment
  abrasive blasting | grit blasting|sandblasting  # with sand
    wet abrasive blasting

cathodic protection
'''

[facets.materials]
entries = "steel\\n  stainless  steel\\ncopper"
"""


@pytest.fixture
def read(tmp_path):
    """Return what reads a text as a thesaurus; errors are without the file's name."""

    def read_text(text, language="en"):
        path = tmp_path / "thesaurus.toml"
        path.write_text(text, encoding="utf-8")
        try:
            return read_thesaurus(path, language)
        except TopicError as error:
            raise TopicError(str(error).partition("thesaurus.toml")[2]) from None

    return read_text


def facet(outline, head=""):
    """Return a file of one facet; its outline begins on line 3."""
    return f"{head}[facets.f]\nentries = '''\n{outline}\n'''\n"


def test_a_file_reads_as_it_looks(read):
    """Levels, synonyms, comments, blank lines, negative wordings and numbers come out as they stand."""
    wet = Entry("wet abrasive blasting")
    blasting = Entry("abrasive blasting", ("grit blasting", "sandblasting"), (wet,))
    preparation = Entry("surface preparation", ("surface treatment",), (blasting,))
    methods = Facet(
        "methods",
        (preparation, Entry("cathodic protection")),
        "How it is fought",
        ("sandblasting sunglasses",),
    )
    materials = Facet("materials", (Entry("steel", (), (Entry("stainless steel"),)), Entry("copper")))
    assert read(WHOLE) == Thesaurus(
        (methods, materials), "en", ("corrosion of conformity",), Scoring(kappa=3.0, anchor=0.0)
    )


def test_line_ends_of_windows_change_nothing(read):
    """A file saved on Windows is the same thesaurus."""
    assert read(WHOLE.replace("\n", "\r\n")) == read(WHOLE)


def test_the_language_is_the_topics_where_the_file_names_none(read):
    """What the file says wins over the topic."""
    assert read(facet("Rost"), language="de").language == "de"
    assert read(facet("rust", head='language = "en"\n'), language="de").language == "en"


OUTLINES = [
    ("rust\n   red rust", ":4: is indented by 3 spaces; use two a level"),
    ("rust\n\tred rust", ":4: is indented with a tab or the like; use two spaces a level"),
    ("  rust", ":3: is on level 2, but it is the first; indent it by 0 spaces at most"),
    (
        "rust\n\n    red rust",
        ":5: is on level 3, but the line above it is on level 1; indent it by 2 spaces at most",
    ),
    ("rust | | corrosion", ":3: has an empty wording; write a wording before and after each |"),
    ("rust |", ":3: has an empty wording"),
    ("steel\nrust | steel", ":4: 'steel' is on line 3, too; keep it in one place"),
    ("steel\nrusty steels", None),
    ("steel\nSteels", ":4: 'Steels' is read as the same words as 'steel' on line 3; keep one of them, or"),
    ("steel | steels", None),
    ("rust | Rust", ":3: has 'Rust' twice; remove one"),
    ("rust\nthe", ":4: 'the' holds no word that can be found"),
    ("rust\n!?", ":4: '!?' holds no word that can be found"),
    ("rust\nred\x9f rust", ":4: 'red\\x9f rust' has a control character; remove it"),
    ("red\uffff rust", ":3: 'red\\uffff rust' has a control character"),
    ("rust " * 50, ":3: 'rust rust"),
    ("# nothing", ":3: entries holds comments only; write an entry a line"),
    ("\n".join("  " * level + f"word{level}" for level in range(20)), None),
    (
        "\n".join("  " * level + f"word{level}" for level in range(21)),
        ":23: is on level 21; 20 are enough",
    ),
    ("\n".join(f"word{number}" for number in range(MAX_ENTRIES)), None),
    ("\n".join(f"word{number}" for number in range(MAX_ENTRIES + 1)), ": has more than 20,000 entries"),
]


@pytest.mark.parametrize(("outline", "error"), OUTLINES)
def test_an_error_points_at_the_line_inside_the_outline(read, outline, error):
    """Each mistake is one line: where it is, what it is, what would be right."""
    if error is None:
        assert read(facet(outline))
        return
    with pytest.raises(TopicError) as raised:
        read(facet(outline))
    assert str(raised.value).startswith(error)
    assert "\n" not in str(raised.value)


FILES = [
    ("", ":1: no facets; write [facets.subject]"),
    ("[facets]", ":1: no facets; write [facets.subject]"),
    ("facets = 3", ":1: facets is a number; write it as a table: [facets]"),
    ("[facets]\nsubject = 'rust'", ":2: subject is no table; write [facets.subject]"),
    ("[facets.subject]\ntitle = 'A'", ":1: facet subject has no entries; write entries = '''...'''"),
    ("[facets.subject]\nentries = ['rust']", ":2: entries is a list; write it as text"),
    ("[facets.subject]\nentries = ' '", ":2: entries is empty"),
    ("[facets.Subject]\nentries = 'rust'", ":1: facet 'Subject' is not made of a-z, 0-9 and - alone"),
    ("[facet.subject]\nentries = 'rust'", ":1: unknown key 'facet'; did you mean facets?"),
    (
        "[facets.subject]\nentry = 'rust'",
        ":2: unknown key 'entry' in [facets.subject]; did you mean entries?",
    ),
    ("language = 'xx-yy'\n" + facet("rust"), ":1: language 'xx-yy' is no ISO 639 code"),
    ("[scoring]\nkapa = 1\n" + facet("rust"), ":2: unknown key 'kapa' in [scoring]; did you mean kappa?"),
    ("[scoring]\nkappa = 0\n" + facet("rust"), ":2: kappa is 0; use a number from above 0 to 1000"),
    ("[scoring]\nurl = nan\n" + facet("rust"), ":2: url is nan; use a number from 0 to 1000"),
    ("[scoring]\nurl = inf\n" + facet("rust"), ":2: url is inf; use a number from 0 to 1000"),
    ("[scoring]\npenalty = -1\n" + facet("rust"), ":2: penalty is -1; use a number from 0 to 1000"),
    ("[scoring]\nanchor = 'a'\n" + facet("rust"), ":2: anchor is no number; write one from 0 to 1000"),
    (
        "[scoring]\nfrequency = 'paper'\n" + facet("rust"),
        ':2: frequency is \'paper\'; write "count" or "density"',
    ),
    ("[scoring]\nfrequency = 1\n" + facet("rust"), ":2: frequency is a number; write it as text"),
    ("negative = 'rust'\n" + facet("rust"), ":1: negative is text; write a list"),
    ("negative = [\n'a rust',\n'the']\n" + facet("steel"), ":3: 'the' holds no word that can be found"),
    (
        "negative = ['rusts']\n" + facet("steel\nrust"),
        ":1: 'rusts' counts against what it stands for on line 5; keep one of them",
    ),
    (
        'negative = ["a \\u0001 rust"]\n' + facet("steel"),
        ":1: 'a \\x01 rust' has a control character; remove it",
    ),
    (
        facet("rust").replace("entries", 'title = "\\u007f"\nentries'),
        ":2: title '\\x7f' has a control character",
    ),
    (
        facet("rust").replace("'''", '"""').replace("rust", "a \\u0001 rust"),
        ":3: 'a \\x01 rust' has a control",
    ),
    (facet("rust").replace("entries", "negative = ['rust']\nentries"), ":2: 'rust' counts against"),
    (facet("rust", head="[facets.g]\nentries = 'Rust'\n"), ":5: 'rust' is read as the same words as 'Rust'"),
    ("x" * 1_000_001, ": is larger than 1,000,000 bytes; keep it below"),
    ("[facets.f]\nentries = '''\nrust", ":3: no valid TOML"),
]


@pytest.mark.parametrize(("text", "error"), FILES, ids=range(len(FILES)))
def test_a_mistake_outside_the_outline_is_named_with_its_line(read, text, error):
    """Tables, keys, numbers and negative wordings are checked as strictly."""
    with pytest.raises(TopicError) as raised:
        read(text)
    assert str(raised.value).startswith(error)
    assert "\n" not in str(raised.value)


def test_what_counts_against_one_facet_may_stand_in_another(read):
    """A word may speak for the materials and against the people."""
    text = facet("steel") + "[facets.people]\nnegative = ['steel']\nentries = 'Stefan Steel'\n"
    assert read(text).facets[1].negative == ("steel",)


def test_lines_are_found_below_lines_that_look_like_keys(read):
    """An outline may hold what looks like TOML."""
    with pytest.raises(TopicError, match=r"^:5: 'ph = 7' is on line 4"):
        read(facet("[facets.x]\nph = 7\nph = 7"))


def test_many_facets_are_refused(read):
    """A file of fifty-one trees is a mistake."""
    with pytest.raises(TopicError, match="has 51 facets; 50 are enough"):
        read("".join(f"[facets.f{number}]\nentries = 'word{number}'\n" for number in range(51)))


def test_a_topic_has_the_thesaurus_of_its_folder(tmp_path):
    """Without the file there is none; with it, it speaks the topic's language."""
    topic = Topic("rost", tmp_path, language="de")
    assert find_thesaurus(topic) is None
    (tmp_path / "thesaurus.toml").write_text(facet("Rost"))
    assert find_thesaurus(topic) == Thesaurus((Facet("f", (Entry("Rost"),)),), "de")
