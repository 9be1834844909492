"""SKOS, the web's form of thesauri (W3C 2009): a facet is a concept scheme, an entry a concept."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from unicodedata import normalize
from xml.sax import SAXException

from rdflib import Graph, Literal, URIRef
from rdflib.exceptions import Error as RdfError
from rdflib.exceptions import ParserError
from rdflib.namespace import DCTERMS, RDF, RDFS, SKOS
from rdflib.term import Node

from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.safety.errors import TopicError
from focused_crawler.safety.printable import place
from focused_crawler.topic.file import read_text, shown
from focused_crawler.topic.thesaurus.concepts import Concepts
from focused_crawler.topic.thesaurus.file import MAX_FACETS
from focused_crawler.topic.thesaurus.model import Facet, Thesaurus, as_wording
from focused_crawler.topic.toml import replace_text

NAMESPACE = "urn:focused-crawler:"
NEGATIVE = URIRef(f"{NAMESPACE}thesaurus#negative")
"""Our own property of a scheme: a wording that counts against it. SKOS has none like it."""

_ALL = URIRef(f"{NAMESPACE}thesaurus#all")  # stands for all schemes
_SLUG = re.compile(r"[^a-z0-9]+")
MAX_BYTES = 20_000_000
FORMATS = {".ttl": "turtle", ".rdf": "xml", ".xml": "xml", ".nt": "nt"}

_UNREADABLE = (SAXException, RdfError, ParserError, SyntaxError, ValueError, LookupError, RecursionError)
_ENTITY = re.compile(r"<!ENTITY", re.IGNORECASE)
_ENCODING = re.compile(r"<\?xml[^>]*encoding\s*=\s*[\"'](?!utf-8[\"'])", re.IGNORECASE)


def read_graph(path: Path) -> Graph:
    """Return what an RDF file says; its ending tells the format. Raises TopicError."""
    rdf_format = format_of(path)
    text = read_text(path, MAX_BYTES)
    if rdf_format == "xml" and (_ENTITY.search(text) or _ENCODING.match(text.lstrip())):
        raise TopicError(
            f"{place(path)}: declares entities or another encoding than UTF-8, which is not read; save it as"
            " Turtle (.ttl)"
        )
    graph = Graph()
    try:
        graph.parse(data=text, format=rdf_format)
    except _UNREADABLE as error:
        reason = shown(" ".join(str(error).split()) or type(error).__name__)
        raise TopicError(f"{place(path)}: no valid {_name(path)} ({reason}); export it anew") from None
    return graph


def write_graph(graph: Graph, path: Path) -> None:
    """Write a file in the format of its ending, whole or not at all; raises TopicError."""
    replace_text(path, graph.serialize(format=format_of(path)))


def format_of(path: Path) -> str:
    """Return rdflib's name of a file's format; raises TopicError for an ending nobody knows."""
    try:
        return FORMATS[path.suffix.lower()]
    except KeyError:
        raise TopicError(
            f"{place(path)}: its ending names no format; use .ttl (Turtle), .rdf or .xml (RDF/XML), .nt"
            " (N-Triples)"
        ) from None


def _name(path: Path) -> str:
    return {"turtle": "Turtle", "xml": "RDF/XML", "nt": "N-Triples"}[format_of(path)]


def thesaurus_of_graph(graph: Graph, language: str) -> Thesaurus:
    """Return the thesaurus that a SKOS graph holds, in one language; raises TopicError where there is none.

    Facets are its concept schemes; where it has fewer than two, its collections; where it has fewer than two
    of these and no scheme, its top concepts, if all have narrower ones. A concept without a label in the
    language, or in none, is left out, and what is narrower comes up; a concept with two broader ones stands
    below the first; each wording stays where it is met first.
    """
    concepts = Concepts(graph, Analyzer(language))
    facets: list[Facet] = []
    for node, roots in _groups(graph, concepts):
        if entries := concepts.trees(roots):
            name = _new_name(node, concepts, [facet.name for facet in facets])
            facets.append(Facet(name, entries, _title(concepts, node), _negative(graph, node)))
    if left := concepts.trees(concepts.roots_left()):
        name = _new_name(None, concepts, [facet.name for facet in facets])
        facets.append(Facet(name, left))
    if not facets:
        raise TopicError(f"holds no SKOS concept with a label in {language}; name another file or language")
    if len(facets) > MAX_FACETS:
        raise TopicError(f"has {len(facets)} facets, more than {MAX_FACETS}; take a part of it")
    return Thesaurus(tuple(facets), language, _negative(graph, _ALL))


def graph_of_thesaurus(thesaurus: Thesaurus) -> Graph:
    """Return a thesaurus as a graph, without its scoring; notations keep the order of entries."""
    graph = Graph()
    graph.bind("skos", SKOS)
    graph.bind("crawler", f"{NAMESPACE}thesaurus#")
    for wording in thesaurus.negative:
        graph.add((_ALL, NEGATIVE, _label(wording, thesaurus)))
    for number, facet in enumerate(thesaurus.facets):
        scheme = URIRef(f"{NAMESPACE}facet:{facet.name}")
        graph.add((scheme, RDF.type, SKOS.ConceptScheme))
        graph.add((scheme, SKOS.notation, Literal(f"{number:02}")))
        if facet.title:
            graph.add((scheme, SKOS.prefLabel, _label(facet.title, thesaurus)))
        for wording in facet.negative:
            graph.add((scheme, NEGATIVE, _label(wording, thesaurus)))
        _add_entries(graph, scheme, facet, thesaurus)
    return graph


def _add_entries(graph: Graph, scheme: URIRef, facet: Facet, thesaurus: Thesaurus) -> None:
    nodes: dict[int, URIRef] = {}
    for number, (_, entry, broader) in enumerate(facet.walk()):
        node = nodes[id(entry)] = URIRef(f"{scheme}:{number:05}")
        graph.add((node, RDF.type, SKOS.Concept))
        graph.add((node, SKOS.inScheme, scheme))
        graph.add((node, SKOS.notation, Literal(f"{number:05}")))
        graph.add((node, SKOS.prefLabel, _label(entry.name, thesaurus)))
        for synonym in entry.synonyms:
            graph.add((node, SKOS.altLabel, _label(synonym, thesaurus)))
        if broader is None:
            graph.add((node, SKOS.topConceptOf, scheme))
            graph.add((scheme, SKOS.hasTopConcept, node))
        else:
            graph.add((node, SKOS.broader, nodes[id(broader)]))


def _label(wording: str, thesaurus: Thesaurus) -> Literal:
    return Literal(wording, lang=thesaurus.language)


def _groups(graph: Graph, concepts: Concepts) -> Iterator[tuple[Node, list[Node]]]:
    """Yield what makes a facet, with the concepts at its top."""
    schemes = concepts.ordered(set(graph.subjects(RDF.type, SKOS.ConceptScheme)))
    collections = concepts.ordered(
        {*graph.subjects(RDF.type, SKOS.Collection), *graph.subjects(RDF.type, SKOS.OrderedCollection)}
    )
    if len(schemes) < 2 and len(collections) > 1:
        for collection in collections:
            yield collection, concepts.ordered(graph.objects(collection, SKOS.member))
    elif schemes:
        for scheme in schemes:
            yield scheme, concepts.top_of(scheme)
    else:
        tops = concepts.roots_left()
        if 1 < len(tops) <= MAX_FACETS and all(map(concepts.narrower, tops)):
            yield from ((top, [top]) for top in tops)


def _title(concepts: Concepts, node: Node) -> str:
    """Return what a scheme or collection is called in the language."""
    for kind in (SKOS.prefLabel, DCTERMS.title, RDFS.label):
        if labels := concepts.labels(node, kind):
            return as_wording(labels[0])
    return ""


def _negative(graph: Graph, node: Node) -> tuple[str, ...]:
    return tuple(sorted({as_wording(str(label)) for label in graph.objects(node, NEGATIVE)} - {""}))


def _new_name(node: Node | None, concepts: Concepts, taken: Iterable[str]) -> str:
    """Return a facet's name: out of our own URI, else of its title, else of its URI's end."""
    own = f"{NAMESPACE}facet:"
    if node is None:
        name = "other" if taken else "subject"
    elif str(node).startswith(own):
        name = str(node).removeprefix(own)
    else:
        name = _title(concepts, node) or re.split(r"[/#:]", str(node).rstrip("/#"))[-1]
    plain = normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    stem = _SLUG.sub("-", plain).strip("-")[:50].strip("-") or "facet"
    names = (stem, *(f"{stem}-{number}" for number in range(2, MAX_FACETS * 100)))
    return next(name for name in names if name not in taken)
