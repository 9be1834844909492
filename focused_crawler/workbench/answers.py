"""What a person says of a page, in Label and in Page alike: read from a form, and made a label."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from focused_crawler.safety.errors import ConfigError
from focused_crawler.safety.formats import tidy
from focused_crawler.topic.label import ANSWERS
from focused_crawler.workbench.request import Form

ELSEWHERE = "You have labelled that page elsewhere by now; that stays."


def answer_in(form: Form, *more: str) -> str:
    """Return the answer that a form has, one of ANSWERS or of `more`; raises ConfigError."""
    said, known = form.get("answer"), (*ANSWERS, *more)
    if said not in known:
        raise ConfigError(f"answer is {tidy(said) or 'empty'}; use one of {', '.join(known)}")
    return said


@contextmanager
def labelling() -> Iterator[None]:
    """Raise ConfigError for what a label cannot hold."""
    try:
        yield
    except ValueError as error:
        raise ConfigError(f"that cannot be a label ({error}); load the page anew") from None
