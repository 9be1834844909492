"""SKOS in and out."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdflib import Graph

from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.safety.errors import TopicError
from focused_crawler.topic.thesaurus import concepts
from focused_crawler.topic.thesaurus import skos as skos_file
from focused_crawler.topic.thesaurus.model import Entry, Facet, Scoring, Thesaurus, wording_key
from focused_crawler.topic.thesaurus.outline import MAX_LEVEL, outline_lines
from focused_crawler.topic.thesaurus.skos import (
    graph_of_thesaurus,
    read_graph,
    thesaurus_of_graph,
    write_graph,
)

PREFIXES = """
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix : <https://vocab.example/> .
"""
RUST = Thesaurus(
    (
        Facet(
            "methods",
            (
                Entry("zinc coating", ("galvanizing",), (Entry("hot-dip coating"),)),
                Entry("blasting", ("grit blasting", "sand-blasting")),
            ),
            title="What is done",
            negative=("blast beats",),
        ),
        Facet("makers", (Entry("Jotun"), Entry('AkzoNobel & "Söhne" <x>'))),
    ),
    negative=("corrosion of conformity",),
)


def graph(turtle: str) -> Graph:
    return Graph().parse(data=PREFIXES + turtle, format="turtle")


def outline(turtle: str, language: str = "en") -> dict[str, list[str]]:
    thesaurus = thesaurus_of_graph(graph(turtle), language)
    return {facet.name: list(outline_lines(facet.entries)) for facet in thesaurus.facets}


@pytest.mark.parametrize("ending", [".ttl", ".rdf", ".xml", ".nt", ".TTL"])
def test_what_is_written_is_read(tmp_path, ending):
    """In each format, all but the scoring, which SKOS has no place for."""
    path = tmp_path / f"rust{ending}"
    write_graph(graph_of_thesaurus(replace(RUST, scoring=Scoring(kappa=5.0))), path)
    assert thesaurus_of_graph(read_graph(path), "en") == RUST


def test_an_export_is_plain_skos():
    """Others can read it: concepts in schemes, with labels in the language."""
    ask = """
        PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
        ASK { ?narrow skos:broader ?broad ; skos:prefLabel "hot-dip coating"@en ; skos:inScheme ?scheme .
              ?broad skos:topConceptOf ?scheme ; skos:altLabel "galvanizing"@en .
              ?scheme a skos:ConceptScheme ; skos:hasTopConcept ?broad ; skos:prefLabel "What is done"@en }
    """
    assert graph_of_thesaurus(RUST).query(ask).askAnswer


WORDS = st.text(st.sampled_from("abcdefghij éß漢字-"), min_size=1, max_size=12)


@st.composite
def thesauri(draw) -> Thesaurus:
    """Draw one whose wordings are all different, as in a file."""
    language = draw(st.sampled_from(["en", "de", "ja"]))
    seen: set = set()

    def wording() -> str | None:
        text = " ".join(draw(WORDS).split())
        key = wording_key(text, Analyzer(language))
        is_new = bool(key) and key not in seen
        seen.add(key)
        return text if is_new else None

    def entries(depth: int) -> tuple[Entry, ...]:
        names = [name for _ in range(draw(st.integers(0, 3))) if (name := wording())]
        return tuple(
            Entry(name, tuple(sorted(filter(None, [wording()]))), entries(depth - 1) if depth else ())
            for name in names
        )

    facets = [Facet(name, entries(2), draw(st.sampled_from(["", "Title"]))) for name in ("b", "a-2")]
    return Thesaurus(tuple(facet for facet in facets if facet.entries), language)


@settings(max_examples=40)
@given(thesauri())
def test_there_and_back(thesaurus):
    """Law: what is exported comes back the same, in its order."""
    if thesaurus.facets:
        assert thesaurus_of_graph(graph_of_thesaurus(thesaurus), thesaurus.language) == thesaurus


def test_labels_are_the_topics():
    """Of the language, else of none; a concept without any is left out, and what is narrower comes up."""
    turtle = """
        :s a skos:ConceptScheme . :a a skos:Concept ; skos:inScheme :s ; skos:prefLabel "rust"@en, "Rost"@de,
            "rouille"@fr ; skos:altLabel "iron oxide"@en-GB, "Eisenoxid"@de ; skos:hiddenLabel "rsut"@en .
        :b a skos:Concept ; skos:inScheme :s ; skos:broader :a ; skos:prefLabel "Lochfraß"@de .
        :c a skos:Concept ; skos:inScheme :s ; skos:broader :b ; skos:prefLabel "pits" .
    """
    assert outline(turtle) == {"s": ["rust | iron oxide | rsut", "  pits"]}
    assert outline(turtle, "de") == {"s": ["Rost | Eisenoxid", "  Lochfraß", "    pits"]}
    with pytest.raises(TopicError, match="no SKOS concept with a label in ja"):
        outline(turtle.replace('"pits"', '"pits"@en'), "ja")


def test_a_concept_with_two_parents_stands_below_one():
    """The first; and a wording stays where it is met first."""
    turtle = """
        :a a skos:Concept ; skos:prefLabel "blasting"@en ; skos:narrower :c .
        :b a skos:Concept ; skos:prefLabel "cleaning"@en ; skos:narrower :c, :d .
        :c skos:prefLabel "wet blasting"@en . :d skos:prefLabel "blastings"@en .
        :e skos:broader :d ; skos:prefLabel "sand"@en .
    """
    assert outline(turtle) == {"blasting": ["blasting", "  wet blasting"], "cleaning": ["cleaning", "  sand"]}


def test_controls_of_labels_are_left_out():
    """They have no place in a thesaurus's file."""
    assert outline(':a a skos:Concept; skos:prefLabel "zinc\\u0001 \\u007Fdust\\uFFFE".') == {
        "subject": ["zinc dust"]
    }


