"""Edits of a taxonomy: its categories, their examples, and the marks of the topics that name them.

Each is done as a whole (`edit_log`), or refused in one line that says what to do instead.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from focused_crawler.classify.taxonomy.category_files import CategoryFiles
from focused_crawler.classify.taxonomy.edit_log import Edit, EditLog, PathChange, Step, TextChange, editing
from focused_crawler.classify.taxonomy.folder import FILE_NAME, check_is_tree, read_tree
from focused_crawler.classify.taxonomy.tree import MOST_LEVELS, ROOT, Tree, is_within, parent_of
from focused_crawler.safety.errors import TopicError
from focused_crawler.safety.formats import plural
from focused_crawler.safety.package_folder import check_lasts
from focused_crawler.safety.whole_file import replace_file
from focused_crawler.topic.file import TopicFile, shown
from focused_crawler.topic.folders import topics_folder
from focused_crawler.topic.rules import category_problem, example_problem, identity
from focused_crawler.topic.toml import quoted, with_list
from focused_crawler.topic.topic import FILE_NAME as TOPIC_FILE
from focused_crawler.topic.topic import MAX_FILE_BYTES, topic_names

Renamed = Callable[[str], str | None]
"""Where a category is after an edit; None: nowhere."""


class TaxonomyEditor:
    """Edits the files of one taxonomy."""

    def __init__(self, folder: Path, topics_dir: Path | None = None) -> None:
        """`topics_dir`: the topics whose marks follow (default: the user's own)."""
        check_lasts(folder)
        self._root = folder.resolve()
        self._read_from = topics_dir
        self._topics_dir = topics_folder() if topics_dir is None else topics_dir

    def create(self, path: str, title: str = "") -> str:
        """Make a category below one that is there; return what was done, as all of these do."""
        with self._open() as now:
            _check_new(now.tree, path)
            made = now.log.scratch("new")
            (self._root / made).mkdir()
            text = f"title = {quoted(title)}\nexamples = []\n" if title.strip() else "examples = []\n"
            replace_file(self._root / made / FILE_NAME, text.encode())
            return now.do(f"made {path}", [PathChange(made, path)])

    def rename(self, path: str, name: str, title: str = "") -> str:
        """Give a category another name, another title, or both; its marks follow."""
        with self._open() as now:
            _check_known(now.tree, path)
            above = parent_of(path)
            target = f"{above}/{name}" if above else name
            steps: list[Step] = []
            if target != path:
                _check_new(now.tree, target)
                steps.append(PathChange(path, target))
            if title.strip() and title != now.tree[path].title:
                steps.append(now.files(path).titled(title, at=target))
            if not steps:
                raise TopicError(f"{path} is called so already; give another name, or a title")
            renamed = f"renamed {path} to {name}" if target != path else f"titled {path} {shown(title)}"
            return now.do(renamed, steps, _moved(path, target))

    def move(self, path: str, parent: str) -> str:
        """Put a category, with all below it, under another parent ("": the top); its marks follow."""
        with self._open() as now:
            _check_known(now.tree, path)
            _check_known(now.tree, parent, may_be_root=True)
            target = f"{parent}/{path.rpartition('/')[2]}".lstrip("/")
            if is_within(parent, path) and parent:
                raise TopicError(f"{parent} lies in {path} itself; move it elsewhere")
            if parent_of(path) == parent:
                raise TopicError(f"{path} lies in {_named(parent)} already")
            _check_new(now.tree, target)
            deepest = max(below.count("/") for below in now.tree.below(path)) - path.count("/")
            if target.count("/") + deepest >= MOST_LEVELS:
                raise TopicError(f"{target} would have more than {MOST_LEVELS} levels; move it higher up")
            where = f"to {parent}" if parent else "to the top"
            return now.do(f"moved {path} {where}", [PathChange(path, target)], _moved(path, target))

    def merge(self, path: str, into: str) -> str:
        """Give a category's examples, topics and subcategories to another one, which stands for both."""
        with self._open() as now:
            _check_known(now.tree, path)
            _check_known(now.tree, into)
            if path == into:
                raise TopicError(f"{path} is to be merged into itself; name another category")
            if is_within(into, path):
                raise TopicError(f"{into} lies in {path}; merge it into {path} instead")
            steps, places = _merge(now, path, into)
            return now.do(f"merged {path} into {into}", steps, lambda mark: places.get(mark, mark))

    def delete(self, path: str) -> str:
        """Take a category away, with all below it and its examples; `undo` brings them back."""
        with self._open() as now:
            _check_known(now.tree, path)
            gone = frozenset(now.tree.below(path))
            aside = now.log.scratch("removed")
            return now.do(
                f"deleted {path}", [PathChange(path, aside)], lambda mark: None if mark in gone else mark
            )

    def add(self, path: str, names: Sequence[str], source: str | None = None) -> str:
        """Make pages (URLs, or HTML files) examples of a category; `source`: of which they are until now.

        TopicError for one that is an example of another category and was not named with it.
        """
        _check_some(names)
        with self._open() as now:
            _check_known(now.tree, path, may_be_root=True)
            if source is not None:
                return self._take_over(now, path, names, source)
            pages = [_checked(name) for name in names]
            files = now.files(path)
            new = list({identity(name): name for name in pages if identity(name) not in files.own}.values())
            if not new:
                raise TopicError(f"{_named(path)} has {'it' if len(pages) == 1 else 'them'} already")
            _check_free(now, new, path)
            return now.do(f"gave {_named(path)} {_counted(new)}", files.with_new(new, now.log))

    def remove(self, path: str, names: Sequence[str]) -> str:
        """Take examples away from a category."""
        _check_some(names)
        with self._open() as now:
            _check_known(now.tree, path, may_be_root=True)
            steps = now.files(path).without(names, lambda name: now.log.scratch(Path(name).name))
            return now.do(f"took {_counted(names)} from {_named(path)}", steps)

    def undo(self) -> str:
        """Take the last edit back; return which."""
        with editing(self._root) as log:
            return log.undo().what

    def edits(self) -> list[Edit]:
        """Return the edits that can be taken back, the last one first."""
        with editing(self._root) as log:
            return log.edits()

    def _take_over(self, now: _Now, path: str, names: Sequence[str], source: str) -> str:
        _check_known(now.tree, source, may_be_root=True)
        if source == path:
            raise TopicError(f"{path} has {'it' if len(names) == 1 else 'them'} already")
        steps = now.files(source).given_to(now.files(path), names)
        return now.do(f"moved {_counted(names)} from {_named(source)} to {_named(path)}", steps)

    @contextmanager
    def _open(self) -> Iterator[_Now]:
        check_is_tree(self._root)
        with editing(self._root) as log:
            yield _Now(log, self._root, read_tree(self._root, self._read_from), self._topics_dir)


class _Now(NamedTuple):
    """A taxonomy as it is, while nobody else edits it."""

    log: EditLog
    root: Path
    tree: Tree
    topics_dir: Path

    def files(self, path: str) -> CategoryFiles:
        return CategoryFiles(self.root, path)

    def do(self, what: str, steps: Sequence[Step], renamed: Renamed = lambda path: path) -> str:
        self.log.do(what, [*steps, *_marks(self.topics_dir, renamed)])
        return what


def _merge(now: _Now, path: str, into: str) -> tuple[list[Step], dict[str, str]]:
    """Return the steps, and where each category is in the end."""
    own, target = now.files(path), now.files(into)
    steps = own.joined_to(target)
    places = {path: into}
    for child in now.tree.children(path):
        goal = f"{into}/{child.rpartition('/')[2]}"
        if goal == path:
            raise TopicError(f"{child} is called as {path} is; rename one of them first")
        if goal in now.tree and goal != child:
            more, found = _merge(now, child, goal)
            steps += more
            places |= found
        else:
            steps.append(PathChange(child, goal))
            places |= {below: f"{goal}{below[len(child) :]}" for below in now.tree.below(child)}
    return [*steps, PathChange(path, now.log.scratch(path.replace("/", "-")[-60:]))], places


def _marks(topics_dir: Path, renamed: Renamed) -> Iterator[TextChange]:
    """Yield the changes of topics whose good categories are elsewhere now; a broken topic stays as it is."""
    for name in topic_names(topics_dir):
        try:
            file = TopicFile(topics_dir / name / TOPIC_FILE, MAX_FILE_BYTES)
            marked = file.texts("taxonomy", "good")
            new = {path: place for path in marked if (place := renamed(path)) != path}
            if new:
                fresh = [place for place in new.values() if place is not None and place not in marked]
                text = with_list(file, "taxonomy", "good", list(dict.fromkeys(fresh)), new)
                before = file.path.read_bytes().decode()
                yield TextChange(str(file.path.absolute()), before, text.replace("\n", file.line_end))
        except TopicError:
            continue


def _moved(path: str, target: str) -> Renamed:
    return lambda mark: target + mark[len(path) :] if is_within(mark, path) else mark


def _check_known(tree: Tree, path: str, *, may_be_root: bool = False) -> None:
    if path == ROOT and not may_be_root:
        raise TopicError("the top of the tree stays as it is; name a category, such as health/asthma")
    tree.good_nodes([path])


def _check_new(tree: Tree, path: str) -> None:
    if message := category_problem(path):
        raise TopicError(message)
    if path in tree:
        raise TopicError(f"the taxonomy has a category {path}; choose another name, or merge the two")
    if path.count("/") >= MOST_LEVELS:
        raise TopicError(f"{path} has more than {MOST_LEVELS} levels; make it higher up")
    _check_known(tree, parent_of(path) or ROOT, may_be_root=True)


def _check_free(now: _Now, names: Sequence[str], path: str) -> None:
    """Refuse what is an example of another category already: a page that is in two tells nothing apart."""
    for category in now.tree.paths:
        own = now.files(category).own
        if taken := next((name for name in names if identity(name) in own), None):
            raise TopicError(
                f"{shown(taken)} is an example of {_named(category)}; to move it:"
                f" scrapy taxonomy add {path or '/'} {taken} --from {category or '/'}"
            )


def _check_some(names: Sequence[str]) -> None:
    if not names:
        raise TopicError("no example is chosen; choose one or more")


def _checked(name: str) -> str:
    if problem := example_problem(name):
        raise TopicError(problem)
    return name


def _counted(names: Collection[str]) -> str:
    return plural(len(names), "example") if len(names) != 1 else next(iter(names))


def _named(path: str) -> str:
    return path or "the top"
