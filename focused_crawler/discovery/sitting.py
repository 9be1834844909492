"""A sitting: one person labels the pages of a queue, one after the other, in a terminal or a browser.

Each label is stored before the next page is shown. A page that the person has labelled elsewhere in the
meantime, in another tab or program, is not labelled again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from focused_crawler.discovery.label_queues import ToLabel
from focused_crawler.safety.formats import plural
from focused_crawler.safety.printable import place
from focused_crawler.topic.label import ANSWERS, SAMPLED, Label, Undo, key_of
from focused_crawler.topic.labels import FILE, Labels, add_answer, add_made, append

SKIP = "skip"
"""What may be said of a page besides `ANSWERS`; in queues that figures rest on it counts as unsure."""


class Said(NamedTuple):
    """What was said of a page in a sitting."""

    page: ToLabel
    label: Label | None  # None: it was skipped

    @property
    def word(self) -> str:
        return self.label.label if self.label else "skipped"


@dataclass(kw_only=True)
class Sitting:
    """Asks about the pages of a queue; `said` is what was said so far, in order."""

    folder: Path  # of the topic
    queue: str
    by: str
    crawl: str  # its name
    pages: Sequence[ToLabel]
    said: list[Said] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Keep those apart that this person said something of before: they are not asked about."""
        self._elsewhere: set[str] = set()
        self._done = 0  # so many pages of the queue are dealt with
        self._over: set[str] = set()  # URLs of pages of which is taken over what was said elsewhere
        self._number = {page.url: number for number, page in enumerate(self.pages)}

    @property
    def asked(self) -> int:
        """Return how many pages are asked about in all."""
        return sum(self._is_asked(page) for page in self.pages)

    @property
    def left(self) -> Iterator[ToLabel]:
        """Yield the pages that nothing was said of yet, in the order of the queue."""
        done = {one.page.url for one in self.said}
        return (page for page in self.pages if self._is_asked(page) and page.url not in done)

    def page(self, url: str) -> ToLabel | None:
        """Return a page that nothing was said of yet."""
        return next((page for page in self.left if page.url == url), None)

    def next_page(self, out: Container[str] = ()) -> ToLabel | None:
        """Return the next page, one whose URL is not `out` if there is any; None: there is none left."""
        left = list(self.left)
        return next((page for page in left if page.url not in out), left[0] if left else None)

    def give(self, page: ToLabel, answer: str, text: str) -> bool:
        """Store what the person says of a page: a key of ANSWERS, or `SKIP`. `text`: its checksum.

        Return False where the person has labelled it elsewhere since it was put into the queue.
        """
        label = None
        if answer != SKIP or self.queue in SAMPLED:
            label = self._label(page, "unsure" if answer == SKIP else answer, text)
            upto = self._number[page.url]
            if not add_answer(self.folder, label, page.before, partial(self._known, upto=upto)):
                self._elsewhere.add(page.url)
                return False
            self._done = max(self._done, upto)
        self.said.append(Said(page, label))
        return True

    def take_back(self) -> Said | None:
        """Take back what was said last, which is returned; None: nothing is left to take back."""
        if not self.said:
            return None
        last = self.said[-1]
        if last.label is not None:
            append(self.folder, [Undo(undoes=last.label.id, by=self.by)])
        return self.said.pop()

    def end(self) -> None:
        """Take over what was said elsewhere of pages behind the last: all of the queue is dealt with."""
        if any(page.known for page in self.pages[self._done :]):
            add_made(self.folder, partial(self._known, upto=len(self.pages)))
        self._done = len(self.pages)

    def outcome(self) -> str:
        """Return what was done, in a line."""
        given = Counter(one.word for one in self.said)
        counts = ", ".join(f"{given[name]} {name}" for name in (*ANSWERS, "skipped") if given[name])
        labels = sum(one.label is not None for one in self.said)
        line = f"{plural(labels, 'label')} by {self.by} in {place(self.folder / FILE)}"
        over = f"; {len(self._over)} of before taken over into the sample" if self._over else ""
        return f"{line}{counts and f': {counts}'}{over}."

    def _is_asked(self, page: ToLabel) -> bool:
        return page.known is None and page.url not in self._elsewhere

    def _label(self, page: ToLabel, answer: str, text: str) -> Label:
        return Label(url=page.url, label=answer, by=self.by, queue=self.queue, crawl=self.crawl, text=text)

    def _known(self, labels: Labels, upto: int) -> list[Label]:
        """Return labels that take over into this queue, once, what is said elsewhere of its first pages.

        As it stands now and of when it was said: what the person says after that is newer.
        """
        pages = [page for page in self.pages[self._done : upto] if page.known]
        said = [(page, labels.newest.get(key_of(page.url), {}).get(self.by)) for page in pages]
        over = [replace(self._label(page, one.label, one.text), at=one.at) for page, one in said if one]
        self._over.update(one.url for one in over)
        return over