def test_cycles_end():
    """Of one concept, of two, of three below another."""
    turtle = """
        :a a skos:Concept ; skos:prefLabel "ant"@en ; skos:broader :a .
        :b a skos:Concept ; skos:prefLabel "bee"@en ; skos:broader :c .
        :c a skos:Concept ; skos:prefLabel "cat"@en ; skos:broader :b .
        :d a skos:Concept ; skos:prefLabel "dog"@en ; skos:narrower :e .
        :e skos:prefLabel "elk"@en ; skos:narrower :f . :f skos:prefLabel "fox"@en ; skos:narrower :e .
    """
    assert outline(turtle) == {"subject": ["ant", "dog", "  elk", "    fox", "bee", "  cat"]}


SCHEME = "a skos:ConceptScheme ."
COLLECTION = "a skos:Collection ; skos:member"


@pytest.mark.parametrize(
    ("turtle", "facets"),
    [
        (
            f':a skos:prefLabel "To do"@en . :a {SCHEME} :x skos:inScheme :a . :y skos:inScheme :a .',
            ["to-do"],
        ),
        (f":a {SCHEME} :b {SCHEME} :x skos:inScheme :a . :y skos:inScheme :b .", ["a", "b"]),
        (f":a {SCHEME} :x skos:inScheme :a .", ["a", "other"]),
        (f":a {COLLECTION} :x . :b {COLLECTION} :y .", ["a", "b"]),
        (':x skos:narrower :v . :y skos:narrower :x, :w . :w skos:prefLabel "iron"@en .', ["subject"]),
        (
            ':v skos:broader :x ; skos:prefLabel "iron"@en . :y skos:narrower [skos:prefLabel "hull"] .',
            ["tin", "zinc"],
        ),
        ("", ["subject"]),
    ],
)
def test_what_becomes_a_facet(turtle, facets):
    """Schemes; collections where there are no schemes to part it; top concepts where there are neither."""
    turtle += ' :x a skos:Concept ; skos:prefLabel "zinc"@en . :y a skos:Concept ; skos:prefLabel "tin"@en .'
    assert list(outline(turtle)) == facets


