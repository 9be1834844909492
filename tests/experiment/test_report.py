from __future__ import annotations

import dataclasses
import errno
from pathlib import Path

import numpy as np
import pytest
from parsel import Selector

from focused_crawler.experiment import plots
from focused_crawler.experiment.checks import Checks
from focused_crawler.experiment.hosts import HostsFound
from focused_crawler.experiment.measures import FINISHED, RunTable, Setting, area
from focused_crawler.experiment.ranking import baselines, markdown_tables
from focused_crawler.experiment.report import render, write_report
from focused_crawler.report.html import tables_script
from focused_crawler.safety.errors import CrawlError
from tests.experiment.random_runs import PAPERS, TOPICS, random_runs, settings

FEW = ("breadth_first", "best_first_content_anchor", "lpe", "random")


def page_of(everywhere, strategies, about=None, checks=None, **sizes) -> str:
    return with_one_plot(RunTable.of(*random_runs(everywhere, strategies, **sizes)), about, checks)


def with_one_plot(table, about=None, checks=None) -> str:
    """Plots take most of the time; where a test is not about them, the first is enough."""
    return render(table, [next(plots.plots(table))], about or {}, checks)


def text(page: str) -> str:
    return " ".join(" ".join(Selector(page).xpath("//main//text()[not(ancestor::svg)]").getall()).split())


def rows_of(page: str, label: str) -> list[list[str]]:
    rows = Selector(page).xpath(f"//*[@aria-label='{label}']//tbody/tr")
    return [["".join(cell.xpath(".//text()").getall()) for cell in row.xpath("th|td")] for row in rows]


@pytest.fixture(scope="module")
def large() -> str:
    table = RunTable.of(*random_runs(settings(["w"], TOPICS, "abcde"), PAPERS))
    return render(table, list(plots.plots(table)), {"judged by": "ground truth"})


@pytest.fixture(scope="module")
def small() -> str:
    return page_of(settings(["w"], ["x"], "a"), ["lpe"])


def test_files_lie_in_the_folder(tmp_path) -> None:
    """report.html, and each plot as PNG."""
    path = write_report(tmp_path / "new", *random_runs(settings(["w"], ["x", "y"], "a"), FEW), {})
    assert path == tmp_path / "new" / "report.html"
    assert "| strategy |" in (tmp_path / "new" / "tables.md").read_text()
    assert "4 strategies on 2 topics" in text(path.read_text("utf-8"))
    names = {file.stem for file in (tmp_path / "new/plots").glob("*.png")}
    assert names == {"areas", "harvest_rate", "target_recall", "share_of_upper", "topics", "cost"}


def test_the_main_table_has_every_strategy_and_topic(large) -> None:
    """Sorted by the mean; figures are those of the statistics; oracles stand below."""
    rows = rows_of(large, "Areas topic by topic")
    values = RunTable.of(*random_runs(settings(["w"], TOPICS, "abcde"), PAPERS)).values(area())
    assert [row[0] for row in rows] == [*values.ranking(), "greedy oracle", "one-step oracle"]
    first = rows[0][0]
    assert rows[0][1].startswith(f"{values.means()[first]:.2f} ")
    assert rows[0][2:] == [f"{value:.2f}" for value in values.by_topic()[first]]


def test_hosts_stand_beside_the_area_of_each_web() -> None:
    """The web is named where there are several; as in Markdown."""
    runs, bounds = random_runs(settings(["v", "w"], ["x", "y"], "ab"), FEW)
    found = HostsFound(np.array([7, 2, 1]), np.array([1, 2, 10_000]))
    runs = [dataclasses.replace(run, hosts=found) for run in runs]
    rows = rows_of(with_one_plot(RunTable.of(runs, bounds)), "Hosts found")
    assert [row[1] for row in rows] == ["v"] * len(FEW) + ["w"] * len(FEW)
    assert {tuple(row[3:]) for row in rows} == {("0.67", "0.67", "1.00", "1.00")}
    markdown = markdown_tables(RunTable.of(runs, bounds))
    assert all(f"| {' | '.join(row)} |" in markdown for row in rows)
    alone = rows_of(page_of(settings(["w"], ["x"], "a"), FEW), "Hosts found")
    assert [row[2:] for row in alone] == [["–"] * 4] * len(FEW)


