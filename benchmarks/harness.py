"""What all benchmarks share: options from a signature, tables, figures as JSON and commands."""

from __future__ import annotations

import argparse
import inspect
import json
import os
import subprocess
import sys
import tempfile
import tomllib
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Annotated, Any, NamedTuple

from rich.console import Console
from rich.progress import track

from benchmarks.tables import Grid, Rows, figures_of, grids_of, put_into
from focused_crawler.safety.whole_file import replace_file
from focused_crawler.virtualweb.demo import write_demo_web
from focused_crawler.virtualweb.index import VirtualWeb
from focused_crawler.virtualweb.record import WebRecord

ROOT = Path(__file__).resolve().parent.parent
OPEN_WEB = ROOT.parent / "shared/webs/openweb.warc.gz"
PROCESSES = os.cpu_count() or 1
STDERR = Console(stderr=True)

Figures = dict[str, float]
Names = Annotated[str, "names, with commas between (default: all)"]
Processes = Annotated[int, "processes that share the work"]


class Report(NamedTuple):
    """What a benchmark found."""

    rows: Mapping[str, Rows]
    figures: Mapping[str, float] = {}  # beside those of rows
    complaint: str = ""  # what ends the benchmark with code 1 once all is written
    kept: Mapping[str, Any] = {}  # what --json writes beside the figures


def main(measure: Callable[..., Report], description: str | None) -> None:
    """Run a benchmark whose options are the parameters of `measure`; a TOML file beside it has its tables."""
    options = vars(_parser(measure, description).parse_args())
    path, into, width = options["json"], options.pop("into"), max(Console().width, 160)
    if "json" not in inspect.signature(measure).parameters:
        del options["json"]
    os.environ.pop("SCRAPY_SETTINGS_MODULE", None)  # else Scrapy alone finds the project, too
    report = measure(**options)
    grids, figures = results_of(measure, report)
    console = Console(width=width)
    console.print(*(grid.shown() for grid in grids))
    console.print("  ".join(f"{name} {number:g}" for name, number in figures.items()), highlight=False)
    if into:
        put_into(into, grids)
    if path:
        write_json(path, figures, report.kept)
    if report.complaint:
        raise SystemExit(report.complaint)


def write_json(path: Path, figures: Mapping[str, float], kept: Mapping[str, Any]) -> None:
    """Write figures, and what a benchmark keeps to go on from, whole or not at all."""
    replace_file(path, (json.dumps({"figures": figures, **kept}, indent=2) + "\n").encode())


def results_of(measure: Callable[..., Report], report: Report) -> tuple[list[Grid], Figures]:
    """Return the tables and figures of a report."""
    file = Path(inspect.getfile(measure)).with_suffix(".toml")
    spec = tomllib.loads(file.read_text("utf-8")) if file.is_file() else {}
    figures = figures_of(spec, report.rows) | dict(report.figures)
    return grids_of(spec, report.rows), {name: round(float(number), 6) for name, number in figures.items()}


def _parser(measure: Callable[..., Report], description: str | None) -> argparse.ArgumentParser:
    """Return a parser: parameters are arguments, keyword-only ones are options; help is in Annotated."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    hints = typing.get_type_hints(measure, include_extras=True)
    for name, parameter in inspect.signature(measure).parameters.items():
        kind, text = _kind_and_help(hints[name])
        words: dict[str, Any] = {"help": text}
        if parameter.kind is parameter.KEYWORD_ONLY:
            words["required"] = parameter.default is parameter.empty
            words["default"] = parameter.default
        words |= {"action": "store_true"} if kind is bool else {"type": kind}
        option = f"--{name.replace('_', '-')}" if parameter.kind is parameter.KEYWORD_ONLY else name
        parser.add_argument(option, **words)
    if "json" not in hints:
        parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures")
    parser.add_argument("--into", type=Path, metavar="DOCUMENT", help="write the tables between its markers")
    return parser


def _kind_and_help(hint: Any) -> tuple[Any, str]:
    kind, text = typing.get_args(hint)[:2] if typing.get_origin(hint) is Annotated else (hint, "")
    kinds = [one for one in typing.get_args(kind) if one is not type(None)]
    return (kinds[0] if kinds else kind), text


def in_processes(
    work: Callable[[Any], Any], tasks: Sequence[Any], processes: int, label: str = "tasks"
) -> list[Any]:
    """Return what comes of all tasks, in their order."""
    with ProcessPoolExecutor(processes) as pool:
        return list(track(pool.map(work, tasks), label, len(tasks), console=STDERR))


# Commands


def words_of(arguments: Mapping[str, object], settings: Mapping[str, object]) -> list[str]:
    """Return the words that give a spider its arguments and a command its settings."""
    pairs = [("-a", arguments), ("-s", settings)]
    return [
        word for flag, values in pairs for key, value in values.items() for word in (flag, f"{key}={value}")
    ]


def scrapy_command(
    *words: object, arguments: Mapping[str, object] = {}, settings: Mapping[str, object] = {}
) -> list[str]:
    """Return a scrapy command."""
    return [sys.executable, "-m", "scrapy", *map(str, words), *words_of(arguments, settings)]


def scrapy(
    *words: object,
    arguments: Mapping[str, object] = {},
    settings: Mapping[str, object] = {},
    cwd: Path = ROOT,
) -> float:
    """Run a scrapy command to its end; return the CPU seconds of it and its children."""
    command = scrapy_command(*words, arguments=arguments, settings={"LOG_LEVEL": "ERROR", **settings})
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}  # processes share the cores
    with tempfile.TemporaryFile("w+b") as errors:
        process = subprocess.Popen(
            command, cwd=cwd, env=environment, stdout=subprocess.DEVNULL, stderr=errors
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            errors.seek(0)
            said = errors.read().decode("utf-8", "replace")
            raise SystemExit(f"{' '.join(command)} ended with {process.returncode}\n{said}")
    return usage.ru_utime + usage.ru_stime


def places(web: Path, folder: Path) -> dict[str, object]:
    """Return the settings by which crawls of a web and their models lie in a folder."""
    return {"FOCUSED_WEB": web, "FOCUSED_CRAWLS": folder / "crawls", "FOCUSED_MODELS": folder / "models"}


def scrapy_aloud(*words: object, **values: Any) -> None:
    """Run a scrapy command and say on standard error which."""
    print("scrapy", *words[:4], "...", file=sys.stderr)
    scrapy(*words, **values)


# Webs


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Give a folder that is removed in the end."""
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


@contextmanager
def web_at_hand(web: Path | None = None) -> Iterator[Path]:
    """Give a web: the one named, else the shared one, else the demo web, written for the time being."""
    if web is not None or OPEN_WEB.is_file():
        yield (web or OPEN_WEB).resolve()
        return
    with temporary_folder() as folder:
        yield write_demo_web(folder)


def random_pages(web: VirtualWeb, seed: int = 0) -> Iterator[WebRecord]:
    """Yield the HTML pages of a web in random order."""
    entries = [entry for entry in web.entries() if entry.status == 200]
    Random(seed).shuffle(entries)
    for record in map(web.read, entries):
        if record.header("Content-Type").startswith("text/html"):
            yield record
