"""Records responses of many kinds and has them read back, byte for byte, by the tools of web archives.

    python -m tests.conformance.archives [--python TOOLS/bin/python] [--json FILE]

The tools (warcio, fastwarc, cdxj-indexer, pywb) may be in another Python, where they were installed by
pip install fastwarc cdxj-indexer pywb. What is not installed is skipped with a line. The exit code is 1 where
a tool reads anything else than was sent.
"""

from __future__ import annotations

import argparse
import base64
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.virtualweb.wire import KINDS, SPIDER, sending

READERS = Path(__file__).with_name("archive_readers.py")
KNOWN = {
    ("fastwarc", "long", "refused"): "it parses no head of more than 64 KB; the block is right",
    (
        "fastwarc",
        "bare-lf",
        "payload",
    ): "it looks for CRLF: all is payload to it; the block is right",
}
MODULES = {"warcio": "warcio", "fastwarc": "fastwarc", "cdxj": "cdxj_indexer", "pywb": "pywb"}


def record(path: Path) -> dict[str, str]:
    """Crawl a server that sends every kind; return the name of each recorded one by its URL."""
    with sending() as (base, _):
        command = [sys.executable, "-c", SPIDER, base, str(path), *(f"/{name}" for name in KINDS)]
        subprocess.run(command, check=True)
    return {f"{base}/{name}": name for name, kind in KINDS.items() if kind.is_recorded}


def faults(name: str, found: dict[str, Any] | None) -> list[str]:
    """Return what a tool reads otherwise than it was sent, of one kind."""
    if found is None:
        return ["not found"]
    kind = KINDS[name]
    wrong = []
    status = int(kind.head.split()[1])
    if "status" in found and found["status"] != status:
        wrong.append(f"status {found['status']}")
    if "block" in found:
        block = base64.b64decode(found["block"])
        wrong += ["head"] if not block.startswith(kind.head) else []
        wrong += ["payload"] if not kind.truncated and block != kind.head + kind.stored else []
    if "body" in found and not kind.truncated:
        sent = kind.body if b"chunked" not in kind.head else None
        body = base64.b64decode(found["body"])
        if body not in (sent, kind.page):
            wrong.append(f"body of {len(body)} bytes")
    wrong += [what for what in ("sound", "payload") if found.get(what) is False]
    return wrong + (["refused"] if "refused" in found else [])


def check(tool: str, python: str, path: Path, names: dict[str, str]) -> dict[str, list[str]] | None:
    """Return the faults of each kind by one tool; None where it is not installed."""
    if subprocess.run([python, "-c", f"import {MODULES[tool]}"], capture_output=True, check=False).returncode:
        return None
    done = subprocess.run(
        [python, str(READERS), tool, str(path)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        return {"": [done.stderr.strip().splitlines()[-1]]}
    found = json.loads(done.stdout)
    wrong = {name: faults(name, found.get(url)) for url, name in names.items()}
    for name, what in wrong.items():
        for one in [one for one in what if (tool, name, one) in KNOWN]:
            print(f"{tool}, {name}: {KNOWN[tool, name, one]}")
            what.remove(one)
    return {name: what for name, what in wrong.items() if what}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--python", default=sys.executable, help="the Python that has the tools")
    parser.add_argument("--json", type=Path, help="write the figures into this file")
    options = parser.parse_args()
    figures: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "wire.warc.gz"
        names = record(path)
        for tool in MODULES:
            wrong = check(tool, options.python, path, names)
            if wrong is None:
                print(f"{tool}: not installed, skipped")
                continue
            figures[f"{tool}_wrong"] = len(wrong)
            print(f"{tool}: {len(names) - len(wrong)} of {len(names)} kinds of responses as they were sent")
            for name, what in wrong.items():
                print(f"  {name}: {', '.join(what)}")
    if options.json:
        options.json.write_text(json.dumps({"figures": figures}) + "\n")
    return int(any(figures.values()))


if __name__ == "__main__":
    sys.exit(main())
