"""Topics made from a program."""

from __future__ import annotations

from pathlib import Path

import focused_crawler as fc

SEED = "http://a.example/"


def test_one_text_is_not_taken_for_its_letters(tmp_path: Path) -> None:
    """It is written as a list of one would be."""
    one = fc.Topic.new("one", "telescope", seeds=SEED, relevant=f"{SEED}1", other=f"{SEED}2", into=tmp_path)
    found = one.info
    assert (found.keywords, found.seeds) == (("telescope",), (SEED,))
    assert (found.relevant_examples, found.other_examples) == ((f"{SEED}1",), (f"{SEED}2",))
