"""The folder of a taxonomy: a folder a category, with a `category.toml` and examples."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from focused_crawler.classify.taxonomy.edit_log import reading
from focused_crawler.classify.taxonomy.listing import Listing, entries
from focused_crawler.classify.taxonomy.tree import MOST_LEVELS, ROOT, Category, Tree, relevant_examples
from focused_crawler.safety.errors import TopicError
from focused_crawler.safety.formats import plural
from focused_crawler.safety.package_folder import package_folder
from focused_crawler.safety.printable import place
from focused_crawler.topic.file import TopicFile, shown
from focused_crawler.topic.rules import (
    RESERVED,
    category_problem,
    example_list,
    identity,
    language_problem,
    name_problem,
)
from focused_crawler.topic.toml import change_list, listed, quoted, replace_text
from focused_crawler.topic.topic import load_topic, title_of

_ROOT_TEXT = """\
# The categories of a taxonomy are the folders below; see docs/how-to/taxonomy.md.
# language = "en"  # of all examples: ISO 639
"""
FILE_NAME = "category.toml"
MAX_FILE_BYTES = 5_000_000
KEYS: dict[str, tuple[str, ...]] = {"": ("title", "description", "topics", "examples")}
ROOT_KEYS: dict[str, tuple[str, ...]] = {"": (*KEYS[""], "language")}


def taxonomy_folder() -> Path:
    """Return the folder of the tree that comes with the package."""
    return package_folder("taxonomy")


def model_folder(folder: Path, models: Path | None) -> Path:
    """Return where a taxonomy's model lies: in its own folder, or under FOCUSED_MODELS."""
    return folder / "model" if models is None else models / "taxonomy"


def to_train(folder: Path | None, models: Path | None) -> str:
    """Return the command that trains the tree of a folder, None: the one that ships, into `model_folder`."""
    tree = "" if folder in (None, taxonomy_folder()) else f" --taxonomy {shlex.quote(place(folder))}"
    into = "" if models is None else f" -s {shlex.quote(f'FOCUSED_MODELS={models}')}"
    return f"scrapy taxonomy train{tree}{into}"


def load_tree(folder: Path | None = None, topics_dir: Path | None = None) -> Tree:
    """Return the tree of a folder, by default the one that ships; its `topics` are those of `topics_dir`,
    None: of all folders of topics.

    The `topics` of a category are names: their relevant examples are its examples. HTML files in its
    `examples/` are, too. Only the top `category.toml` may say the `language` of all examples. Raises
    `TopicError` with the place and the cure. An edit that was cut off is finished first.
    """
    root = (taxonomy_folder() if folder is None else folder).absolute()
    check_is_tree(root)
    root = root.resolve()
    with reading(root):
        return read_tree(root, topics_dir)


def check_is_tree(root: Path) -> None:
    """Raise `TopicError`, with the cure, for a folder that holds no taxonomy."""
    if not (root / FILE_NAME).is_file():
        raise TopicError(
            f"{place(root / FILE_NAME)}: not found; give the folder of a taxonomy, or make one with"
            " scrapy taxonomy import FILE --into FOLDER"
        )


def read_tree(root: Path, topics_dir: Path | None) -> Tree:
    """Read what `load_tree` does, while nobody else edits the files."""
    file = TopicFile(root / FILE_NAME, MAX_FILE_BYTES)
    language = file.text("", "language") or "en"
    if message := language_problem(language):
        raise file.error("", "language", message)
    return Tree.of((_category(root, path, topics_dir) for path in _paths(root, ROOT)), language)


def _paths(root: Path, path: str) -> Iterator[str]:
    yield path
    for entry in sorted((root / path).iterdir()):
        if entry.is_dir() and entry.name[0] not in "._" and entry.name not in RESERVED:
            below = f"{path}/{entry.name}".lstrip("/")
            if below.count("/") >= MOST_LEVELS:
                raise TopicError(f"{place(entry)}: lies more than {MOST_LEVELS} levels deep; move it up")
            if message := category_problem(entry.name):
                raise TopicError(f"{place(entry)}: {message}")
            if entry.is_symlink():
                raise TopicError(f"{place(entry)}: is a link; put a folder in its place")
            if not (entry / FILE_NAME).is_file():
                raise TopicError(f"{place(entry / FILE_NAME)}: not found; write one (it may be empty)")
            yield from _paths(root, below)


def _category(root: Path, path: str, topics_dir: Path | None) -> Category:
    folder = root / path
    file = TopicFile(folder / FILE_NAME, MAX_FILE_BYTES)
    file.check_keys(KEYS if path else ROOT_KEYS)
    found = [
        name if "://" in name else str(folder / name)
        for name in example_list(file, "", "examples", folder / "examples")
    ]
    topics = file.texts("", "topics")
    for name in topics:
        found.extend(_topic_examples(file, name, topics_dir))
    return Category(
        path=path,
        title=file.text("", "title") or title_of(folder.name if path else ""),
        description=file.text("", "description") or "",
        topics=topics,
        examples=tuple(dict.fromkeys(found)),
    )


def _topic_examples(file: TopicFile, name: str, topics_dir: Path | None) -> tuple[str, ...]:
    if message := name_problem(name):
        raise file.error("", "topics", f"topics: {message}", name)
    try:
        return relevant_examples(load_topic(name, topics_dir))
    except TopicError as error:
        raise file.error("", "topics", f"topics: {shown(name)}: {error}", name) from None


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
    return f"{plural(sum(skipped.values()), 'line')} left out: {reasons}"


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
