"""Runs a command as a first install does, without any library of an extra.

python tests/package/bare.py MODULE,... COMMAND ...      modules that cannot be imported, then the command
"""

from __future__ import annotations

import sys

from focused_crawler.__main__ import main

if __name__ == "__main__":
    sys.modules.update(dict.fromkeys(sys.argv[1].split(","), None))  # type: ignore[arg-type]
    main(sys.argv[2:])
