"""The thesaurus of a topic: the one in its folder, else a first one made of the topic's words.

WordNet adds synonyms and narrower words, in the sense that the topic means. A word's senses are told apart
by what they share with the topic's other words (Lesk 1986, extended by Banerjee and Pedersen 2003: the
glosses of neighbours count as well, here half). A word of which no sense shares anything stays alone: most
words of most senses would lead away from the topic.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from focused_crawler.page.model import STOP
from focused_crawler.page.text.idf import TermStatistics
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.page.text.wordnet import LANGUAGE, Sense, WordNet, open_wordnet
from focused_crawler.topic.thesaurus.file import find_thesaurus
from focused_crawler.topic.thesaurus.model import (
    CONTROL,
    Entry,
    Facet,
    Key,
    Thesaurus,
    as_wording,
    wording_key,
)
from focused_crawler.topic.thesaurus.phrases import MAX_WORDS, RunReader, WordSpan
from focused_crawler.topic.topic import Topic

SUBJECT = "subject"

_DESCRIPTION_SHARE = 0.5  # of a word of the description where senses are told apart
MAX_NARROWER = 10  # entries below one word

_PARTS = "nva"
_NEAR = ("@", "@i", "~", "~i", "%p", "#p", "%m", "#m", "%s", "#s", ";c", "-c", "+", "*", "&", "$", "^", "=")
_MAX_NEAR = 60
_NEAR_SHARE = 0.5
_LEAST_SUPPORT = 4.0  # idf: a rare word of the topic in the sense's own gloss, or several near it
_NEAR_BEST = 0.7  # of the best sense's support: another sense with as much is meant as well
_SYNONYM_SENSES, _NARROWER_SENSES = 3, 2  # a wording of more senses stands for something else too often
_SYNONYM_IDF, _NARROWER_IDF = 3.0, 4.0  # a wording all of whose words are commoner says nothing


class Enricher:
    """Adds to the words of one topic what WordNet knows of them; no wording comes twice."""

    def __init__(self, wordnet: WordNet, analyzer: Analyzer, context: Mapping[str, float]) -> None:
        """Take the topic's terms, all of them, with how much each counts between 0 and 1."""
        self._wordnet = wordnet
        self._analyzer = analyzer
        self._statistics = TermStatistics.for_language(analyzer.language)
        self._context = {term: share * self._statistics.idf(term) for term, share in context.items()}
        self._seen: set[Key] = set()

    def entries(self, wordings: Sequence[str]) -> tuple[Entry, ...]:
        """Return an entry for each of the topic's wordings, in their order, then those that are narrower.

        All are on one level: of a tree, in which a deeper entry weighs more, the topic's own words would be
        the top, and each would count for half.
        """
        self._seen = {wording_key(wording, self._analyzer) for wording in wordings}
        senses = {wording: self._meant(wording) for wording in wordings}
        own = [Entry(wording, self._synonyms(senses[wording])) for wording in wordings]
        return (*own, *(entry for wording in wordings for entry in self._narrower(senses[wording])))

    def _meant(self, wording: str) -> list[Sense]:
        """Return the senses that the topic's other words support, of those about as much as the best one."""
        senses = self._wordnet.senses(wording, _PARTS)
        own = set(self._analyzer.terms(wording))
        support = {sense: self._support(sense, own) for sense in senses}
        least = max(_LEAST_SUPPORT, _NEAR_BEST * max(support.values(), default=0.0))
        return [sense for sense in senses if support[sense] >= least]

    def _support(self, sense: Sense, own: set[str]) -> float:
        """Return how much of the topic a sense shares, its own words left out: a sum of idf."""
        words = self._terms([sense])
        near = self._terms(islice(self._wordnet.related(sense, *_NEAR), _MAX_NEAR))
        return sum(
            weight * (1.0 if term in words else _NEAR_SHARE)
            for term, weight in self._context.items()
            if term not in own and (term in words or term in near)
        )

    def _terms(self, senses: Iterable[Sense]) -> set[str]:
        return {
            term
            for sense in senses
            for text in (*sense.lemmas, sense.gloss)
            for term in self._analyzer.terms(text)
        }

    def _synonyms(self, senses: Sequence[Sense]) -> tuple[str, ...]:
        return tuple(
            wording for sense in senses for wording in self._new(sense, _SYNONYM_SENSES, _SYNONYM_IDF)
        )

    def _narrower(self, senses: Sequence[Sense]) -> tuple[Entry, ...]:
        """Return what is one step narrower, the commonest words first: these are found on pages."""
        narrower = dict.fromkeys(one for sense in senses for one in self._wordnet.related(sense, "~"))
        found: list[Entry] = []
        for sense in sorted(narrower, key=self._rarity):
            if len(found) < MAX_NARROWER and (names := self._new(sense, _NARROWER_SENSES, _NARROWER_IDF)):
                found.append(Entry(names[0], tuple(names[1:])))
        return tuple(found)

    def _new(self, sense: Sense, most_senses: int, least_idf: float) -> list[str]:
        """Return the wordings of a sense that stand for it rather than for something else, and note them."""
        wordings = []
        for lemma in map(as_wording, sense.lemmas):
            key = wording_key(lemma, self._analyzer)
            is_new = bool(key) and key not in self._seen
            if is_new and self._idf(key) >= least_idf and self._is_clear(lemma, sense, most_senses):
                self._seen.add(key)
                wordings.append(lemma)
        return wordings

    def _is_clear(self, lemma: str, sense: Sense, most_senses: int) -> bool:
        """Tell whether a wording has few senses, of which this is its commonest as this part of speech."""
        senses = self._wordnet.senses(lemma, _PARTS)
        return len(senses) <= most_senses and [one for one in senses if one.part == sense.part][:1] == [sense]

    def _rarity(self, sense: Sense) -> float:
        """Return the idf of the commonest wording of a sense."""
        keys = (wording_key(lemma, self._analyzer) for lemma in sense.lemmas)
        return min((self._idf(key) for key in keys if key), default=self._statistics.default)

    def _idf(self, key: Key) -> float:
        """Return the idf of the rarest word of a wording."""
        return max(self._statistics.idf(term) for term in key if term != STOP)


