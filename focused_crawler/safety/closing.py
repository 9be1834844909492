"""What is closed at the end of its `with` block."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Self


class Closing(ABC):
    """Whatever holds files, connections or threads until it is closed, by hand or by `with`."""

    @abstractmethod
    def close(self) -> None:
        """Let go of all of them."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
