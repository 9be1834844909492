"""WordNet may be missing where tests run: set-up goes on without it."""

from __future__ import annotations

import pytest

from focused_crawler.page.text.wordnet import find_wordnet

KEYWORDS = ("car", "race", "robot arm", "home cooking", "cook", "zyzzogeton streams the")
"""Of all tests: what WordNet says of them is found out once."""

needs_wordnet = pytest.mark.skipif(
    find_wordnet() is None, reason="WordNet could not be fetched when this was set up"
)