def test_a_deep_thesaurus_is_cut_at_the_deepest_level():
    """What is deeper stands there; a file has no more levels."""
    lines = (f':c{n:04} skos:prefLabel "word{n}"@en ; skos:broader :c{n - 1:04} .' for n in range(1, 1000))
    turtle = "\n".join([':c0000 a skos:Concept ; skos:prefLabel "root"@en .', *lines])
    thesaurus = thesaurus_of_graph(graph(turtle), "en")
    assert (len(thesaurus), thesaurus.facets[0].depth) == (1000, MAX_LEVEL)


def test_a_thousand_cycles_in_a_row_take_no_time():
    """Each is reached once."""
    lines = [
        f':a{n:04} a skos:Concept ; skos:prefLabel "word{n}"@en ; skos:narrower :b{n:04}, :a{n + 1:04} .'
        f" :b{n:04} skos:narrower :a{n:04} . :a{n + 1:04} skos:narrower :a{n:04} ."
        for n in reversed(range(1000))
    ]
    read = graph("\n".join(lines))
    start = time.thread_time()  # other threads of this process may be at work
    assert len(thesaurus_of_graph(read, "en")) == 1000
    assert time.thread_time() - start < 3.0


def test_too_many_concepts(monkeypatch):
    """More than a file may have."""
    monkeypatch.setattr(concepts, "MAX_ENTRIES", 5)
    lines = "".join(f':c{n} a skos:Concept ; skos:prefLabel "word{n}"@en .' for n in range(6))
    with pytest.raises(TopicError, match="more than 5 concepts"):
        thesaurus_of_graph(graph(lines), "en")


XML = '<?xml version="1.0"?>%s<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">%s</rdf:RDF>'


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        (
            "laughs.rdf",
            XML % ('<!DOCTYPE x [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]>', "&b;"),
            "declares entities",
        ),
        (
            "file.xml",
            XML % ('<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/hostname">]>', "&a;"),
            "declares entities",
        ),
        ("code.rdf", '<?xml version="1.0" encoding="UTF-7"?>+ADw-x/+AD4-', "another encoding than UTF-8"),
        ("cut.rdf", XML % ("", "<x"), r"no valid RDF/XML \(.*:\d+: .*\); export it anew"),
        ("cut.ttl", "@prefix skos: <", "no valid Turtle"),
        ("bad.nt", "no triple here .", "no valid N-Triples"),
        ("deep.ttl", "@prefix : <x:> . :a :b " + "[ :b " * 20_000, "no valid Turtle"),
        ("words.json", "{}", r"its ending names no format; use \.ttl"),
        ("none.ttl", None, "cannot be read"),
    ],
)
def test_hostile_and_broken_files(tmp_path, name, content, message):
    """One line says what is wrong; nothing is fetched or expanded."""
    path = tmp_path / name
    if content is not None:
        path.write_text(content)
    with pytest.raises(TopicError, match=message) as caught:
        read_graph(path)
    assert "\n" not in str(caught.value)


def test_sixteen_bits_hide_nothing(tmp_path):
    """Entities would not be seen in another encoding."""
    path = tmp_path / "x.rdf"
    path.write_bytes((XML % ('<!DOCTYPE x [<!ENTITY a "aa">]>', "&a;")).encode("utf-16"))
    with pytest.raises(TopicError, match="not UTF-8"):
        read_graph(path)


def test_a_large_file_is_refused(tmp_path, monkeypatch):
    """Before it is parsed."""
    monkeypatch.setattr(skos_file, "MAX_BYTES", 10)
    path = tmp_path / "x.ttl"
    path.write_text(PREFIXES)
    with pytest.raises(TopicError, match="larger than 10 bytes"):
        read_graph(path)
