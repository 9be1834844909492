"""The yardstick judges by a trained model and by words, and says how well."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.harness import results_of
from benchmarks.yardstick import measure

ROOT = Path(__file__).resolve().parents[2]
FIGURES = {
    "macro_f1_openweb_default",
    "worst_f1_openweb_default",
    "ece_above_02",
    "precision_words_openweb",
    "precision_words_demo",
}


def yardstick(*words, cwd):
    command = [sys.executable, str(ROOT / "benchmarks/yardstick.py"), *map(str, words)]
    return subprocess.run(command, check=False, capture_output=True, text=True, cwd=cwd)


@pytest.fixture(scope="module")
def figures(new_demo_web):
    """The figures of a web of the demo's making, which is the demo web, too: it lies in the folder."""
    web = new_demo_web()
    return results_of(measure, measure(web=web, parts="judges", folder=web.parent))[1]


def test_all_figures_are_there(figures):
    """By the names that the issue gives them, each a share."""
    assert figures.keys() >= FIGURES
    assert all(0 <= figures[name] <= 1 for name in FIGURES)
    assert figures["worst_f1_openweb_default"] <= figures["macro_f1_openweb_default"]


def test_both_judges_hold_what_they_reach(figures):
    """On the demo web: a trained model, and words alone with what they find."""
    assert figures["macro_f1_openweb_default"] >= 0.9
    assert figures["precision_words_demo"] == figures["precision_words_openweb"] >= 0.85
    assert figures["recall_words_demo"] >= 0.92
    assert figures["ms_per_page"] <= 1


def test_an_unknown_part_is_said(tmp_path):
    """Before anything is made."""
    ran = yardstick("--parts", "judges,moon", cwd=tmp_path)
    assert ran.stderr == "--parts names moon; use some of judges, coverage, loop\n"
    assert ran.returncode == 1
    assert not list(tmp_path.iterdir())
