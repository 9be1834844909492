"""What a command of the tutorial runs in: a folder without a project, and the program that a reader types."""

from __future__ import annotations

import os

from focused_crawler.__main__ import SETTINGS
from focused_crawler.page.text import wordnet
from focused_crawler.safety.program import PROGRAM, command_names, started_as

FOLDER = "TUTORIAL_FOLDER"
WITHOUT_WORDNET = "TUTORIAL_WITHOUT_WORDNET"


def enter() -> None:
    """Go to the reader's folder, and print commands as he typed them."""
    os.chdir(os.environ[FOLDER])
    os.environ["SCRAPY_SETTINGS_MODULE"] = SETTINGS
    if WITHOUT_WORDNET in os.environ:
        wordnet.find_wordnet = lambda: None
    started_as(PROGRAM, command_names())
