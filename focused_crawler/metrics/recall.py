"""Target recall: how many of the pages known to be relevant a crawl has fetched (Lu et al. 2016)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable


class TargetRecall:
    """|T and fetched| / |T|, where T holds the targets' keys: two URLs with one key are one page.

    >>> recall = TargetRecall(["http://a/", "http://b/"], key=lambda url: url.rstrip("/"))
    >>> recall.record("http://a"), recall.record("http://a/"), recall.value
    (True, False, 0.5)
    """

    def __init__(self, targets: Iterable[str], key: Callable[[str], Hashable]) -> None:
        """Take the targets' URLs; without any, recall means nothing: ValueError."""
        self._key = key
        self._missing = {key(url) for url in targets}
        self.targets = len(self._missing)
        if not self.targets:
            raise ValueError("target recall needs at least one target")

    def record(self, url: str) -> bool:
        """Count a fetched URL; True when it is a target met for the first time."""
        key = self._key(url)
        if key not in self._missing:
            return False
        self._missing.remove(key)
        return True

    def is_missing(self, url: str) -> bool:
        """Tell whether a URL is a target that was not met yet."""
        return self._key(url) in self._missing

    @property
    def found(self) -> int:
        """How many different targets were fetched."""
        return self.targets - len(self._missing)

    @property
    def value(self) -> float:
        """Target recall, in [0, 1]."""
        return self.found / self.targets
