"""Bytes that nobody would write, for everything that reads foreign bytes: nothing but the documented errors.

    python tests/hostile/fuzz.py --minutes 60 [--targets page robots] [--folder build/fuzz]

Each target (`fuzz_pages`, `fuzz_files`, `fuzz_rows`) has its share of the time. A find is another error than
the target's, more than two seconds, or a gigabyte. Inputs are made up by coverage where atheris is there
(`pip install atheris`), else blindly. The folder keeps the inputs that led to something new (`corpus/`), and
the finds with their stories (`finds/`): the same command replays these, forgets those that are mended, and
goes on. It ends with 1 if there are any.
"""

from __future__ import annotations

import argparse
import os
import resource
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

if TYPE_CHECKING:
    from tests.hostile.fuzzing import Target

INSTRUMENTED = ["focused_crawler", "protego", "tomllib", "warcio", "w3lib"]
STUCK = 20
"""Seconds after which an input that does not come back ends its process."""
MEMORY = 4 << 30
"""Bytes that a process may have: an input without end must not take the machine with it."""
LINE = "{name:10} {inputs:>10,} inputs {speed:>8,.0f} a second {corpus:>6,} in its corpus; finds: {finds}"


class Session:
    """Gives inputs to one target, counts them, and writes finds down."""

    def __init__(self, target: Target, folder: Path) -> None:
        self._target = target
        self.corpus, self.finds = (folder / kind / target.name for kind in ("corpus", "finds"))
        self._count_file = folder / f"{target.name}.count"
        self._inputs, self._saved_at = count_of(self._count_file), 0.0
        for place in (self.corpus, self.finds):
            place.mkdir(parents=True, exist_ok=True)

    def __call__(self, data: bytes) -> None:
        from tests.hostile.fuzzing import attempt  # noqa: PLC0415 - its imports are to be instrumented

        find = attempt(self._target, data)
        self._inputs += 1
        if find is not None and not (story := self.finds / f"{find.name}.txt").exists():
            story.with_suffix(".bin").write_bytes(data)
            story.write_text(find.story)
            print(f"find: {find.name}", flush=True)
        if time.monotonic() > self._saved_at + 1:
            self._count_file.write_text(str(self._inputs))
            self._saved_at = time.monotonic()

    def replay(self) -> None:
        """Try the finds once more; those that are mended are no more, and their inputs join the corpus."""
        for path in sorted(self.finds.glob("*.bin")):
            data = path.read_bytes()
            path.with_suffix(".txt").unlink(missing_ok=True)
            path.rename(self.corpus / path.name)
            self(data)


def count_of(file: Path) -> int:
    return int(file.read_text() or 0) if file.exists() else 0


def fuzz(name: str, seconds: float, folder: Path, seed: int) -> None:
    """Fuzz one target in this process."""
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    atheris = None
    with ExitStack() as stack:
        if find_spec("atheris"):
            import atheris  # noqa: PLC0415 - not everybody has it

            stack.enter_context(atheris.instrument_imports(include=INSTRUMENTED))
        from tests.hostile.fuzz_targets import TARGETS  # noqa: PLC0415 - to be instrumented
    target = TARGETS[name]
    session = Session(target, folder)
    session.replay()
    for number, example in enumerate(target.examples()):
        (session.corpus / f"seed-{number}").write_bytes(example)
        session(example)
    print("begun", flush=True)
    if atheris is None:
        _blindly(session, target, seconds, Random(seed))
        return
    words = folder / f"{name}.words"
    escaped = ("".join(map("\\x{:02x}".format, word)) for word in target.words)
    words.write_text("".join(f'"{word}"\n' for word in escaped))
    longest = max(1 << 16, *(path.stat().st_size for path in session.corpus.iterdir()))
    options = {
        "max_total_time": int(seconds), "seed": seed, "timeout": STUCK, "rss_limit_mb": 0, "max_len": longest,
        "artifact_prefix": f"{session.finds}/", "reload": 0,
    }  # fmt: skip
    if target.words:
        options["dict"] = words
    flags = [f"-{option}={value}" for option, value in options.items()]
    atheris.Setup([sys.argv[0], *flags, str(session.corpus)], session)
    atheris.Fuzz()


def _blindly(session: Session, target: Target, seconds: float, random: Random) -> None:
    from tests.hostile.fuzzing import mutated  # noqa: PLC0415 - to be instrumented

    inputs = [path.read_bytes() for path in sorted(session.corpus.iterdir())]
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        signal.alarm(STUCK)
        session(mutated(random.choice(inputs), target.words, inputs, random))
    signal.alarm(0)


def share(name: str, seconds: float, folder: Path, seed: int) -> int:
    """Fuzz one target in processes of its own, each from where the last one ended; return how many finds."""
    began, finds = time.monotonic(), folder / "finds" / name
    before = count_of(count_file := folder / f"{name}.count")
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
    with (folder / f"{name}.log").open("w") as log:
        while (left := began + seconds - time.monotonic()) > 1:
            command = [sys.executable, __file__, "--one", name, "--minutes", str(left / 60)]
            command += ["--folder", str(folder), "--seed", str(seed)]
            done = subprocess.run(command, cwd=ROOT, env=environment, stdout=log, stderr=log, check=False)
            for path in [*finds.glob("timeout-*[!.bt]"), *finds.glob("crash-*"), *finds.glob("oom-*")]:
                if not path.suffix:  # the input that ended its process
                    path.rename(path.with_suffix(".bin"))
                    path.with_suffix(".txt").write_text("it ended its process\n")
            seed += 1
            if done.returncode == 1:  # what libFuzzer finds ends it with other numbers
                print(f"{name}: it does not begin; {log.name} says why", flush=True)
                return 1
    names = sorted(path.stem for path in finds.glob("*.txt"))
    inputs = count_of(count_file) - before
    corpus = len(list((folder / "corpus" / name).iterdir()))
    speed = inputs / (time.monotonic() - began)
    print(
        LINE.format(name=name, inputs=inputs, speed=speed, corpus=corpus, finds=", ".join(names) or "none"),
        flush=True,
    )
    return len(names)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=60, help="of all targets together")
    parser.add_argument("--targets", nargs="+", metavar="NAME", help="some of them (default: all)")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "fuzz", help="where it goes on")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--one", metavar="NAME", help=argparse.SUPPRESS)
    options = parser.parse_args()
    folder, seconds = options.folder.resolve(), 60 * options.minutes
    if options.one:
        fuzz(options.one, seconds, folder, options.seed)
        return
    from tests.hostile.fuzz_targets import TARGETS  # noqa: PLC0415 - a child has them instrumented

    folder.mkdir(parents=True, exist_ok=True)
    names = options.targets or list(TARGETS)
    if unknown := [name for name in names if name not in TARGETS]:
        parser.error(f"no target {', '.join(unknown)}; there are: {', '.join(TARGETS)}")
    sys.exit(1 if sum(share(name, seconds / len(names), folder, options.seed) for name in names) else 0)


if __name__ == "__main__":
    main()
