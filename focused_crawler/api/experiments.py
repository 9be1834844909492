"""Strategies compared from a program."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from focused_crawler.api.frames import Frame, as_frame
from focused_crawler.api.process import each, run_command
from focused_crawler.safety.extras import explaining_extras


@dataclass(frozen=True, slots=True)
class ExperimentResult:
    """What an experiment has left in its folder."""

    folder: Path

    @property
    def report(self) -> Path:
        """Return its report, as a page."""
        return self.folder / "report.html"

    def plots(self) -> dict[str, Path]:
        """Return its plots as PNG files, by their names; none where matplotlib is not installed."""
        return {path.stem: path for path in sorted((self.folder / "plots").glob("*.png"))}

    def results(self, *, to: Frame = "arrow") -> Any:
        """Return a frame with a row for each point of each run."""
        return self._table("results.csv", to)

    def summary(self, *, to: Frame = "arrow") -> Any:
        """Return a frame with a row a run: areas, bounds, hosts."""
        return self._table("summary.csv", to)

    def _table(self, name: str, to: Frame) -> Any:
        with explaining_extras():
            from pyarrow.csv import read_csv  # noqa: PLC0415 - of the extra "data"

            return as_frame(read_csv(self.folder / name), to)


def experiment(
    web: str | Path | Iterable[str | Path],
    *,
    out: str | Path,
    topics: Iterable[str] = (),
    strategies: Iterable[str] = (),
    pages: int | None = None,
    settings: Mapping[str, Any] | None = None,
) -> ExperimentResult:
    """Compare strategies on recorded webs, all of them where none is named; return what came of it.

    The same call goes on where it was stopped. Raises FocusedCrawlerError.
    """
    webs = [web] if isinstance(web, str | Path) else list(web)
    words: list[object] = ["experiment", "--out", Path(out)]
    for one in webs:
        words += ["--web", one]
    if chosen := ",".join(each(topics)):
        words += ["--topics", chosen]
    if named := ",".join(each(strategies)):
        words += ["--strategies", named]
    if pages is not None:
        words += ["--pages", pages]
    run_command(words, settings)
    return ExperimentResult(Path(out))
