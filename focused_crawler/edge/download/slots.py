"""Scrapy's downloader, which forgets most hosts soon after their last request."""

from __future__ import annotations

from time import monotonic

from scrapy.core.downloader import Downloader

FORGOTTEN_AFTER = 5.0
"""Seconds after its delay for which a host without a delay of its own has a slot, which takes 1.3 KB. Scrapy
looks once a minute for those of the minute before."""


class ForgetfulDownloader(Downloader):
    """Keeps the slots of hosts that are asked; what is to be remembered of a host is the frontier's."""

    _SLOT_GC_INTERVAL = FORGOTTEN_AFTER

    def _slot_gc(self, age: float = 60) -> None:
        super()._slot_gc(age)
        before = monotonic() - FORGOTTEN_AFTER
        for name, slot in list(self.slots.items()):
            if not slot.active and slot.delay <= self._delay and slot.lastseen + slot.delay <= before:
                self.slots.pop(name).close()
