"""The thesaurus of a topic: the one in its folder, else a first one made of the topic's words."""

from __future__ import annotations

from focused_crawler.text.tokens import Analyzer
from focused_crawler.thesaurus.file import find_thesaurus
from focused_crawler.thesaurus.runs import RunReader
from focused_crawler.thesaurus.tree import Entry, Facet, Thesaurus
from focused_crawler.thesaurus.wording import Key, as_wording, wording_key
from focused_crawler.topic import Topic

SUBJECT = "subject"


def thesaurus_of(topic: Topic) -> Thesaurus:
    """Return the thesaurus in the topic's folder, else its first one; raises TopicError for a broken file."""
    return find_thesaurus(topic) or first_thesaurus(topic)


def first_thesaurus(topic: Topic) -> Thesaurus:
    """Return a thesaurus made of a topic's words alone; the same words give the same one.

    Its one facet holds the keywords, then the phrases of the title. A topic without any such word (it has
    examples) has a thesaurus without entries, which matches nothing.
    """
    analyzer = Analyzer(topic.language)
    entries = tuple(Entry(name) for name in subject_wordings(topic, analyzer))
    return Thesaurus((Facet(SUBJECT, entries, topic.title),), topic.language)


def subject_wordings(topic: Topic, analyzer: Analyzer) -> list[str]:
    """Return the keywords, then the title's phrases, each once, as a matcher sees them, in their order."""
    phrases = [" ".join(run).lower() for run in RunReader(analyzer).runs(topic.title)]
    found: dict[Key, str] = {}
    for text in map(as_wording, (*topic.keywords, *phrases)):
        if key := wording_key(text, analyzer):
            found.setdefault(key, text)
    return list(found.values())
