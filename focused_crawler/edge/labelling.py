"""A person labels: a page, a key, the next page. Each label is stored before the next page is shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from focused_crawler.discovery.label_queues import ToLabel
from focused_crawler.report.labelling import Card, Cards, shown_card, shown_reasons
from focused_crawler.report.terminal.keys import END, read_key
from focused_crawler.report.terminal.output import Terminal
from focused_crawler.safety.formats import plural
from focused_crawler.safety.printable import place, printable, say
from focused_crawler.topic.label import ANSWERS, Label, Undo
from focused_crawler.topic.labels import FILE, append
from focused_crawler.topic.topic import Topic, typed

KEYS = "y yes  n no  u unsure  s skip  z undo  w why  o its URL  q quit"
SAMPLED = "random"
"""The queue that figures rest on: what the crawl thinks of its pages is shown only when asked for, and a page
that is skipped counts as unsure."""

_ANSWER = {name[0]: name for name in ANSWERS}


@dataclass(kw_only=True)
class LabelSession:
    """Asks one person about the pages of a queue."""

    topic: Topic
    queue: str
    by: str
    crawl: str  # its name
    cards: Cards
    pages: Sequence[ToLabel]
    labels: list[Label | None] = field(default_factory=list)
    """Those given so far, one for each page that was asked about; None: it was skipped."""

    def __post_init__(self) -> None:
        self._terminal = Terminal()
        self._asked = [page for page in self.pages if page.known is None]
        self._done = 0  # so many pages of the queue are dealt with
        self._taken_over = 0

    def run(self) -> None:
        """Ask until there is no page left, or the person has had enough."""
        say(f"{plural(len(self._asked), 'page')} from the queue {self.queue}. {KEYS}")
        while len(self.labels) < len(self._asked):
            page = self._asked[len(self.labels)]
            card = self.cards.card(page.url)
            if not self._ask(page, card):
                return
        self._store([], len(self.pages))

    def _ask(self, page: ToLabel, card: Card) -> bool:
        """Show a page until a key moves on; tell whether there is more to do."""
        number = len(self.labels)
        for part in shown_card(card, f"{number + 1} of {len(self._asked)}"):
            self._terminal.print(part)
        if self.queue != SAMPLED:
            self._why(page, card)
        while len(self.labels) == number:
            key = self._key()
            if key in {"q", END}:
                return False
            if key in _ANSWER or (key == "s" and self.queue == SAMPLED):
                self._give(page, card, _ANSWER.get(key, "unsure"))
            elif key == "s":
                self.labels.append(None)
            elif key == "z":
                self._take_back()
            elif key == "w":
                self._why(page, card)
            elif key == "o":
                say(page.url)
            else:
                say(f"{printable(key)} is no answer. {KEYS}")
        return True

    def _key(self) -> str:
        try:
            return read_key().lower()
        except KeyboardInterrupt:
            return END

    def _why(self, page: ToLabel, card: Card) -> None:
        for part in shown_reasons(card, page.why, self.cards.analyst.model):
            self._terminal.print(part)

    def _give(self, page: ToLabel, card: Card, answer: str) -> None:
        label = self._label(page, answer, card.checksum)
        self._store([label], self.pages.index(page))
        self.labels.append(label)
        say(answer)

    def _label(self, page: ToLabel, answer: str, text: str) -> Label:
        return Label(url=page.url, label=answer, by=self.by, queue=self.queue, crawl=self.crawl, text=text)

    def _store(self, given: list[Label], upto: int) -> None:
        """Write labels, and before them what was said elsewhere of pages that come earlier in the queue."""
        before = [one for one in self.pages[self._done : upto] if one.known is not None]
        over = [self._label(one, one.known.label, one.known.text) for one in before if one.known]
        append(self.topic.folder, [*over, *given])
        self._done = max(self._done, upto)
        self._taken_over += len(over)

    def _take_back(self) -> None:
        if not self.labels:
            say(
                f"Nothing to take back here; scrapy label {typed(self.topic)} --undo takes back earlier ones."
            )
            return
        last = self.labels.pop()
        if last is not None:
            append(self.topic.folder, [Undo(undoes=last.id, by=self.by)])
        say(f"Taken back: {last.label if last else 'skipped'}.")

    def outcome(self) -> str:
        """Return what was done, in a line."""
        given = Counter(label.label if label else "skipped" for label in self.labels)
        counts = ", ".join(f"{given[name]} {name}" for name in (*ANSWERS, "skipped") if given[name])
        line = f"{plural(sum(map(bool, self.labels)), 'label')} by {self.by}"
        over = f"; {self._taken_over} of before taken over into the sample" if self._taken_over else ""
        return f"{line} in {place(self.topic.folder / FILE)}{counts and f': {counts}'}{over}."
