"""The thesaurus of a topic: the one in its folder, else a first one made of the topic's words."""

from __future__ import annotations

from collections.abc import Iterator

from focused_crawler.page.model import STOP
from focused_crawler.text.tokens import Analyzer
from focused_crawler.thesaurus.file import find_thesaurus
from focused_crawler.thesaurus.runs import RunReader
from focused_crawler.thesaurus.tree import Entry, Facet, Thesaurus
from focused_crawler.thesaurus.wording import Key, as_wording, wording_key
from focused_crawler.thesaurus.wordnet_files import open_wordnet
from focused_crawler.thesaurus.wordnet_thesaurus import LANGUAGE, Enricher
from focused_crawler.topic import Topic

SUBJECT = "subject"

_DESCRIPTION_SHARE = 0.5  # of a word of the description where senses are told apart
_MAX_WORDS = 4  # of a phrase


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
    return Thesaurus((Facet(SUBJECT, entries, topic.title),), topic.language)


def subject_wordings(topic: Topic, analyzer: Analyzer) -> list[str]:
    """Return the keywords, then phrases of title and description, each once as a matcher sees them.

    A phrase has several words: a single word of a sentence ("treatment", "models") says too little, unless
    there is nothing else.
    """
    found: dict[Key, str] = {}
    phrases = list(_phrases(topic, analyzer))
    for text in map(as_wording, (*topic.keywords, *(phrase for phrase in phrases if " " in phrase))):
        found.setdefault(wording_key(text, analyzer), text)
    found.pop((), None)
    if not found:
        found = {wording_key(text, analyzer): text for text in map(as_wording, phrases)}
    return list(found.values())


def _phrases(topic: Topic, analyzer: Analyzer) -> Iterator[str]:
    reader = RunReader(analyzer)
    for text in (topic.title, topic.description):
        for words, _ in reader.runs(text):
            if len(words) <= _MAX_WORDS:
                yield " ".join(words).lower()


def _context(topic: Topic, analyzer: Analyzer) -> dict[str, float]:
    """Return the topic's terms, each with how much it says of what the topic's words mean."""
    described = dict.fromkeys(analyzer.terms(topic.description), _DESCRIPTION_SHARE)
    named = (term for text in (topic.title, *topic.keywords) for term in analyzer.terms(text))
    return {term: share for term, share in (described | dict.fromkeys(named, 1.0)).items() if term != STOP}
