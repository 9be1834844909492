"""How strong the tests are: random mutants of the core, and how many of them the tests kill.

    python tests/quality/mutants.py --count 100 --seed 1 [--processes 2] [--only PATH] [--json F]

A mutant is the core with one comparison, operator or connective changed. The tests nearest to it run first:
its mirror, what imports it, the rest of its room, whole crawls. A failure is a kill only if that test passes
without the mutant. A tool to run by hand: it takes hours; with `--json F` it goes on where it was stopped.
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.quality.sites import PACKAGE, ROOT, Mutant, core, dotted, imports, mutants

CRAWLS = [
    "tests/quality/test_pins.py",
    *(f"tests/crawls/test_{name}.py" for name in ("runs", "strategies", "simulated_order", "known")),
]
ELSEWHERE = 8
"""At most so many test files of other rooms, first those that import the least beside the module."""
MEMORY = 6 << 30  # bytes: a loop without end must not take the machine with it
LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".hypothesis", ".*_cache")
MADE = {"webs", "crawls", "models", "build"}
"""Folders at the top that a user's commands make; tests have some of the same names."""
LINE = "{outcome:8} {seconds:6} s  {path}:{line}  {old} -> {new}  {test}"
PYTEST = (".venv/bin/python", "-m", "pytest", "-xv", "--color=no", "-pno:cacheprovider", "-pno:randomly")


def reaches() -> dict[str, set[str]]:
    """Return what of the package each test file imports, itself or through its helpers."""
    files = imports("tests")
    of_name, found = {dotted(path): path for path in files}, {}
    for path in files:
        todo = [path, *({f"{Path(path).parent}/conftest.py"} & files.keys() - {"tests/conftest.py"})]
        for other in todo:  # which grows
            todo += {of_name[name] for name in files[other] & of_name.keys()} - set(todo)
        if Path(path).name.startswith("test_"):
            found[path] = {name for other in todo for name in files[other] if name.startswith(PACKAGE)}
    return found


def stages(path: str, reach: dict[str, set[str]]) -> list[list[str]]:
    """Return what to run in turn: mirror, doctests, near importers; other importers, the room; crawls."""
    *folders, stem = Path(path).with_suffix("").parts[1:]
    room = f"tests/{folders[0]}/" if folders else "tests/test_"
    others = [test for test in reach if not test.startswith(("tests/crawls/", "tests/benchmarks/"))]
    tests = sorted(others, key=lambda test: len(reach[test]))
    near = [test for test in tests if test.startswith(room)]
    names = [f"test_{name.lstrip('_')}" for name in (stem, *reversed(folders))]
    importers = [test for test in tests if dotted(path) in reach[test]]
    doctests = [path] if b">>>" in (ROOT / path).read_bytes() else []
    mirror = [test for name in names for test in near if Path(test).stem == name]
    first = dict.fromkeys([*mirror, *doctests, *(test for test in importers if test in near)])
    rest = [*near, f"{PACKAGE}/{folders[0]}"] if folders else []
    far = [test for test in importers if test not in near][:ELSEWHERE]
    second = dict.fromkeys(test for test in (*far, *rest) if test not in first)
    return [stage for stage in (list(first), list(second), CRAWLS) if stage]


def _left_out(folder: str, names: list[str]) -> set[str]:
    return LEFT_OUT(folder, names) | (MADE & {*names} if Path(folder) == ROOT else set())


