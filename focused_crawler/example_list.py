"""Example pages: those that a file names, and those that lie saved beside it."""

from __future__ import annotations

from pathlib import Path

from focused_crawler.errors import TopicError
from focused_crawler.topic_file import TopicFile
from focused_crawler.topic_rules import (
    PAGE_SUFFIXES,
    is_page_file,
    outside_problem,
    page_file_problem,
    url_problem,
)


def example_list(file: TopicFile, table: str, key: str, saved: Path) -> tuple[str, ...]:
    """Return the examples that a key lists, then the HTML files in `saved`, each once.

    They are URLs, or paths inside the folder that the file lies in. Raises `TopicError`.
    """
    folder = file.path.parent
    found = []
    for example in file.texts(table, key):
        is_file = is_page_file(example)
        if message := _page_problem(folder, example) if is_file else url_problem(example):
            raise file.error(table, key, f"{key}: {message}", example)
        found.append((folder / example).resolve().relative_to(folder).as_posix() if is_file else example)
    for suffix in PAGE_SUFFIXES:
        for path in sorted(saved.glob(f"*{suffix}")):
            found.append(path.relative_to(folder).as_posix())
            if message := _page_problem(folder, found[-1]):
                raise TopicError(message)
    return tuple(dict.fromkeys(found))


def _page_problem(folder: Path, name: str) -> str | None:
    return outside_problem(folder, name) or page_file_problem(folder / name)
