"""Files in RDF, read with care: their size is limited, nothing is fetched, no entity is expanded."""

from __future__ import annotations

import re
from pathlib import Path
from xml.sax import SAXException

from rdflib import Graph
from rdflib.exceptions import Error as RdfError
from rdflib.exceptions import ParserError

from focused_crawler.errors import TopicError
from focused_crawler.toml_text import replace_text
from focused_crawler.topic_file import place, read_text, shown

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
