"""A first install, for real: from the wheel, in a folder without the checkout, to files that others read.

    .venv/bin/python benchmarks/fresh_install.py [--before] [--json FILE]

Makes an environment with pip, and in it what a new user does: a topic, a crawl of the demo web that the wheel
writes, its report, exports that pandas, polars and DuckDB read, the same from a notebook, and a strategy and
a classifier of a package of one's own. `--before` also installs all of requirements.txt, which every
installation took. Packages come from where pip finds them; nothing else is fetched.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
import venv
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.harness import ROOT, Report, main, temporary_folder
from benchmarks.package import MIB, wheel
from benchmarks.tables import Rows

OF_PIP = {"pip", "setuptools", "_distutils_hack", "pkg_resources"}
WEB = ("-s", "FOCUSED_WEB=webs/demo.warc.gz")
READ = """
import duckdb, pandas, polars
one = pandas.read_parquet("pages.parquet")
assert len(one) == len(polars.read_parquet("pages.parquet")) == len(duckdb.sql("FROM 'pages.parquet'")) > 50
print(len(one))
"""
NOTEBOOK = """
import nbformat
from nbclient import NotebookClient
cells = [
    "import focused_crawler as fc",
    "topic = fc.Topic.load('webs/demo.topics/astronomy')",
    "running = fc.crawl(topic, pages=60, web='webs/demo.warc.gz', profile='offline')",
    "for progress in running: print(progress)",
    "pages = running.data.pages(to='pandas'); assert len(pages) == 60; pages.head()",
    "print(running.data.why(pages.url[0])); running.data.estimate()",
]
book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
NotebookClient(book, timeout=300).execute()
assert "60 pages" in str(book.cells[3].outputs)
"""
PLUGIN = """
[build-system]
requires = ["setuptools"]
build-backend = "setuptools.build_meta"
[project]
name = "mine"
version = "1.0"
[project.entry-points."focused_crawler.link_scorers"]
shortest = "mine:Shortest"
[project.entry-points."focused_crawler.classifiers"]
own = "mine:Own"
[tool.setuptools]
py-modules = ["mine"]
"""
MODULE = '''
from focused_crawler.classify.linear import LogisticText

class Own(LogisticText):
    """A classifier of my own."""

class Shortest:
    def __init__(self, model, settings): pass
    def score(self, page, links): return [1 / (1 + len(link.text)) for link in links]
    def learn(self, page): pass
'''


class Installation:
    """An environment of its own, and a folder to work in."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.bin = folder / "work", folder / "venv/bin"
        self.rows = Rows()
        venv.create(folder / "venv", with_pip=True)
        self.folder.mkdir()

    def do(self, what: str, *words: object) -> str:
        """Run a program of the environment; it may not fail."""
        program, *rest = map(str, words)
        clean = {
            name: value for name, value in os.environ.items() if not name.startswith(("FOCUSED", "SCRAPY"))
        }
        clean |= {"XDG_CONFIG_HOME": str(self.folder), "PATH": f"{self.bin}:{os.environ['PATH']}"}
        clean.pop("PYTHONPATH", None)
        start = time.perf_counter()
        done = subprocess.run(  # noqa: PLW1510 - as the assertion says
            [self.bin / program, *rest], cwd=self.folder, env=clean, capture_output=True, text=True
        )
        assert done.returncode == 0, f"{what}: {done.stdout[-2000:]}{done.stderr[-2000:]}"
        self.rows.append({"step": what, "seconds": time.perf_counter() - start})
        return done.stdout

    def install(self, what: str, *packages: object) -> None:
        self.do(what, "python", "-m", "pip", "install", "-q", "--disable-pip-version-check", *packages)

    @property
    def mib(self) -> float:
        """Return the size of what was installed, pip's own left out."""
        (packages,) = self.bin.parent.glob("lib/python*/site-packages")
        kept = [path for path in packages.iterdir() if path.name.partition("-")[0] not in OF_PIP]
        files = [file for path in kept for file in ([path] if path.is_file() else path.rglob("*"))]
        return sum(file.stat().st_size for file in files if file.is_file()) / MIB


def use(new: Installation) -> None:
    """Do what a new user does."""
    run = new.do
    run("the demo web", "focused-crawler", "virtualweb", "demo", "webs")
    run("a topic", "focused-crawler", "newtopic", "sky", "--keyword", "telescope", "--keyword", "galaxy")
    run("start pages", "focused-crawler", "seeds", "sky", "--write", *WEB)
    crawl = ("focused-crawler", "crawl", "sky", "-a", "profile=offline", "-a", "pages=100", *WEB)
    run("a crawl", *crawl, "-a", "strategy=best_first_content_anchor")
    run("its report", "focused-crawler", "report", "crawls/sky/1")
    new.install("extra data, and readers", "focused-crawler[data]", "pandas", "polars", "duckdb")
    run("an export", "focused-crawler", "export", "crawls/sky/1", "--all", "--parquet", "pages.parquet")
    run("pandas, polars, DuckDB", "python", "-c", READ)
    new.install("a notebook's kernel", "nbclient", "ipykernel")
    run("the same out of a notebook", "python", "-c", NOTEBOOK)
    mine = new.folder / "mine"
    mine.mkdir()
    (mine / "pyproject.toml").write_text(PLUGIN)
    (mine / "mine.py").write_text(MODULE)
    new.install("a package of one's own", "./mine")
    topic = "webs/demo.topics/astronomy"
    run("its classifier", "focused-crawler", "train", topic, "-s", "FOCUSED_CLASSIFIER=own", *WEB)
    run("its strategy", "focused-crawler", "crawl", "topic", "-a", f"topic={topic}", *crawl[3:], "-a",
        "strategy=shortest")  # fmt: skip


def measure(*, before: bool = False) -> Report:
    """Install and use it."""
    figures = {}
    with temporary_folder() as folder:
        new = Installation(folder / "new")
        made = wheel(folder)
        new.install("the wheel", made)
        figures["install_s"] = float(new.rows[0]["seconds"])
        figures["install_mib"] = new.mib
        new.do("where the wheel is", "python", "-m", "pip", "config", "set", "site.find-links", str(folder))
        use(new)
        if before:
            old = Installation(folder / "old")
            old.install("all of requirements.txt", "-r", ROOT / "requirements.txt")
            figures |= {"install_s_before": float(old.rows[0]["seconds"]), "install_mib_before": old.mib}
            new.rows.extend(old.rows)
        shutil.rmtree(folder / "new")
    return Report({"steps": new.rows}, figures)


if __name__ == "__main__":
    main(measure, __doc__)
