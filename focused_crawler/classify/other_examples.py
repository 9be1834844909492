"""Pages that are not about a topic, where it may have to borrow those of its neighbours."""

from __future__ import annotations

from focused_crawler.topic import Topic, load_topic, topic_names, topics_folder

NEGATIVES_PER_POSITIVE = 3
"""So many pages of other topics stand for 'everything else' where a topic names no other examples."""


def other_examples(topic: Topic) -> list[str]:
    """Return what is not about the topic: its own other examples, else the other topics' relevant ones."""
    if topic.other_examples:
        return list(topic.other_examples)
    urls = [
        url
        for other in neighbours(topic)
        for url in other.relevant_examples
        if "://" in url and url not in topic.relevant_examples
    ]
    return _spread(list(dict.fromkeys(urls)), max(30, NEGATIVES_PER_POSITIVE * len(topic.relevant_examples)))


def background_examples(topic: Topic, most: int) -> list[str]:
    """Return relevant examples of the topics in the same folder, at most so many, spread over all of them.

    They stand for what else the web is about, beside the examples that a person chose.
    """
    taken = {*topic.relevant_examples, *other_examples(topic)}
    names = [name for name in topic_names(topic.folder.parent) if name != topic.name]
    urls = [url for name in names for url in load_topic(name, topic.folder.parent).relevant_examples]
    return _spread([url for url in dict.fromkeys(urls) if "://" in url and url not in taken], most)


def _spread(urls: list[str], most: int) -> list[str]:
    wanted = min(len(urls), most)
    return [urls[number * len(urls) // wanted] for number in range(wanted)]


def neighbours(topic: Topic) -> list[Topic]:
    """Return the other topics of the same folder, those of the project for a topic that lies alone."""
    for folder in (topic.folder.parent, topics_folder()):
        others = [load_topic(name, folder) for name in topic_names(folder) if name != topic.name]
        if others:
            return others
    return []
