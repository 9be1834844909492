"""The files of one category: what its `category.toml` lists, the pages saved with it, and changes to both."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from pathlib import Path

from focused_crawler.classify.taxonomy.edit_log import EditLog, PathChange, Step, TextChange
from focused_crawler.classify.taxonomy.folder import FILE_NAME, KEYS, MAX_FILE_BYTES, ROOT_KEYS
from focused_crawler.safety.errors import TopicError
from focused_crawler.topic.file import TopicFile, shown
from focused_crawler.topic.rules import PAGE_SUFFIXES, identity, is_page_file
from focused_crawler.topic.toml import with_list, with_text

SAVED = "examples"
"""The folder, in a category's own, of pages that are examples by themselves."""


class CategoryFiles:
    """Plans changes: each method returns the steps that make one."""

    def __init__(self, root: Path, path: str) -> None:
        self.path = path
        self._root = root
        self._folder = root / path
        self._file = TopicFile(self._folder / FILE_NAME, MAX_FILE_BYTES)
        self._file.check_keys(KEYS if path else ROOT_KEYS)

    @cached_property
    def own(self) -> dict[int | str, str]:
        """Its examples without those of its topics: what each is known by -> as it is written."""
        listed = self._file.texts("", "examples")
        saved = (file for suffix in PAGE_SUFFIXES for file in (self._folder / SAVED).glob(f"*{suffix}"))
        written = [*listed, *sorted(file.relative_to(self._folder).as_posix() for file in saved)]
        return {self._key(name): name for name in written}

    def titled(self, title: str, at: str) -> TextChange:
        """Give it another title; `at`: its path by then."""
        return self._write(with_text(self._file, "title", title), at)

    def with_new(self, names: Sequence[str], log: EditLog) -> list[Step]:
        """Give it URLs and copies of HTML files."""
        files = [name for name in names if is_page_file(name)]
        steps: list[Step] = []
        taken: set[str] = set()
        for name in files:
            copy, target = log.scratch(Path(name).name), self._free(name, taken)
            shutil.copyfile(name, self._root / copy)
            steps.append(PathChange(copy, target))
        urls = [name for name in names if name not in files]
        return [*self._listing(urls), *steps]

    def without(self, names: Collection[str], aside: Callable[[str], str]) -> list[Step]:
        """Take examples away; `aside` returns where a saved page goes."""
        found = [self._find(name) for name in names]
        files = [name for name in found if is_page_file(name)]
        return [*self._listing([], found), *(PathChange(self._at(name), aside(name)) for name in files)]

    def given_to(self, other: CategoryFiles, names: Collection[str]) -> list[Step]:
        """Make its examples those of another category."""
        found = [self._find(name) for name in names]
        urls = [name for name in found if not is_page_file(name)]
        new = [name for name in urls if identity(name) not in other.own]
        taken: set[str] = set()
        moves = [PathChange(self._at(name), other._free(name, taken)) for name in found if is_page_file(name)]
        return [*self._listing([], found), *other._listing(new), *moves]

    def joined_to(self, other: CategoryFiles) -> list[Step]:
        """Make all its examples and topics those of another category; its own file stays as it is."""
        own = self.own.values()
        taken: set[str] = set()
        moves = [PathChange(self._at(name), other._free(name, taken)) for name in own if is_page_file(name)]
        new = [name for key, name in self.own.items() if not is_page_file(name) and key not in other.own]
        return [*other._listing(new, topics=self._file.texts("", "topics")), *moves]

    def _listing(
        self, add: Sequence[str], remove: Collection[str] = (), topics: Sequence[str] = ()
    ) -> list[Step]:
        """Change the lists of its file."""
        file = TopicFile(self._file.path, MAX_FILE_BYTES, with_list(self._file, "", "examples", add, remove))
        text = with_list(file, "", "topics", topics)
        return [self._write(text, self.path)] if text != self._file.content else []

    def _write(self, text: str, at: str) -> TextChange:
        before = self._file.path.read_bytes().decode()
        return TextChange(f"{at}/{FILE_NAME}".lstrip("/"), before, text.replace("\n", self._file.line_end))

    def _find(self, name: str) -> str:
        """Return an example of its own as it is written; raises TopicError."""
        found = self.own.get(self._key(name))
        if found is None:
            topics = ", ".join(self._file.texts("", "topics"))
            cure = "scrapy taxonomy show CATEGORY prints those it has"
            if topics:
                cure = f"those of its topics ({topics}) are changed in their topic.toml"
            raise TopicError(f"{self.path or 'the top'} has no example {shown(name)} of its own; {cure}")
        return found

    def _key(self, name: str) -> int | str:
        """Return what all spellings of an example share."""
        if not is_page_file(name):
            return identity(name)
        path = (self._folder / name).resolve()
        is_inside = path.is_relative_to(self._folder.resolve())
        return path.relative_to(self._folder.resolve()).as_posix() if is_inside else str(path)

    def _at(self, name: str) -> str:
        return f"{self.path}/{name}".lstrip("/")

    def _free(self, name: str, taken: set[str]) -> str:
        """Return where a saved page may go, and note it in `taken`."""
        own = Path(name).name
        names = (own, *(f"{number}-{own}" for number in range(2, 100_000)))
        free = next(one for one in names if one not in taken and not (self._folder / SAVED / one).exists())
        taken.add(free)
        return self._at(f"{SAVED}/{free}")
