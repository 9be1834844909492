"""One label: what a person says of a page, and how it is written down."""

from __future__ import annotations

import getpass
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from hashlib import blake2b
from secrets import token_hex

from focused_crawler.page.url import normalise, url_key
from focused_crawler.safety.formats import tidy
from focused_crawler.safety.printable import UNSAFE

RANDOM = "random"
SAMPLED = (RANDOM, "spread")
"""Queues that figures rest on: their pages are drawn by chance, and stand for others of a crawl."""

QUEUES = ("uncertain", "disagree", *SAMPLED, "near", "hubs", "sheet", "page", "import")
ANSWERS: Mapping[str, bool | None] = {"yes": True, "no": False, "unsure": None}
ANSWER_NAMES = {answer: name for name, answer in ANSWERS.items()}
LONGEST_NAME = 100
LONGEST_LINE = 20_000

_ID, _AT, _TEXT = (
    re.compile(form, re.ASCII)
    for form in ("[0-9a-f]{16}", r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", "(?:[0-9a-f]{32})?")
)


def now() -> str:
    """Return the time as labels have it: the order of such texts is that of the times."""
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%f}"[:-3] + "Z"


def _new_id() -> str:
    return token_hex(8)


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """What a person says of a page. Raises ValueError, which says what is wrong, where it cannot be one."""

    url: str
    label: str  # a key of ANSWERS
    by: str
    queue: str  # one of QUEUES: where the person was shown the page
    crawl: str = ""  # its name; empty: of none
    text: str = ""  # checksum of the text that was judged; empty: not known
    at: str = field(default_factory=now)
    id: str = field(default_factory=_new_id)

    def __post_init__(self) -> None:
        """Check everything: what is read from a file is made here, too."""
        _check(self.id, self.by, self.at)
        if normalise(self.url) is None or UNSAFE.search(self.url):
            raise ValueError("url is no http or https URL")
        if self.label not in ANSWERS:
            raise ValueError(f"label is none of {', '.join(ANSWERS)}")
        if self.queue not in QUEUES:
            raise ValueError(f"queue is none of {', '.join(QUEUES)}")
        if len(self.crawl) > LONGEST_NAME or UNSAFE.search(self.crawl):
            raise ValueError("crawl is no name of a crawl")
        if not _TEXT.fullmatch(self.text):
            raise ValueError("text is no checksum")

    @property
    def answer(self) -> bool | None:
        """Return whether the page is relevant; None: unsure."""
        return ANSWERS[self.label]

    @property
    def key(self) -> int:
        """Return the identity of the page, whatever its URL's spelling."""
        return key_of(self.url)


@dataclass(frozen=True, slots=True, kw_only=True)
class Undo:
    """Takes a label back, which stays in the file."""

    undoes: str  # id of the label
    by: str
    at: str = field(default_factory=now)
    id: str = field(default_factory=_new_id)

    def __post_init__(self) -> None:
        """Check everything, as `Label` does."""
        _check(self.id, self.by, self.at)
        if not _ID.fullmatch(self.undoes):
            raise ValueError("undoes is no id of a label")


def _check(id: str, by: str, at: str) -> None:
    if not _ID.fullmatch(id):
        raise ValueError("id is not made of 16 hex digits")
    if message := person_problem(by):
        raise ValueError(message)
    try:
        is_time = _AT.fullmatch(at) is not None and datetime.fromisoformat(at) is not None
    except ValueError:
        is_time = False
    if not is_time:
        raise ValueError("at is no time such as 2026-01-31T12:00:00.000Z")


def person_problem(name: str) -> str:
    """Return why a person's name cannot stand in labels, and what would be right; empty for a good one."""
    if name == name.strip() and 0 < len(name) <= LONGEST_NAME and not UNSAFE.search(name):
        return ""
    return f"by is no name of 1 to {LONGEST_NAME} characters on one line, without space at its ends"


def user_name() -> str:
    """Return the name that the user has on this machine, as labels have it; empty where there is none."""
    try:
        return tidy(getpass.getuser(), LONGEST_NAME)
    except (KeyError, OSError, ImportError):
        return ""


def key_of(url: str) -> int:
    """Return the identity of a page by its URL, which is one that can be crawled."""
    return url_key(normalise(url) or url)


def random_order(url: str, topic: str) -> bytes:
    """Return a page's place in the topic's random order, for sorting.

    The first n pages of a crawl in this order are a simple random sample of it, whatever n and whenever.
    """
    return random_order_of(key_of(url), topic)


def random_order_of(key: int, topic: str) -> bytes:
    """Return the same of a page by its identity."""
    return blake2b(f"{key}\0{topic}".encode(), digest_size=16).digest()


def line_of(record: Label | Undo) -> bytes:
    """Return the line of a record, with its end."""
    values = asdict(record)
    return json.dumps({"id": values.pop("id"), **values}, ensure_ascii=False).encode() + b"\n"


def read_record(line: bytes) -> Label | Undo:
    """Return what a line says; raises ValueError that says why it is no label."""
    if len(line) > LONGEST_LINE:
        raise ValueError("it is too long")
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        raise ValueError("no JSON") from None
    if not isinstance(record, dict):
        raise ValueError("no JSON object")
    kind = Undo if "undoes" in record else Label
    names = [one.name for one in fields(kind)]
    if missing := [name for name in names if not isinstance(record.get(name), str)]:
        raise ValueError(f"{missing[0]} is missing, or no text")
    return kind(**{name: record[name] for name in names})


def is_half(line: bytes) -> bool:
    """Tell whether a last line without its end is what a killed writer left."""
    begun = b'{"id": "'
    if not line or line[: len(begun)] != begun[: len(line)]:
        return False
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return True
    return False
