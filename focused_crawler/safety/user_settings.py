"""The user's own settings, written down once for all folders: a TOML file of names and values."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

import platformdirs

from focused_crawler.safety.errors import ConfigError

FROM_ENVIRONMENT = ("FOCUSED_FRONTIER", "FOCUSED_DATABASE")
"""Addresses may hold passwords, which are better kept out of commands that all users can read."""

TOPICS = "FOCUSED_TOPICS"
"""The folder that names of topics are looked up in; in the environment, as child processes need it too."""


def settings_file() -> Path:
    """Return where it is looked for, as in ~/.config/focused_crawler/settings.toml."""
    return platformdirs.user_config_path("focused_crawler") / "settings.toml"


def user_settings() -> dict[str, Any]:
    """Return what the file and the environment set; the latter wins. ConfigError for a file that is no TOML.

    A folder of topics named in the file goes into the environment.
    """
    found = _read(settings_file())
    if TOPICS in found:
        topics = found.pop(TOPICS)
        if not isinstance(topics, str):
            raise ConfigError(f'{settings_file()}: {TOPICS} is {topics!r}; use a folder, as in "~/topics"')
        os.environ.setdefault(TOPICS, topics)
    return found | {name: os.environ[name] for name in FROM_ENVIRONMENT if os.environ.get(name)}


def _read(path: Path) -> dict[str, Any]:
    try:
        found = tomllib.loads(path.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return {}
    except (OSError, ValueError) as error:  # a TOMLDecodeError, or no UTF-8
        raise ConfigError(f'{path}: {error}; write lines like FOCUSED_CONTACT = "you@example.org"') from None
    if wrong := next((name for name in found if not name.isupper()), None):
        raise ConfigError(f"{path}: {wrong} is no name of a setting; write it in capitals, or leave it out")
    return found