def test_the_best_of_each_topic_is_bold(large) -> None:
    """One or more in each column, and the best mean."""
    rows = Selector(large).xpath("//*[@aria-label='Areas topic by topic']//tbody/tr")
    bold = [[bool(cell.xpath(".//b")) for cell in row.xpath("td")] for row in rows]
    assert all(any(column) for column in zip(*bold, strict=True))
    assert bold[0][0]


def test_baselines_are_compared_with_all(large) -> None:
    """31 comparisons, losses listed like wins, corrected together."""
    sizes = [
        len(rows_of(large, f"Against {name}")) for name in ("breadth_first", "best_first_content_anchor")
    ]
    assert sizes == [16, 15]
    assert "all 31 comparisons" in text(large)
    differences = [row[1] for row in rows_of(large, "Against best_first_content_anchor")]
    assert differences[0].startswith("+")
    assert differences[-1].startswith("−")


def test_ablations_are_compared_with_the_whole() -> None:
    """Beside the usual baselines; it is no baseline where nothing of it was left out, or it was not run."""
    usual = ["breadth_first", "best_first_content_anchor"]
    assert baselines(["without:hosts", "adaptive", *usual]) == [*usual, "adaptive"]
    assert baselines(["adaptive", "lpe", "breadth_first"]) == ["breadth_first"]
    assert baselines(["without:hosts", "adaptive"]) == ["adaptive"]
    assert baselines(["without:hosts", "lpe"]) == ["without:hosts"]
    page = page_of(settings(["w"], ["x", "y"], "a"), ["without:hosts", "adaptive", "lpe"])
    assert sorted(row[0] for row in rows_of(page, "Against adaptive")) == ["lpe", "without:hosts"]


def test_each_is_set_against_each(large) -> None:
    """The matrix reads the same from both sides."""
    cells = [row[1:] for row in rows_of(large, "Each against each")]
    assert len(cells) == len(PAPERS)
    for number, row in enumerate(cells):
        for other, cell in enumerate(row):
            assert cell.split("·") == cells[other][number].split("·")[::-1]


def test_dry_runs_are_named() -> None:
    """Which strategy, where, after how many pages."""
    runs, bounds = random_runs(settings(["w"], ["x", "y"], "a"), ["lpe", "cbp"], targets=60)
    dry = [dataclasses.replace(run, hits=run.hits[:10], reason=FINISHED) for run in runs]
    runs = [short if run.case.topic == "y" else run for run, short in zip(runs, dry, strict=True)]
    table = RunTable.of(runs, bounds)
    shown = text(with_one_plot(table))
    assert "lpe w.y.a after 10 of 120 pages" in shown


def test_a_page_needs_nothing_else(large) -> None:
    """One script, ours, nothing to load, a policy that forbids both; not a large file either."""
    page = Selector(large)
    assert page.css("script::text").getall() == [tables_script()]
    assert not page.xpath("//link | //img | //iframe | //@src | //@onclick | //form")
    assert "default-src 'none'" in page.css("meta[http-equiv=Content-Security-Policy]::attr(content)").get()
    assert "url(http" not in large
    assert len(large) < 1_500_000


def test_one_run_is_an_experiment(small) -> None:
    """One strategy, one topic, one seed set: figures without intervals, said openly, nothing to compare."""
    shown = text(small)
    assert "1 strategy on 1 topic" in shown
    assert "One topic alone gives no interval" in shown
    assert "Against" not in shown
    assert "nan" not in shown.lower()


def test_one_topic_has_comparisons_without_p() -> None:
    """Differences and topics won are shown; p and intervals are dashes."""
    page = page_of(settings(["w"], ["x"], "ab"), FEW)
    rows = rows_of(page, "Against breadth_first")
    assert [row[2:5] for row in rows] == [["–", "–", "–"]] * 3
    assert "One topic gives neither interval nor p" in text(page)


def test_what_was_left_out_is_told() -> None:
    """A setting that a strategy lacks is named with the strategy."""
    runs, bounds = random_runs(settings(["w"], ["x", "y"], "a"), ["lpe", "cbp"])
    table = RunTable.of(runs[:-1], bounds)
    shown = text(with_one_plot(table))
    assert "1 setting left out" in shown
    assert "w.y.a: cbp not run" in shown


