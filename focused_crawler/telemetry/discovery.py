"""A file that tells Prometheus where a crawl's metrics are (file_sd), as long as the crawl runs."""

from __future__ import annotations

import json
import socket
from pathlib import Path

FOLDER = ".metrics"
_ANY = ("0.0.0.0", "::")  # noqa: S104 - compared with, not listened on


def target(address: str, port: int) -> str:
    """Return where others reach a listener.

    >>> target("::1", 9410)
    '[::1]:9410'
    """
    host = socket.gethostname() if address in _ANY else address
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def announce(crawls: Path, place: str) -> Path:
    """Write the file of a target, in a folder that all crawls beside it share, and return its path."""
    folder = crawls / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{place.replace(':', '_').replace('[', '').replace(']', '')}.json"
    temporary = path.with_suffix(".new")
    temporary.write_text(json.dumps([{"targets": [place]}]) + "\n", "utf-8")
    temporary.replace(path)
    return path
