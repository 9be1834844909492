"""The garbage collector, told what a crawl is like."""

from __future__ import annotations

import gc

_THRESHOLDS = (20_000, 20, 20)


def settle() -> None:
    """Call when all that lives as long as the process is loaded: it is never looked at again.

    A page makes thousands of objects that die with it and hardly a cycle. By Python's own thresholds the
    collector walks models and modules over and over: a fifth of a page's analysis.
    """
    gc.freeze()
    gc.set_threshold(*_THRESHOLDS)