class Copy:
    """A copy of the checkout, in which mutants live one after the other."""

    def __init__(self, folder: Path, patience: float, stop: threading.Event) -> None:
        self._root, self._log, self._patience, self._stop = folder / "project", folder / "log", patience, stop
        shutil.copytree(ROOT, self._root, ignore=_left_out, symlinks=True)
        for name in (".venv", "webs"):
            (self._root / name).symlink_to((ROOT / name).resolve())
        self._time = int(time.time())
        self._fails_anyway: set[str] = set()

    def judge(self, mutant: Mutant, stages: list[list[str]]) -> dict[str, Any]:
        """Run the tests until one fails that passes without the mutant."""
        began, file = time.monotonic(), self._root / mutant.path
        code, todo = file.read_bytes(), list(stages)
        skipped: list[str] = []
        outcome, test = "survived", ""
        while todo and outcome == "survived":
            self._write(file, mutant.apply(code))
            try:
                outcome, test = self._pytest(*todo[0], *skipped)
            finally:
                self._write(file, code)
            if outcome == "survived" or test in skipped:  # one that cannot be left out ends its stage
                outcome, test = "survived", ""
                todo.pop(0)
            elif test in self._fails_anyway or self._pytest(test)[0] != "survived":
                self._fails_anyway.add(test)
                skipped += ["--deselect" if "::" in test else "--ignore", test]
                outcome, test = "survived", ""
        seconds = round(time.monotonic() - began, 1)
        return asdict(mutant) | {
            "outcome": outcome,
            "test": test,
            "seconds": seconds,
            "skipped": skipped[1::2],
        }

    def _write(self, file: Path, code: bytes) -> None:
        file.write_bytes(code)
        self._time += 1  # Python knows a compiled file by size and second: each version gets its own second
        os.utime(file, (self._time, self._time))

    def _pytest(self, *words: str) -> tuple[str, str]:
        """Return what became of the mutant, and the test that failed or never ended."""
        command = [*PYTEST, f"--basetemp={self._root.parent / 't'}", *words]
        values = {**os.environ, "PYTHONPATH": str(self._root), "CI": "1"}
        with self._log.open("wb") as log:
            process = subprocess.Popen(
                command, cwd=self._root, env=values, stdout=log, stderr=log, start_new_session=True
            )
        resource.prlimit(process.pid, resource.RLIMIT_DATA, (MEMORY, MEMORY))
        has_ended = self._wait(process)
        text = self._log.read_text(errors="replace")
        if not has_ended:
            begun = [words[0], *re.findall(r"^(\S+\.py::.*?)(?: [A-Z]+ .*)?$", text, re.M)]
            return "time-out", begun[-1].strip()
        failed = re.search(r"^(\S+\.py::.+?) (?:FAILED|ERROR)\b.*$|^ERROR (\S+)", text, re.M)
        name = (failed[1] or failed[2]) if failed else words[0]
        return ("survived", "") if process.returncode in {0, 5} else ("killed", name)

    def _wait(self, process: subprocess.Popen[bytes]) -> bool:
        """Wait for the end, or until no test has begun or ended for too long: False."""
        size, since = 0, time.monotonic()
        while process.poll() is None:
            if size != (size := self._log.stat().st_size):
                since = time.monotonic()
            if self._stop.wait(0.1) or time.monotonic() - since > self._patience:
                process.send_signal(signal.SIGINT)  # it ends its servers, if it still hears
                with suppress(subprocess.TimeoutExpired):
                    process.wait(10)
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                if self._stop.is_set():
                    raise KeyboardInterrupt
                return False
        return True


def figures(results: list[dict[str, Any]]) -> dict[str, float]:
    outcomes = Counter(it["outcome"] for it in results)
    killed = outcomes["killed"] + outcomes["time-out"]
    share = round(killed / len(results), 3) if results else 0.0
    return {
        "mutants": len(results),
        "killed": killed,
        "of_these_time_out": outcomes["time-out"],
        "share": share,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1, help="another seed, another sample")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--only", nargs="+", default=[PACKAGE], metavar="PATH", help="files or folders")
    parser.add_argument("--list", action="store_true", help="show the mutants and their tests, run nothing")
    parser.add_argument("--json", type=Path, help="keeps the results; what is in it is not run again")
    parser.add_argument("--again", action="store_true", help="but what survived is")
    parser.add_argument("--timeout", type=float, default=180, help="seconds in which no test begins or ends")
    options = parser.parse_args()
    paths = [path for path in core() if any(Path(path).is_relative_to(top) for top in options.only)]
    sites = [mutant for path in paths for mutant in mutants(path, (ROOT / path).read_bytes(), options.seed)]
    # Each has a number of its own: an edit elsewhere leaves the sample as it was.
    chosen = sorted(sites, key=lambda mutant: Random(f"{options.seed} {mutant.name}").random())[
        : options.count
    ]
    print(f"{len(chosen)} of {len(sites)} operators in {len(paths)} files of the core, seed {options.seed}")
    reach = reaches()
    if options.list:
        for it in chosen:
            print(f"{it.path}:{it.line}  {it.old} -> {it.new}\n    {it.source}")
            print(f"    {stages(it.path, reach)[0]}")
        return
    done: dict[tuple[str, str], dict[str, Any]] = {}
    if options.json and options.json.exists():
        kept = json.loads(options.json.read_text())["mutants"]
        done = {
            (it["name"], it["new"]): it for it in kept if not (options.again and it["outcome"] == "survived")
        }
    waiting = [mutant for mutant in chosen if (mutant.name, mutant.new) not in done]
    results = [done[it.name, it.new] for it in chosen if (it.name, it.new) in done]
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    stop, copies = threading.Event(), queue.SimpleQueue[Copy]()

    def judge(mutant: Mutant) -> dict[str, Any]:
        copy = copies.get()
        try:
            return copy.judge(mutant, stages(mutant.path, reach))
        finally:
            copies.put(copy)

    with (
        tempfile.TemporaryDirectory(prefix="mutants-") as folder,
        ThreadPoolExecutor(options.processes) as pool,
    ):
        for number in range(options.processes):
            copies.put(Copy(Path(folder, str(number)), options.timeout, stop))
        try:
            for future in as_completed([pool.submit(judge, mutant) for mutant in waiting]):
                results.append(result := future.result())
                done[result["name"], result["new"]] = result
                print(LINE.format(**result), flush=True)
                if options.json:
                    written = {"figures": figures(results), "mutants": list(done.values())}
                    options.json.write_text(json.dumps(written, indent=1) + "\n")
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)
    print(figures(results))
    for result in results:
        if result["outcome"] == "survived":
            print("{path}:{line}  {old} -> {new}\n    {source}".format(**result))
        if result["skipped"]:
            print("{path}:{line}  not counted, as they fail without it: {skipped}".format(**result))


if __name__ == "__main__":
    main()