def thesaurus_of(topic: Topic) -> Thesaurus:
    """Return the thesaurus in the topic's folder, else its first one; raises TopicError for a broken file."""
    return find_thesaurus(topic) or first_thesaurus(topic)


def first_thesaurus(topic: Topic) -> Thesaurus:
    """Return a thesaurus made of a topic's words; the same words and WordNet give the same one.

    Its one facet holds the keywords, then phrases of title and description, with what WordNet knows of them
    where it is set up and the topic is in English. A topic without any such word (it has examples) has a
    thesaurus without entries, which matches nothing.
    """
    analyzer = Analyzer(topic.language)
    wordings = subject_wordings(topic, analyzer)
    entries = tuple(map(Entry, wordings))
    if topic.language == LANGUAGE:
        with open_wordnet() as wordnet:
            if wordnet is not None:
                entries = Enricher(wordnet, analyzer, _context(topic, analyzer)).entries(wordings)
    return Thesaurus((Facet(SUBJECT, entries, CONTROL.sub("", topic.title)),), topic.language)


def subject_wordings(topic: Topic, analyzer: Analyzer) -> list[str]:
    """Return the keywords, then phrases of title and description, each once as a matcher sees them.

    A phrase has several words and stands at a comma or the like: others are mostly parts of a sentence
    ("rust does"). A single word ("treatment") says too little, unless there is nothing else.
    """
    runs = [run for text in (topic.title, topic.description) for run in RunReader(analyzer).runs(text)]
    phrases = [run for run in runs if 1 < len(run.words) <= MAX_WORDS and run.at_border]
    found = _distinct((*topic.keywords, *map(_written, phrases)), analyzer)
    return found or _distinct(map(_written, runs), analyzer)


def _distinct(texts: Iterable[str], analyzer: Analyzer) -> list[str]:
    found: dict[Key, str] = {}
    for text in map(as_wording, texts):
        found.setdefault(wording_key(text, analyzer), text)
    found.pop((), None)
    return list(found.values())


def _written(run: WordSpan) -> str:
    return " ".join(run.words).lower()


def _context(topic: Topic, analyzer: Analyzer) -> dict[str, float]:
    """Return the topic's terms, each with how much it says of what the topic's words mean."""
    described = dict.fromkeys(analyzer.terms(topic.description), _DESCRIPTION_SHARE)
    named = (term for text in (topic.title, *topic.keywords) for term in analyzer.terms(text))
    return {term: share for term, share in (described | dict.fromkeys(named, 1.0)).items() if term != STOP}
