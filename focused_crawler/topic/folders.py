"""Where topics are found by their names: the user's own folder first, then those that ship."""

from __future__ import annotations

import os
from pathlib import Path

from focused_crawler.safety.package_folder import package_folder
from focused_crawler.safety.user_settings import TOPICS, user_settings

_PROJECT = "scrapy.cfg"


def topics_folder() -> Path:
    """Return where a user's topics lie, and new ones are made: FOCUSED_TOPICS, else the project's `topics`.

    The project is the next folder upwards with a scrapy.cfg; outside of one it is the working folder.
    """
    if TOPICS not in os.environ:  # a command has read the user's settings; a program has not
        user_settings()
    if named := os.environ.get(TOPICS):
        return Path(named).expanduser()
    here = Path.cwd()
    root = next((folder for folder in (here, *here.parents) if (folder / _PROJECT).is_file()), here)
    return root / "topics"


def topic_folders() -> list[Path]:
    """Return the folders that a name is looked up in, the user's own first; in a checkout they are one."""
    return list(dict.fromkeys([topics_folder().resolve(), package_folder("topics").resolve()]))
