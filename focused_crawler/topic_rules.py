"""What a topic's values must look like: each rule returns in one line what is wrong and the cure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from focused_crawler.page.url import normalise, url_key
from focused_crawler.topic_file import place, shown

MAX_EXAMPLE_BYTES = 4_000_000
PAGE_SUFFIXES = (".html", ".htm")


def name_problem(name: str) -> str | None:
    """Return what is wrong with a topic's name and what would be right, None for a good one."""
    if name == "topic":
        return "name 'topic' is the spider of all topics; choose another"
    if len(name) <= 64 and re.fullmatch(r"[a-z0-9][a-z0-9-]*", name):
        return None
    better = re.sub(r"[^a-z0-9]+", "-", name.lower())[:64].strip("-") or "my-topic"
    return f"name {shown(name)} is not made of a-z, 0-9 and - alone (64 at most); write {better}"


def url_problem(url: str) -> str | None:
    """Return why a crawl cannot ask for a URL and what would be right, None for a good one."""
    if normalise(url) is not None:
        return None
    return f'{shown(url)} is no http or https URL; write it like "https://www.example.org/page"'


def language_problem(language: str) -> str | None:
    """Return what is wrong with a language code, None for a good one."""
    if re.fullmatch(r"[a-z]{2,3}", language):
        return None
    return f'language {shown(language)} is no ISO 639 code; write two letters, as "en" or "de"'


def overlap_problem(relevant: Iterable[str], other: Iterable[str]) -> tuple[str, str] | None:
    """Return the first example that is relevant and not, as it stands in `other`, and what to do about it."""
    known = {_identity(example) for example in relevant}
    for example in other:
        if _identity(example) in known:
            return example, f"{shown(example)} is a relevant and an other example; remove it from one of them"
    return None


def is_page_file(example: str) -> bool:
    """Say whether an example is a saved page and not a URL, by how it is written."""
    return "://" not in example and example.lower().endswith(PAGE_SUFFIXES)


def page_file_problem(path: Path) -> str | None:
    """Return why a file cannot be an example page, None for a good one."""
    if path.suffix.lower() not in PAGE_SUFFIXES:
        return (
            f"{shown(path.name)} is neither a URL nor an .html file; write https://... or name a saved page"
        )
    if not path.is_file():
        return f"{place(path)} does not exist; save the page there or leave it out"
    if path.stat().st_size > MAX_EXAMPLE_BYTES:
        return f"{place(path)} is larger than {MAX_EXAMPLE_BYTES:,} bytes; choose a smaller page"
    return None


def _identity(example: str) -> int | str:
    """Return what two spellings of one page share."""
    url = normalise(example)
    return example if url is None else url_key(url)
