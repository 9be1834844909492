"""How far long work has got: shown by whoever owns a terminal; a program that owns none sees nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeVar

_T = TypeVar("_T")


class Display(Protocol):
    """Passes items on and shows how far they have come; `done`: how far an item has got, of `total`."""

    def __call__(
        self, items: Iterable[_T], title: str, total: int, done: Callable[[_T], int]
    ) -> Iterator[_T]: ...


_displays: list[Display] = []


def show_by(display: Display) -> None:
    """Let `display` show all long work of this process from now on."""
    _displays[:] = [display]


def shown(items: Iterable[_T], title: str, total: int, done: Callable[[_T], int]) -> Iterator[_T]:
    """Pass items on, and show them where there is a display."""
    return _displays[0](items, title, total, done) if _displays else iter(items)
