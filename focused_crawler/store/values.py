"""What may go into a database: no NUL, no lone surrogate, no number beyond 64 bits."""

from __future__ import annotations

import re
from collections.abc import Callable

_LARGEST = 2**63 - 1
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")


def storable(text: str) -> str:
    r"""Return `text` with NULs taken out and lone surrogates replaced; any other text is returned as it is.

    >>> storable("a\x00b\ud800")
    'ab\ufffd'
    """
    if text.isascii():
        return text.replace("\0", "") if "\0" in text else text
    return _UNSTORABLE.sub(lambda found: "" if found[0] == "\0" else "\ufffd", text)


def all_storable(texts: list[str]) -> list[str]:
    r"""Return what `storable` makes of each; where nothing is wrong, in one look.

    >>> all_storable(["a", "b\x00"])
    ['a', 'b']
    """
    whole = "".join(texts)
    return texts if storable(whole) == whole else [storable(text) for text in texts]


def storable_or_none(text: str | None) -> str | None:
    """Return what `storable` does, and None for None."""
    return None if text is None else storable(text)


def cut(length: int) -> Callable[[str], str]:
    """Return what makes texts storable and cuts them at a length.

    >>> cut(2)("abc")
    'ab'
    """
    return lambda text: storable(text[:length])


def storable_integer(number: int) -> int:
    """Return `number` held within what SQLite can store.

    >>> storable_integer(10**30) == 2**63 - 1
    True
    """
    return max(-_LARGEST, min(_LARGEST, number))
