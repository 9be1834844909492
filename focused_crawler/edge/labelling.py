"""A person labels in the terminal: a page, a key, the next page."""

from __future__ import annotations

from dataclasses import dataclass

from focused_crawler.discovery.label_queues import ToLabel
from focused_crawler.discovery.sitting import SKIP, Sitting
from focused_crawler.report.labelling import Card, Cards, shown_card, shown_reasons
from focused_crawler.report.terminal.keys import END, read_key
from focused_crawler.report.terminal.output import Terminal
from focused_crawler.safety.formats import plural
from focused_crawler.safety.printable import printable, say
from focused_crawler.topic.label import ANSWERS, SAMPLED
from focused_crawler.topic.topic import Topic, typed

KEYS = "y yes  n no  u unsure  s skip  z undo  w why  o its URL  q quit"

_ANSWER = {name[0]: name for name in (*ANSWERS, SKIP)}


@dataclass(kw_only=True)
class LabelSession:
    """Asks one person about the pages of a sitting."""

    topic: Topic
    cards: Cards
    sitting: Sitting

    def __post_init__(self) -> None:
        self._terminal = Terminal()

    def run(self) -> None:
        """Ask until there is no page left, or the person has had enough."""
        sitting = self.sitting
        say(f"{plural(sitting.asked, 'page')} from the queue {sitting.queue}. {KEYS}")
        while (page := sitting.next_page()) is not None:
            card = self.cards.card(page.url)
            if not self._ask(page, card):
                return
        sitting.end()

    def _ask(self, page: ToLabel, card: Card) -> bool:
        """Show a page until a key moves on; tell whether there is more to do."""
        for part in shown_card(card, f"{len(self.sitting.said) + 1} of {self.sitting.asked}"):
            self._terminal.print(part)
        if self.sitting.queue not in SAMPLED:
            self._why(page, card)
        while True:
            key = self._key()
            if key in {"q", END}:
                return False
            if key in _ANSWER:
                self._give(page, card, _ANSWER[key])
                return True
            if key == "z" and self._take_back():
                return True
            if key == "w":
                self._why(page, card)
            elif key == "o":
                say(page.url)
            elif key != "z":
                say(f"{printable(key)} is no answer. {KEYS}")

    def _key(self) -> str:
        try:
            return read_key().lower()
        except KeyboardInterrupt:
            return END

    def _why(self, page: ToLabel, card: Card) -> None:
        for part in shown_reasons(card, page.why, self.cards.analyst.model):
            self._terminal.print(part)

    def _give(self, page: ToLabel, card: Card, answer: str) -> None:
        if not self.sitting.give(page, answer, card.checksum):
            say(f"{self.sitting.by} has labelled it elsewhere by now; that stays.")
        elif self.sitting.said[-1].label is not None:
            say(self.sitting.said[-1].word)

    def _take_back(self) -> bool:
        last = self.sitting.take_back()
        if last is None:
            say(
                f"Nothing to take back here; scrapy label {typed(self.topic)} --undo takes back earlier ones."
            )
            return False
        say(f"Taken back: {last.word}.")
        return True
