"""A new topic folder with a `topic.toml` that explains itself to the one who edits it, and changes to it."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Collection, Sequence
from pathlib import Path

from focused_crawler.safety.errors import TopicError
from focused_crawler.safety.package_folder import check_lasts
from focused_crawler.safety.printable import place
from focused_crawler.topic.file import Problem, TopicFile, shown
from focused_crawler.topic.rules import (
    category_problem,
    example_problem,
    identity,
    is_page_file,
    language_problem,
    name_problem,
    overlap_problem,
    url_problem,
)
from focused_crawler.topic.toml import change_list, listed, quoted
from focused_crawler.topic.topic import FILE_NAME, MAX_FILE_BYTES, Topic, load_topic


class WrongValue(TopicError):
    """A value that the file of a topic cannot hold: of which field, by its name in Python, and why."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}")
        self.field, self.problem = field, problem


def write_topic(topic: Topic) -> Topic:
    """Write the topic's folder, whole or not at all, and return it as `load_topic` reads it.

    Writes name, title, description, language, keywords, seeds and examples. Examples that are no URLs are
    saved pages anywhere on the disk: they are copied into the folder. Raises `TopicError`, also when the
    folder exists.
    """
    _check_values(topic)
    check_lasts(topic.folder)
    if os.path.lexists(topic.folder):
        raise TopicError(f"{place(topic.folder)} exists already; edit its {FILE_NAME} or choose another name")
    try:
        topic.folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".newtopic-", dir=topic.folder.parent) as scratch:
            whole = Path(scratch) / topic.name
            whole.mkdir()
            (whole / FILE_NAME).write_text(_topic_text(topic), encoding="utf-8", newline="\n")
            _copy_pages(topic.relevant_examples, whole / "examples" / "relevant")
            _copy_pages(topic.other_examples, whole / "examples" / "other")
            whole.rename(topic.folder)
    except OSError as error:
        why = f"{place(topic.folder)} cannot be written ({error.strerror})"
        raise TopicError(f"{why}; free its folder or disk, or choose another folder") from None
    return load_topic(str(topic.folder))


def mark_categories(topic: Topic, add: Sequence[str], remove: Collection[str] = ()) -> Topic:
    """Add and remove good categories in the topic's file and return it as it reads now; TopicError."""
    for path in add:
        if message := category_problem(path):
            raise TopicError(message)
    file = TopicFile(topic.folder / FILE_NAME, MAX_FILE_BYTES)
    change_list(file, "taxonomy", "good", add, remove)
    return load_topic(str(topic.folder))


def add_seeds(topic: Topic, urls: Sequence[str]) -> Topic:
    """Add start pages to the topic's file and return it as it reads now; one it has in any spelling stays as
    it is. TopicError.
    """
    return _add_urls(topic, "", "seeds", topic.seeds, urls)


def add_examples(topic: Topic, urls: Sequence[str]) -> Topic:
    """Add relevant examples as `add_seeds` adds start pages; what is an example of either kind stays so."""
    known = [*topic.relevant_examples, *topic.other_examples]
    return _add_urls(topic, "examples", "relevant", [name for name in known if not is_page_file(name)], urls)


def _add_urls(topic: Topic, table: str, key: str, there: Sequence[str], urls: Sequence[str]) -> Topic:
    for url in urls:
        if message := url_problem(url):
            raise TopicError(message)
    known = {identity(url) for url in there}
    new = [url for url in urls if identity(url) not in known]
    change_list(TopicFile(topic.folder / FILE_NAME, MAX_FILE_BYTES), table, key, new)
    return load_topic(str(topic.folder))


def _check_values(topic: Topic) -> None:
    """Refuse whatever `load_topic` would refuse."""
    fields: Sequence[tuple[str, Sequence[str], Problem]] = (
        ("name", [topic.name], name_problem),
        ("keywords", topic.keywords, _text_problem),
        ("seeds", topic.seeds, url_problem),
        ("title", [topic.title], _text_problem),
        ("description", [topic.description], _encoding_problem),
        ("language", [topic.language], language_problem),
        ("relevant", topic.relevant_examples, example_problem),
        ("other", topic.other_examples, example_problem),
    )
    for field, values, problem in fields:
        for value in values:
            if message := _encoding_problem(value) or problem(value):
                raise WrongValue(field, message)
    if not topic.keywords and not topic.relevant_examples:
        raise WrongValue("keywords", "nothing says what the topic is about; give some words")
    if clash := overlap_problem(topic.relevant_examples, topic.other_examples):
        raise TopicError(clash[1])


def _text_problem(text: str) -> str | None:
    return None if text.strip() else "the text is empty; write a word or leave the option out"


def _encoding_problem(text: str) -> str | None:
    """A terminal with another encoding gives half characters, which no UTF-8 file can hold."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return f"{shown(text)} is not UTF-8; set your terminal to UTF-8"
    return None


def _copy_pages(examples: Sequence[str], folder: Path) -> None:
    for number, file in enumerate((Path(example) for example in examples if is_page_file(example)), start=1):
        folder.mkdir(parents=True, exist_ok=True)
        taken = (folder / file.name).exists()
        shutil.copyfile(file, folder / (f"{number}-{file.name}" if taken else file.name))


def _topic_text(topic: Topic) -> str:
    about = f"description = {quoted(topic.description)}"
    lines = [
        "# What a crawl knows of this topic. Edit it freely: errors name the line and the cure.",
        f"name = {quoted(topic.name)}  # as the folder is called",
        f"title = {quoted(topic.title)}",
        "# A sentence or two in the topic's own words: a crawl without a trained model goes by them.",
        about if topic.description.strip() else '# description = "..."',
        f"language = {quoted(topic.language)}",
        "# Words and phrases that pages about the topic use.",
        f"keywords = {listed(topic.keywords)}",
        "# Where a crawl starts: pages about the topic, or pages that link to such pages.",
        "# scrapy seeds finds some.",
        f"seeds = {listed(topic.seeds)}",
        "",
        "# What training learns from: URLs, or saved pages in this folder (examples/relevant/*.html and",
        "# examples/other/*.html count by themselves). Near misses make the best `other` examples.",
        "[examples]",
        f"relevant = {listed([url for url in topic.relevant_examples if not is_page_file(url)])}",
        f"other = {listed([url for url in topic.other_examples if not is_page_file(url)])}",
        "",
        "# [thresholds]",
        "# relevance = 0.5  # from here on a page counts as relevant; default: what training finds",
        "# link = 0.2       # links below it are not followed",
        "",
        "# [taxonomy]",
        '# good = ["health"]  # categories for hard_focus and soft_focus; scrapy taxonomy map finds them',
    ]
    return "\n".join(lines) + "\n"
