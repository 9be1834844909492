"""WordNet may be missing where tests run: set-up goes on without it."""

from __future__ import annotations

import pytest

from focused_crawler.page.text.wordnet_data import is_here

KEYWORDS = ("car", "race", "robot arm", "home cooking", "cook", "zyzzogeton streams the")
"""Of all tests: what WordNet says of them is found out once, which takes some seconds."""

needs_wordnet = pytest.mark.skipif(not is_here(), reason="WordNet could not be had when this was set up")