def test_a_budget_that_ends_early_is_told() -> None:
    """Areas at |T| and 2|T| are not what they are called there."""
    shown = text(page_of(settings(["w"], ["x", "y"], "a"), ["lpe"], targets=60, budget=40))
    assert "In 2 settings the budget ends before |T|" in shown
    assert "In 2 settings the budget ends before 2|T|" in shown


@pytest.mark.parametrize(
    ("checks", "words"),
    [
        (None, ["checks not made"]),
        (
            Checks([], ["No run is above.", "Controls: not run."]),
            ["checks No run is above. Controls: not run."],
        ),
        (Checks(["w.x.a.lpe is above", "w.x.b.lpe too"], ["Two."]), ["2 checks failed", "checks Two."]),
    ],
)
def test_checks_are_told(checks, words) -> None:
    """Nobody checked, nothing found, something found: no more is said than was asked."""
    shown = text(page_of(settings(["w"], ["x"], "a"), ["lpe"], checks=checks))
    assert [one for one in words if one not in shown] == []
    assert ("failed" in shown) == bool(checks and checks.violations)


def test_equal_experiments_give_equal_bytes() -> None:
    """A report can be compared with the last one by diff."""
    arguments = (settings(["w"], ["x", "y"], "ab"), FEW, {"judged by": "ground truth"})
    assert page_of(*arguments) == page_of(*arguments)


@pytest.mark.parametrize(
    "words",
    ["<script>alert(1)</script>", "\"'><img src=x onerror=alert(1)>", "{{ 7*7 }}", "$x_1$", "\x1b[31m\u202e"],
)
def test_hostile_names_stay_words(words) -> None:
    """Names of webs, topics and strategies, and what is said about them, make no element."""
    page = page_of(
        settings([words, "w"], [words], "a"), [words, "lpe"], {words: words}, Checks([words], [words])
    )
    harmless = page_of(settings(["v", "w"], ["x"], "a"), ["y", "lpe"], {"z": "z"}, Checks(["z"], ["z"]))
    assert elements(page) == elements(harmless)
    assert not set("\x1b\u202e") & set(page)


def elements(page: str) -> set[tuple[str, tuple[str, ...]]]:
    return {(node.root.tag, tuple(node.root.attrib)) for node in Selector(page).xpath("//*")} - {("wbr", ())}


def test_a_folder_that_cannot_be_written_is_named(tmp_path) -> None:
    """One line with the cure."""
    (tmp_path / "plots").write_text("")
    with pytest.raises(CrawlError, match=r"cannot write .*--out"):
        write_report(tmp_path, *random_runs(settings(["w"], ["x"], "a"), ["lpe"]), {})


def test_a_report_is_written_whole_or_not_at_all(tmp_path, monkeypatch) -> None:
    """When the disk is full, the last one stays as it was."""
    runs = random_runs(settings(["w"], ["x"], "a"), ["lpe"])
    path = write_report(tmp_path, *runs, {})
    before = {name: (tmp_path / name).read_bytes() for name in ("report.html", "tables.md")}
    write = Path.write_bytes

    def half(self: Path, data: bytes) -> None:
        write(self, data[: len(data) // 2])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", half)
    with pytest.raises(CrawlError, match=f"cannot write {path} \\(No space left on device\\)"):
        write_report(tmp_path, *runs, {"new": "words"})
    assert {name: (tmp_path / name).read_bytes() for name in before} == before
    assert {entry.name for entry in tmp_path.iterdir()} == {*before, "plots"}


def test_markdown_has_the_same_figures(large) -> None:
    """The table of the docs is the table of the page."""
    lines = markdown_tables(RunTable.of(*random_runs(settings(["w"], TOPICS, "abcde"), PAPERS))).split("\n")
    first = [cell.strip(" *") for cell in lines[2].split("|")[1:-1]]
    row = rows_of(large, "Areas topic by topic")[0]
    assert [first[0], *first[3:]] == [row[0], *row[2:]]
    assert row[1] == f"{first[1]} {first[2]}"
    assert sum(line.startswith("| strategy |") for line in lines) == 4


def test_markdown_survives_any_name() -> None:
    """A bar in a name ends no cell."""
    runs, bounds = random_runs([Setting("w", "x", "a")], ["a|b"])
    assert all(
        line.replace(r"\|", "").count("|") == 5
        for line in markdown_tables(RunTable.of(runs, bounds)).split("\n")[:3]
    )
