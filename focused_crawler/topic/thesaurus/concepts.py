"""The concepts of a SKOS graph as trees, also where it has cycles, several parents, or labels missing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rdflib import Graph, Literal
from rdflib.namespace import RDF, SKOS
from rdflib.term import Node

from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.safety.errors import TopicError
from focused_crawler.topic.thesaurus.file import MAX_ENTRIES
from focused_crawler.topic.thesaurus.model import Entry, Key, as_wording, wording_key
from focused_crawler.topic.thesaurus.outline import MAX_LEVEL


class Concepts:
    """Makes entries of concepts, each once."""

    def __init__(self, graph: Graph, analyzer: Analyzer) -> None:
        self._graph = graph
        self._analyzer = analyzer
        self._concepts: set[Node] = {
            *graph.subjects(RDF.type, SKOS.Concept),
            *graph.subjects(SKOS.broader, None),
            *graph.objects(None, SKOS.narrower),
        }
        self._taken: set[Node] = set()
        self._seen: set[Key] = set()
        self._names: dict[Node, list[str]] = {}

    def trees(self, roots: Sequence[Node]) -> tuple[Entry, ...]:
        """Return the entries of concepts and of all that is narrower; what was taken before is left out.

        What is deeper than an outline may be stands on its deepest level. Raises TopicError for too many.
        """
        order = self._descend(roots)
        below: dict[Node | None, list[Entry]] = {}
        for node, above in reversed(order):
            narrower = tuple(reversed(below.pop(node, [])))
            names = self._names[node]
            if names:
                below.setdefault(above, []).append(Entry(names[0], tuple(names[1:]), narrower))
            else:
                below.setdefault(above, []).extend(reversed(narrower))
        return tuple(reversed(below.get(None, [])))

    def narrower(self, node: Node) -> list[Node]:
        """Return the concepts that are one step narrower."""
        graph = self._graph
        return self.ordered(
            {*graph.objects(node, SKOS.narrower), *graph.subjects(SKOS.broader, node)} - {node}
        )

    def top_of(self, scheme: Node) -> list[Node]:
        """Return the top concepts of a scheme: those it names, else those without a broader one in it."""
        graph = self._graph
        named = {*graph.objects(scheme, SKOS.hasTopConcept), *graph.subjects(SKOS.topConceptOf, scheme)}
        members = {*graph.subjects(SKOS.inScheme, scheme)} & self._concepts
        loose = {node for node in members if not self._broader(node)}
        return self.ordered(named | loose) or self.ordered(members)[:1]

    def roots_left(self) -> list[Node]:
        """Return the concepts without a broader one that were not taken, then one of each cycle and below."""
        left = self._concepts - self._taken
        roots = self.ordered(node for node in left if not self._broader(node))
        reached: set[Node] = set()
        self._reach(roots, reached)
        for node in self.ordered(left - reached):
            if node not in reached:
                roots.append(node)
                self._reach([node], reached)
        return roots

    def ordered(self, nodes: Iterable[Node]) -> list[Node]:
        """Return nodes by notation, label and address: the same graph gives the same order."""
        return sorted(set(nodes), key=self._place)

    def labels(self, node: Node, kind: Node) -> list[str]:
        """Return a node's labels in the language, those without one where there are none, sorted."""
        labels = [label for label in self._graph.objects(node, kind) if isinstance(label, Literal)]
        language = self._analyzer.language
        own = [label for label in labels if (label.language or "").partition("-")[0].lower() == language]
        return sorted(map(str, own or [label for label in labels if not label.language]))

    def _broader(self, node: Node) -> set[Node]:
        graph = self._graph
        return {*graph.objects(node, SKOS.broader), *graph.subjects(SKOS.narrower, node)} - {node}

    def _place(self, node: Node) -> tuple[str, str, str]:
        notations = sorted(map(str, self._graph.objects(node, SKOS.notation)))
        labels = self.labels(node, SKOS.prefLabel)
        return (notations or [""])[0], (labels or [""])[0].casefold(), str(node)

    def _descend(self, roots: Sequence[Node]) -> list[tuple[Node, Node | None]]:
        """Return concepts with what each stands below, in reading order, and settle their wordings."""
        order: list[tuple[Node, Node | None]] = []
        above: dict[Node, Node | None] = {}
        levels: dict[Node | None, int] = {None: 0}
        pending: list[tuple[Node, Node | None]] = [(root, None) for root in reversed(roots)]
        while pending:
            node, parent = pending.pop()
            if node in self._taken or node not in self._concepts:
                continue
            if parent is not None and levels[parent] == MAX_LEVEL:
                parent = above[parent]
            self._taken.add(node)
            above[node], levels[node] = parent, levels[parent] + 1
            self._names[node] = self._wordings(node)
            order.append((node, parent))
            pending += [(narrower, node) for narrower in reversed(self.narrower(node))]
        if sum(map(bool, self._names.values())) > MAX_ENTRIES:
            raise TopicError(f"has more than {MAX_ENTRIES:,} concepts; take a part of it")
        return order

    def _wordings(self, node: Node) -> list[str]:
        """Return a concept's wordings, the preferred one first, without those that stand elsewhere."""
        texts: dict[str, str] = {}
        own: set[Key] = set()
        for kind in (SKOS.prefLabel, SKOS.altLabel, SKOS.hiddenLabel):
            for wording in map(as_wording, self.labels(node, kind)):
                key = wording_key(wording, self._analyzer)
                if key and (key in own or key not in self._seen):
                    own.add(key)
                    texts.setdefault(wording.casefold(), wording)
        self._seen |= own
        return list(texts.values())

    def _reach(self, roots: Iterable[Node], reached: set[Node]) -> None:
        """Add concepts and all that is narrower to those that were reached before."""
        pending = list(roots)
        while pending:
            node = pending.pop()
            if node not in reached:
                reached.add(node)
                pending += self.narrower(node)
