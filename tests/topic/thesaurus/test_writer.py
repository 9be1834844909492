"""A thesaurus as its file."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.safety.errors import TopicError
from focused_crawler.topic.thesaurus.file import read_thesaurus
from focused_crawler.topic.thesaurus.model import Entry, Facet, Scoring, Thesaurus, as_wording, wording_key
from focused_crawler.topic.thesaurus.writer import thesaurus_text, write_thesaurus

LANGUAGES = ("en", "de", "ja", "fa")
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=25)
NUMBERS = st.floats(0, 1000)


@st.composite
def thesauri(draw):
    """Return any thesaurus that the reader may give."""
    language = draw(st.sampled_from(LANGUAGES))
    analyzer, taken = Analyzer(language), set()

    def is_new(wording):
        key = wording_key(wording, analyzer)
        return bool(key) and key not in taken and not taken.add(key)

    def wordings(least):
        texts = draw(st.lists(TEXTS.map(as_wording), min_size=least, max_size=3))
        return tuple(wording for wording in texts if is_new(wording))

    def entries(level):
        names = wordings(1 if level == 0 else 0)
        below = entries(level + 1) if names and level < 3 and draw(st.booleans()) else ()
        return tuple(Entry(name, wordings(0), below if name is names[0] else ()) for name in names)

    facets = [
        Facet(name, found, as_wording(draw(TEXTS)), wordings(0))
        for name in ("methods", "people-2", "3")
        if (found := entries(0))
    ]
    facets = facets or [Facet("f", (Entry("wort 17"),))]
    frequency = draw(st.sampled_from(["density", "count"]))
    kappa = draw(st.floats(0.001, 1000))
    scoring = Scoring(kappa=kappa, anchor=draw(NUMBERS), penalty=draw(NUMBERS), frequency=frequency)
    return Thesaurus(tuple(facets), language, wordings(0), draw(st.sampled_from([Scoring(), scoring])))


@given(thesauri())
@settings(max_examples=80, deadline=None)
def test_what_is_written_reads_back_the_same(tmp_path_factory, thesaurus):
    """Quotes, comments, accents and characters that nobody sees go through the file unchanged."""
    path = tmp_path_factory.mktemp("topic") / "thesaurus.toml"
    write_thesaurus(path, thesaurus)
    assert read_thesaurus(path, "it") == thesaurus
    assert path.read_text(encoding="utf-8") == thesaurus_text(thesaurus)


@given(st.text(max_size=400))
def test_any_text_becomes_a_wording(text):
    """What a list from elsewhere holds never breaks the outline, and a wording stays as it is."""
    wording = as_wording(text)
    assert len(wording) <= 200
    assert as_wording(wording) == wording
    assert not {"|", "\n", "\t"} & {*wording}


def test_a_file_is_written_for_people():
    """Trees are outlines without quotes; what has its usual value is left out."""
    entry = Entry("blasting", ("sandblasting",), (Entry("wet blasting"),))
    text = thesaurus_text(Thesaurus((Facet("methods", (entry, Entry('"C#" tools')), "Methods"),)))
    assert text.splitlines()[2:] == [
        'language = "en"',
        "",
        "[facets.methods]",
        'title = "Methods"',
        "entries = '''",
        "blasting | sandblasting",
        "  wet blasting",
        '"C#" tools',
        "'''",
    ]


REFUSED = [
    Thesaurus(()),
    Thesaurus((Facet("f", ()),)),
    Thesaurus((Facet("f", (Entry("the"),)),)),
    Thesaurus((Facet("f", (Entry("rust\nsteel"),)),)),
    Thesaurus((Facet("f", (Entry("rust | steel"),)),)),
    Thesaurus((Facet("f", (Entry("rust"), Entry("rusts"))),)),
    Thesaurus((Facet("f", (Entry("rust"),)),), scoring=Scoring(kappa=float("nan"))),
]


@pytest.mark.parametrize("thesaurus", REFUSED, ids=range(len(REFUSED)))
def test_what_could_not_be_read_back_is_not_written(tmp_path, thesaurus):
    """The file that is there stays as it was."""
    path = tmp_path / "thesaurus.toml"
    path.write_text("old")
    with pytest.raises(TopicError, match=r"thesaurus\.toml: is not written, as it "):
        write_thesaurus(path, thesaurus)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
