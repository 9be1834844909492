"""Studies: what strategies, classifiers, lists, estimates and the like come to on recorded webs.

    .venv/bin/python benchmarks/study.py NAME --help
    .venv/bin/python benchmarks/study.py estimate --web ../shared/webs/openweb.warc.gz \
        --into docs/research/monitor.md

NAME is a module of benchmarks/studies. Each writes its tables, with --json FILE its figures, and with
--into DOCUMENT the tables between the markers of a document.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.harness import main

STUDIES = (
    "ablations", "batsakis", "chakrabarti", "classifier", "concurrency", "copies", "estimate", "from_words",
    "left", "link_signals", "lists", "lu", "maintenance", "mislabelled", "peers", "precision",
    "preprocessing", "published", "seeds", "sites", "steering", "subatra_devi", "text_judges",
    "waiting",
)  # fmt: skip

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in STUDIES:
        raise SystemExit(f"{__doc__}\nNAME: {', '.join(STUDIES)}")
    name = sys.argv.pop(1)
    module = import_module(f"benchmarks.studies.{name}")
    main(module.measure, module.__doc__)
