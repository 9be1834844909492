"""Runs a command as a first install does, without any library of an extra, nor what is said of one.

python tests/package/bare.py MODULE,... COMMAND ...      modules that cannot be imported, then the command
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from importlib import metadata


def hide(modules: list[str]) -> None:
    """Let nobody import modules, or find the distributions of their names."""
    sys.modules.update(dict.fromkeys(modules, None))  # type: ignore[arg-type]
    hidden, found = set(map(_normal, modules)), metadata.MetadataPathFinder.find_distributions

    def find_others(*context: metadata.DistributionFinder.Context) -> Iterable[metadata.Distribution]:
        return [one for one in found(*context) if _normal(one.metadata["Name"]) not in hidden]

    metadata.MetadataPathFinder.find_distributions = staticmethod(find_others)  # type: ignore[assignment,method-assign]


def _normal(name: str) -> str:
    return re.sub("[-_.]+", "-", name).lower()


if __name__ == "__main__":
    hide(sys.argv[1].split(","))

    from focused_crawler.__main__ import main

    main(sys.argv[2:])
