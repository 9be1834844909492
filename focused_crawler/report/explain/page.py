"""Why a page has its relevance: by term, by section, by content block."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, product

from focused_crawler.classify.midpoints import PLAIN, calibrated
from focused_crawler.crawl.analysis import Analyst
from focused_crawler.link_scoring.registry import options_of
from focused_crawler.page.blocks import partition
from focused_crawler.page.model import STOP, Page, Terms
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.page.text.weighting import SECTION_WEIGHTS, section_counts
from focused_crawler.topic.thesaurus.model import Key
from focused_crawler.topic.thesaurus.scoring import page_runs

_EDGES = "\"'()[]{}<>.,:;!?…«»‹›“”„‘’‚/\\|*#&=+-–—"


class WrittenTerm(str):
    """A term as any other to all that judges a page; each stands at one place of it.

    The `text` of a part of the page that makes several terms is that of the first; the others have none.
    """

    __slots__ = ("section", "text", "value", "word")
    word: str  # as it is written there, without the signs around it
    text: str  # as it is written there, with them
    section: int  # 0 to 3, in the order of `Sections`; this and the next are set once the page is judged
    value: float  # what it adds to the evidence of its page, at this place


class WritingAnalyzer(Analyzer):
    """Makes the same terms as an `Analyzer`, each one a `WrittenTerm` of its own."""

    def terms_of(self, parts: Iterable[str]) -> Terms:
        return [term for part in parts for term in self._written(part)]

    def _written(self, part: str) -> Terms:
        words = self._words(part)
        terms: Terms = []
        for number, word in enumerate(words):
            term = WrittenTerm(self._term[word])
            term.word = part.strip(_EDGES) or part if len(words) == 1 else word
            term.text = "" if number else part
            terms.append(term)
        return terms


def written(terms: Iterable[str]) -> list[WrittenTerm]:
    """Return the terms of a page that a `WritingAnalyzer` has read, stop words too."""
    return [term for term in terms if isinstance(term, WrittenTerm)]


def text_of(terms: Iterable[WrittenTerm]) -> str:
    """Return a text as it is written on its page; signs that stand alone are left out.

    >>> text_of(written(WritingAnalyzer("en").terms("The state-of-the-art: robots!")))
    'The state-of-the-art: robots!'
    """
    return " ".join(term.text for term in terms if term.text)


def wording_places(
    wordings: Mapping[str, Collection[Key]], terms: Sequence[WrittenTerm]
) -> dict[str, list[list[WrittenTerm]]]:
    """Return the terms of each place where a wording stands, by its name, as a `Matcher` finds them.

    `wordings`: those of one facet, name -> what it is read as, all of them on the page. One may have several
    names.
    """
    names: dict[Key, list[str]] = {}
    for name, keys in wordings.items():
        for key in keys:
            names.setdefault(key, []).append(name)
    lengths = sorted({len(key) for key in names}, reverse=True)
    places: dict[str, list[list[WrittenTerm]]] = {}
    position = 0
    while position < len(terms):
        runs = (tuple(terms[position : position + length]) for length in lengths)
        run = next((run for run in runs if run in names), ())
        for name in names.get(run, ()):
            places.setdefault(name, []).append(list(run))
        position += len(run) or 1
    return places


SECTIONS = ("headline", "keywords", "anchor", "body")


@dataclass(frozen=True, slots=True)
class TermReason:
    """What a term says of the page."""

    term: str
    word: str  # as it is mostly written on the page; the term itself where that is unknown
    value: float  # in the evidence's unit
    shares: tuple[float, ...]  # of its weight, by section; all 0 for what is no word of the page


@dataclass(frozen=True, slots=True)
class BlockReason:
    """What a content block says of the page: its terms' values, each by the block's share of its weight."""

    number: int  # from 1, in reading order
    terms: Sequence[WrittenTerm]
    value: float
    similarity: float  # to the topic, as the strategies see it, [0, 1]

    @property
    def text(self) -> str:
        return text_of(self.terms)


@dataclass(frozen=True, slots=True)
class PageReasons:
    """All that makes the relevance of a page; the bias and the values of all terms are its evidence."""

    page: Page
    relevance: float  # by its words; the page has none where it is in another language than the crawl's
    threshold: float
    unit: str  # of all values: "log odds", "cosine", "words" or "score"
    bias: float
    terms: Sequence[TermReason]  # those that the classifier knows, what speaks most for the page first
    all_terms: int  # different terms of the page
    blocks: Sequence[BlockReason]

    @property
    def known_value(self) -> float:
        return sum(term.value for term in self.terms)

    @property
    def total(self) -> float:
        """Return the log odds, the similarity or the score that the relevance comes from."""
        return self.bias + self.known_value

    @property
    def elsewhere(self) -> float:
        """Return what is said by words that stand in no block: those of `outside`."""
        return self.known_value - sum(block.value for block in self.blocks)

    @property
    def outside(self) -> str:
        """Return where words stand that are in no block."""
        return "title, meta keywords, URL" if self.unit == "score" else "title and meta keywords"


def judge(analyst: Analyst, page: Page, depth: int) -> None:
    """Do to a page that was read all that a crawl does before it scores its links."""
    config = analyst.config
    partition(page, config.block_alpha, config.block_min_words, config.context_words)
    page.depth = depth
    analyst.judge(page, analyst.model.classifier.relevance(page))


def explain_page(analyst: Analyst, page: Page) -> PageReasons:
    """Return why a page has its relevance; a `WritingAnalyzer` has read it, and `judge` has judged it."""
    evidence = analyst.model.classifier.evidence(page)
    settings = analyst.model.settings
    own = SECTION_WEIGHTS if settings is None else settings.section_weights
    weights = getattr(analyst.model.classifier, "section_weights", own)
    counts = section_counts(page.sections, weights)
    places = _places(page)
    wordings = getattr(analyst.model.classifier, "wordings", None)
    if wordings is None:
        for term in chain.from_iterable(places.values()):
            term.value = evidence.terms.get(term, 0.0) * weights[term.section] / counts[term]
        reasons = [_term(term, value, places.get(term, ())) for term, value in evidence.terms.items()]
    else:
        reasons = list(_wordings(page, evidence.terms, wordings()))
    return PageReasons(
        page=page,
        relevance=analyst.model.classifier.relevance(page),
        threshold=analyst.model.threshold,
        unit=evidence.unit,
        bias=evidence.bias,
        terms=sorted(reasons, key=lambda reason: (-reason.value, reason.term)),
        all_terms=len(counts),
        blocks=[_block(analyst, number, block.terms) for number, block in enumerate(page.blocks, start=1)],
    )


def telling_terms(reasons: PageReasons, most: int) -> tuple[list[TermReason], list[TermReason]]:
    """Return the terms that speak most for a page, and those that speak most against it."""
    for_it = [term for term in reasons.terms[:most] if term.value > 0]
    return for_it, [term for term in reasons.terms[: -most - 1 : -1] if term.value < 0]


def _places(page: Page) -> dict[str, list[WrittenTerm]]:
    """Return where each term of the page stands, and note on each place its section."""
    places: dict[str, list[WrittenTerm]] = {}
    for number, name in enumerate(SECTIONS):
        for term in written(getattr(page.sections, name)):
            term.section, term.value = number, 0.0
            if term != STOP:
                places.setdefault(term, []).append(term)
    return places


def _wordings(
    page: Page, values: Mapping[str, float], facets: Sequence[Mapping[str, Collection[tuple[str, ...]]]]
) -> Iterator[TermReason]:
    """Yield what each wording of a thesaurus says; the places where it stands share that evenly."""
    places: dict[str, list[list[WrittenTerm]]] = {}
    for wordings, terms in product(facets, page_runs(page)):
        known = {wording: keys for wording, keys in wordings.items() if wording in values}
        for wording, found in wording_places(known, written(terms)).items():
            places.setdefault(wording, []).extend(found)
    for wording, value in values.items():
        by_section = [0.0] * len(SECTIONS)
        runs = places.get(wording, [])
        for run in runs:
            by_section[run[0].section] += 1 / len(runs)
            for term in run:
                term.value += value / len(runs) / len(run)
        yield TermReason(wording, wording, value, tuple(by_section))


def _term(term: str, value: float, places: Sequence[WrittenTerm]) -> TermReason:
    by_section = [0.0] * len(SECTIONS)
    for place in places:
        by_section[place.section] += place.value / value if value else 0.0
    words = Counter(place.word for place in places).most_common(1)
    return TermReason(str(term), words[0][0] if words else str(term), value, tuple(by_section))


def _block(analyst: Analyst, number: int, terms: Terms) -> BlockReason:
    model, here = analyst.model, written(terms)
    options = options_of(analyst.order.strategy, analyst.config.strategy_options, analyst.config.link_scorers)
    midpoints = model.midpoints if options.similarity == "calibrated" else PLAIN
    similarity = calibrated(model.vector.similarity(terms), midpoints.block)
    return BlockReason(number, here, sum(term.value for term in here), similarity)
