"""Categories added to the folder of a taxonomy; what is there stays."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from focused_crawler.errors import TopicError
from focused_crawler.taxonomy.folder import FILE_NAME, KEYS, MAX_FILE_BYTES, ROOT_KEYS
from focused_crawler.taxonomy.listing import Listing, entries
from focused_crawler.toml_list import change_list
from focused_crawler.toml_text import listed, quoted, replace_text
from focused_crawler.topic_file import TopicFile, place
from focused_crawler.topic_rules import identity

_ROOT_TEXT = """\
# The categories of a taxonomy are the folders below; see docs/taxonomy.md.
# language = "en"  # of all examples: ISO 639
"""


@dataclass(slots=True)
class Merged:
    """What became of a listing."""

    categories: int = 0  # made, those above the listed ones too
    examples: int = 0  # added
    known: int = 0  # examples that were there already


def merge(listing: Listing, folder: Path) -> Merged:
    """Make the categories of a listing that are missing, and add its URLs to their examples.

    A page that a category has is not added once more, however its URL is spelled. Raises TopicError.
    """
    merged = Merged()
    root = folder.absolute()
    if not (root / FILE_NAME).exists():
        _write(root / FILE_NAME, _ROOT_TEXT)
    TopicFile(root / FILE_NAME, MAX_FILE_BYTES).check_keys(ROOT_KEYS)
    for path, title, urls in entries(listing):
        file = root / path / FILE_NAME
        known = _known(file) if file.exists() else None
        new = {identity(url): url for url in reversed(urls) if identity(url) not in (known or ())}
        fresh = list(reversed(new.values()))
        merged.examples += len(fresh)
        merged.known += len(urls) - len(fresh)
        if known is None:
            merged.categories += 1
            _write(file, f"title = {quoted(title)}\nexamples = {listed(fresh)}\n")
        else:
            change_list(TopicFile(file, MAX_FILE_BYTES), "", "examples", fresh)
    return merged


def skipped_text(skipped: Counter[str]) -> str:
    """Return how many lines were left out, and why.

    >>> skipped_text(Counter({"no http or https URL": 2}))
    '2 lines left out: no http or https URL 2x'
    """
    if not skipped:
        return "no line left out"
    reasons = ", ".join(f"{reason} {number}x" for reason, number in skipped.most_common())
    return f"{sum(skipped.values())} lines left out: {reasons}"


def _known(path: Path) -> set[int | str]:
    file = TopicFile(path, MAX_FILE_BYTES)
    file.check_keys(KEYS)
    return {identity(example) for example in file.texts("", "examples")}


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TopicError(f"{place(path.parent)}: cannot be made: {error.strerror}") from None
    replace_text(path, text)
