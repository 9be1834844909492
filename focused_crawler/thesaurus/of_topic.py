"""The thesaurus of a topic: the one in its folder, else a first one made of the topic's words."""

from __future__ import annotations

from collections.abc import Iterable

from focused_crawler.page.model import STOP
from focused_crawler.text.tokens import Analyzer
from focused_crawler.thesaurus.file import find_thesaurus
from focused_crawler.thesaurus.runs import Run, RunReader
from focused_crawler.thesaurus.tree import Entry, Facet, Thesaurus
from focused_crawler.thesaurus.wording import CONTROL, Key, as_wording, wording_key
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
    return Thesaurus((Facet(SUBJECT, entries, CONTROL.sub("", topic.title)),), topic.language)


def subject_wordings(topic: Topic, analyzer: Analyzer) -> list[str]:
    """Return the keywords, then phrases of title and description, each once as a matcher sees them.

    A phrase has several words and stands at a comma or the like: others are mostly parts of a sentence
    ("rust does"). A single word ("treatment") says too little, unless there is nothing else.
    """
    runs = [run for text in (topic.title, topic.description) for run in RunReader(analyzer).runs(text)]
    phrases = [run for run in runs if 1 < len(run.words) <= _MAX_WORDS and run.at_border]
    found = _distinct((*topic.keywords, *map(_written, phrases)), analyzer)
    return found or _distinct(map(_written, runs), analyzer)


def _distinct(texts: Iterable[str], analyzer: Analyzer) -> list[str]:
    found: dict[Key, str] = {}
    for text in map(as_wording, texts):
        found.setdefault(wording_key(text, analyzer), text)
    found.pop((), None)
    return list(found.values())


def _written(run: Run) -> str:
    return " ".join(run.words).lower()


def _context(topic: Topic, analyzer: Analyzer) -> dict[str, float]:
    """Return the topic's terms, each with how much it says of what the topic's words mean."""
    described = dict.fromkeys(analyzer.terms(topic.description), _DESCRIPTION_SHARE)
    named = (term for text in (topic.title, *topic.keywords) for term in analyzer.terms(text))
    return {term: share for term, share in (described | dict.fromkeys(named, 1.0)).items() if term != STOP}
