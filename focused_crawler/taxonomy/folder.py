"""The folder of a taxonomy: a folder a category, with a `category.toml` and examples."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from focused_crawler.errors import TopicError
from focused_crawler.example_list import example_list
from focused_crawler.package_folder import package_folder
from focused_crawler.taxonomy.tree import MOST_LEVELS, ROOT, Category, Tree, relevant_examples
from focused_crawler.topic import load_topic, title_of, topics_folder
from focused_crawler.topic_file import TopicFile, place, shown
from focused_crawler.topic_rules import RESERVED, category_problem, language_problem, name_problem

FILE_NAME = "category.toml"
MAX_FILE_BYTES = 5_000_000
KEYS: dict[str, tuple[str, ...]] = {"": ("title", "description", "topics", "examples")}
ROOT_KEYS: dict[str, tuple[str, ...]] = {"": (*KEYS[""], "language")}


def taxonomy_folder() -> Path:
    """Return the folder of the `taxonomy` package; raises `TopicError` outside a project."""
    return package_folder("taxonomy")


def model_folder(folder: Path, models: Path | None) -> Path:
    """Return where a taxonomy's model lies: in its own folder, or under FOCUSED_MODELS."""
    return folder / "model" if models is None else models / "taxonomy"


def load_tree(folder: Path | None = None, topics_dir: Path | None = None) -> Tree:
    """Return the tree of a folder, by default the project's; its `topics` are those of `topics_dir`.

    The `topics` of a category are names: their relevant examples are its examples. HTML files in its
    `examples/` are, too. Only the top `category.toml` may say the `language` of all examples. Raises
    `TopicError` with the place and the cure.
    """
    root = (taxonomy_folder() if folder is None else folder).absolute()
    if not (root / FILE_NAME).is_file():
        raise TopicError(
            f"{place(root / FILE_NAME)}: not found; give the folder of a taxonomy, or make one with"
            " scrapy taxonomy import FILE --into FOLDER"
        )
    root = root.resolve()
    topics_dir = topics_folder() if topics_dir is None else topics_dir
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


def _category(root: Path, path: str, topics_dir: Path) -> Category:
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


def _topic_examples(file: TopicFile, name: str, topics_dir: Path) -> tuple[str, ...]:
    if message := name_problem(name):
        raise file.error("", "topics", f"topics: {message}", name)
    try:
        return relevant_examples(load_topic(name, topics_dir))
    except TopicError as error:
        raise file.error("", "topics", f"topics: {shown(name)}: {error}", name) from None
