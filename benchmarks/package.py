"""What an installation takes, what `import focused_crawler` costs, and how fast a large crawl is exported.

    .venv/bin/python benchmarks/package.py [--pages N] [--json FILE]

Sizes are those of the installed files, by the records of the distributions that this environment has:
"before" is all of requirements.txt, which every installation took, "now" is what the wheel requires.
`benchmarks/fresh_install.py` installs both for real. The export reads a made-up crawl in SQLite, with texts,
in a process of its own; its speed is by CPU seconds.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from packaging.requirements import Requirement

from benchmarks.harness import ROOT, Report, main, temporary_folder
from benchmarks.tables import Rows
from focused_crawler.page.parser import parse_page
from focused_crawler.page.stored_text import stored_text
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PAGE_COLUMNS, PageItem
from focused_crawler.store.job import RunInfo, write_run
from focused_crawler.store.pages import PageStore

MIB = 2**20
ROUNDS = 5
KINDS = ("csv", "jsonl", "parquet", "urls", "chunks")
_WORDS = "Bees are flying insects known for pollination and for making honey. "
_EXPORT = """
import json, resource, sys, time
from pathlib import Path
from focused_crawler.report.export.export import export
from focused_crawler.report.export.rows import Chosen
from focused_crawler.store.page_table import PageFilter
folder, kind, out = sys.argv[1:]
start = time.process_time()
export(Path(folder), kind, Path(out), Chosen(PageFilter(), with_text=True))
rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps({"cpu": time.process_time() - start, "rss_mib": rss / 1024}))
"""


def wheel(into: Path) -> Path:
    """Build the wheel of this checkout, out of a copy: nothing that an earlier build left comes along."""
    copy = into / "checkout"
    for name in subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True).splitlines():
        if not name.startswith(("tests/", "docs/", "benchmarks/")) and (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy / name)
    build = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", into, "."]
    subprocess.run(build, cwd=copy, check=True, capture_output=True)
    (made,) = into.glob("*.whl")
    return made


def closure(requirements: Iterable[str]) -> set[str]:
    """Return the names of all distributions that come with requirements, as they are installed here."""
    found: set[str] = set()
    waiting = [Requirement(one) for one in requirements]
    while waiting:
        wanted = waiting.pop()
        name = re.sub(r"[-_.]+", "-", wanted.name).lower()
        if name in found or not _applies(wanted, set()):
            continue
        try:
            needs = metadata.distribution(name).requires or []
        except metadata.PackageNotFoundError:
            continue
        found.add(name)
        waiting += [
            Requirement(str(need).partition(";")[0])
            for need in map(Requirement, needs)
            if _applies(need, wanted.extras)
        ]
    return found


def _applies(wanted: Requirement, extras: set[str]) -> bool:
    marker = wanted.marker
    return marker is None or any(marker.evaluate({"extra": extra}) for extra in ["", *extras])


def installed_mib(names: Iterable[str]) -> float:
    """Return the size of the files of distributions."""
    files = [file.locate() for name in names for file in metadata.files(name) or ()]
    return sum(os.stat(file).st_size for file in files if os.path.exists(file)) / MIB  # noqa: PTH110, PTH116


def import_seconds() -> float:
    """Return the CPU seconds of `import focused_crawler`: the least of some rounds."""
    timed = "import time; start = time.process_time(); import focused_crawler"
    command = [sys.executable, "-c", f"{timed}; print(time.process_time() - start)"]
    return min(float(subprocess.check_output(command, cwd=ROOT)) for _ in range(ROUNDS))


def make_crawl(folder: Path, pages: int) -> Path:
    """Make a crawl of so many pages, with texts of 300 words."""
    run = RunInfo("bees", "Bees", "1", "link_classifier", "a", None, trained=False)
    with CrawlDatabase(folder / "crawl.db") as database:
        store = PageStore(database)
        number = store.begin_run({}, {}, judge="keywords:12345678")
        body = f"<title>Bees</title><p>{_WORDS * 25}".encode()
        text = stored_text(parse_page(body, "http://h.example/", Analyzer("en")))
        item = PageItem(
            url="http://h.example/1", title="Bees", fetched_at=1.7e9, relevance=0.9, is_relevant=True,
            checksum="588d2660884124107746235617366174", run=number, text=text, size=len(body),
        )  # fmt: skip
        store.record_page(item)
        names = [column.name for column in PAGE_COLUMNS if column.name not in {"url", "requested_url"}]
        same = ", ".join(["run", *names])
        database.execute(
            "WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ?)"
            f" INSERT INTO pages (position, key, requested_key, url, requested_url, host, {same})"
            " SELECT i, i, i, 'http://h' || (i % 5000) || '.example/' || i, 'http://h.example/' || i,"
            f" 'h' || (i % 5000) || '.example', {same} FROM n, pages WHERE position = 1",
            (pages,),
        )
        database.execute(
            "INSERT INTO page_texts (page, text) SELECT position,"
            " (SELECT text FROM page_texts WHERE page = 1) FROM pages WHERE position > 1"
        )
        database.commit()
    write_run(folder, run)
    return folder


def exported(folder: Path, kind: str, pages: int) -> dict[str, object]:
    """Export a crawl in a process of its own."""
    out = folder / f"pages.{kind}"
    done = subprocess.check_output([sys.executable, "-c", _EXPORT, folder, kind, out], cwd=ROOT)
    found = json.loads(done.splitlines()[-1])
    row = {"kind": kind, "pages_per_s": pages / found["cpu"], **found, "file_mib": out.stat().st_size / MIB}
    out.unlink()
    return row


def measure(*, pages: int = 1_000_000) -> Report:
    """Build, weigh, import and export."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = (ROOT / "requirements.txt").read_text().splitlines()
    everything = [line for line in lines if line.strip() and not line.startswith("#")]
    with temporary_folder() as folder:
        wheel_mib = wheel(folder).stat().st_size / MIB
        crawl = make_crawl(folder, pages)
        rows = Rows(exported(crawl, kind, pages) for kind in KINDS)
    sizes = {
        "wheel_mib": wheel_mib,
        "install_mib_before": installed_mib(closure(everything)),
        "install_mib": installed_mib(closure(project["dependencies"])),
        "import_s": import_seconds(),
    }
    export = {
        "export_pages_per_s": next(float(row["pages_per_s"]) for row in rows if row["kind"] == "parquet"),
        "export_rss_mib": max(float(row["rss_mib"]) for row in rows),
    }
    weighed = Rows({"what": name, "value": value} for name, value in sizes.items())
    return Report({"sizes": weighed, "exports": rows}, {**sizes, **export})


if __name__ == "__main__":
    main(measure, __doc__)
