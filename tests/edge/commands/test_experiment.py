from __future__ import annotations

import csv
import re
import signal
from pathlib import Path

import numpy as np
import pytest

from tests.edge.commands import held
from tests.experiment.hives import url, write_topic
from tests.project import Done, Scrapy, until

STRATEGIES = "breadth_first,best_first_content,random,shuffled"
OWN = "tests.edge.commands.own_strategy"
HELD = "tests.edge.commands.held.experiment"  # the runs may be over in a moment
MINE = f'{{"mine": "{OWN}.ShortAnchors"}}'


@pytest.fixture(scope="module")
def whole(scrapy: Scrapy, hives: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Done, Path]:
    """Two topics, two seed sets, four strategies in one process: what the command said, and its folder."""
    out = tmp_path_factory.mktemp("out")
    return scrapy.run(*words(hives, out)), out


def words(web: Path, out: Path, *more: object) -> list[object]:
    """Return the words of a command; of an option that comes twice the last one counts."""
    return ["experiment", "--web", web, "--strategies", STRATEGIES, "--processes", 1, "--out", out, *more]


def files(out: Path) -> dict[str, str]:
    """Return what does not depend on the time that runs took."""
    found = {path.name: path.read_text() for path in (out / "visits").iterdir()}
    return {**found, "results.csv": (out / "results.csv").read_text()}


def test_it_prints_the_means_and_where_the_report_is(whole: tuple[Done, Path]) -> None:
    """What was learnt goes to stderr, a line a topic."""
    done, out = whole
    assert done.code == 0
    assert "hives/bees: 6 + 8 examples; F1" in done.err
    order = re.findall(r"^ (\w+) +[01]\.\d{3} ", done.out, re.MULTILINE)
    assert sorted(order) == sorted(STRATEGIES.split(","))
    assert order[0] == "best_first_content"
    assert done.out.endswith(f"{out / 'report.html'}\n")


def test_all_files_are_there(whole: tuple[Done, Path]) -> None:
    """Visits, tables, plots and the report."""
    out = whole[1]
    cases = {
        f"hives.{topic}.{seeds}.{strategy}.txt"
        for topic in ("bees", "cars")
        for seeds in "ac"
        for strategy in STRATEGIES.split(",")
    }
    assert {path.name for path in (out / "visits").iterdir()} == cases
    lines = (out / "results.csv").read_text().splitlines()
    assert lines[0] == "web,topic,seed_set,strategy,pages,relevant,harvest_rate,target_recall"
    assert len(lines) == 1 + 100 * len(cases)
    rows = list(csv.DictReader((out / "summary.csv").read_text().splitlines()))
    assert [row["judged_by"] for row in rows] == ["the web's ground truth"] * len(cases)
    assert "best_first_content" in (out / "report.html").read_text()
    assert list((out / "plots").glob("*.png"))


def test_as_many_runs_at_a_time_as_there_are_processors(scrapy: Scrapy, hives: Path, tmp_path: Path) -> None:
    """On systems, too, that do not say which ones a process may use."""
    few = ("--topics", "bees", "--seed-sets", "a", "--strategies", "breadth_first", "--pages", 5)
    words_ = ("experiment", "--web", hives, "--out", tmp_path / "out", *few)
    done = scrapy.run(*words_, before="tests.edge.commands.held.without_affinity")
    assert (done.code, "Traceback" in done.err) == (0, False)


def test_a_web_without_a_host_is_another_web(
    whole: tuple[Done, Path], scrapy: Scrapy, hives: Path, tmp_path: Path
) -> None:
    """In one folder with the whole one: no page of the host is fetched, is a target, or counts in a bound."""
    first = scrapy.run(*words(hives, tmp_path, "--topics", "bees", "--seed-sets", "c"))
    again = scrapy.run(
        *words(hives, tmp_path, "--topics", "bees", "--seed-sets", "c"),
        "--without", "bees4.example", "--without", "news2.example",
    )  # fmt: skip
    assert (first.code, again.code) == (0, 0), again.err
    assert "made before" not in again.err
    assert re.search(
        r"^hives-without-2-hosts-\w{6}/bees: start pages .*: 1 of 2 in set c$", again.err, re.MULTILINE
    )
    visits = {path.name: path.read_text() for path in (tmp_path / "visits").iterdir()}
    mine = [text for name, text in visits.items() if "without" in name]
    rest = {name: text for name, text in visits.items() if "without" not in name}
    assert rest == {name: text for name, text in files(whole[1]).items() if name.startswith("hives.bees.c.")}
    assert len(mine) == len(rest) == len(STRATEGIES.split(","))
    assert all("bees4.example" not in text and "news2.example" not in text for text in mine)
    (row, *_) = csv.DictReader((tmp_path / "summary.csv").read_text().splitlines())
    assert (int(row["targets"]), int(row["budget"])) == (13, 26)  # every second page about bees
    (bounds,) = (tmp_path / "bounds").glob("*without*")
    with np.load(bounds, allow_pickle=False) as found:
        assert found["upper"][-1] <= 13
    assert "bees4.example, news2.example" in (tmp_path / "report.html").read_text()


def test_fewer_examples_make_another_experiment(
    whole: tuple[Done, Path], scrapy: Scrapy, hives: Path, tmp_path: Path
) -> None:
    """The model learns from these alone; a folder holds runs of one number of examples."""
    few = ("--topics", "bees", "--seed-sets", "a", "--examples", "3+4")
    done = scrapy.run(*words(hives, tmp_path, *few))
    assert done.code == 0, done.err
    assert "hives/bees: 3 + 4 examples; F1" in done.err
    again = scrapy.run(*words(hives, whole[1], *few))
    assert (again.code, "(examples is all, not 3+4)" in again.err) == (2, True)
    none = scrapy.run(*words(hives, tmp_path / "none", *few[:-1], "0+0"))
    assert "hives/bees: 0 + " in none.err
    assert "too few to train from: untrained" in none.err


NINE = (
    "breadth_first,best_first_content,best_first_anchor,best_first_content_anchor,semantic_synonym,"
    "semantic_hypernym,hmm,hmm_content,hmm_content_anchor"
)


def test_the_nine_crawlers_of_batsakis_by_their_own_measure(
    scrapy: Scrapy, hives: Path, whole: tuple[Done, Path], tmp_path: Path
) -> None:
    """With vsm pages are judged by the plain cosine; what the HMM learns from is trained as ever."""
    vsm = ("-s", "FOCUSED_CLASSIFIER=vsm", "--strategies", NINE, "--topics", "bees", "--seed-sets", "a")
    done = scrapy.run(*words(hives, tmp_path, *vsm))
    assert done.code == 0, done.err
    assert sorted(row.split(",")[3] for row in rows_of(tmp_path)[1:]) == sorted(NINE.split(","))
    judged, before = (
        np.load(out / "models/hives/bees/relevance.npy", allow_pickle=False) for out in (tmp_path, whole[1])
    )
    assert np.abs(judged - before).max() > 0.1
    again = scrapy.run(*words(hives, whole[1], *vsm))
    assert (again.code, "holds runs of another experiment (judge of pages is" in again.err) == (2, True)


def test_a_killed_experiment_goes_on(
    whole: tuple[Done, Path], scrapy: Scrapy, hives: Path, tmp_path: Path
) -> None:
    """After kill -9, in one process or two, the same command ends with the same files."""
    out = tmp_path / "out"
    for runs, processes in ((0, 2), (6, 1)):
        running = scrapy.start(*words(hives, out, "--processes", processes), before=HELD)
        until(lambda least=runs: (out / "runs.csv").exists() and len(rows_of(out)) > least)
        running.signal(signal.SIGKILL)
        assert running.wait().code == -signal.SIGKILL
    done = scrapy.run(*words(hives, out))
    assert done.code == 0
    assert "runs made before" in done.err
    assert files(out) == files(whole[1])


def test_a_user_may_stop_it(scrapy: Scrapy, hives: Path, tmp_path: Path) -> None:
    """With Ctrl-C: one line, and the exit code of a shell."""
    running = scrapy.start(*words(hives, tmp_path / "out"), before=HELD)
    until(lambda: (tmp_path / "out/runs.csv").exists() and len(rows_of(tmp_path / "out")) == held.ROWS)
    running.signal(signal.SIGINT)
    done = running.wait()
    assert (done.code, done.out) == (128 + signal.SIGINT, "")
    assert done.err.endswith("stopped; the same command goes on from here\n")
    assert "Traceback" not in done.err


def rows_of(out: Path) -> list[str]:
    return (out / "runs.csv").read_text().splitlines()


def test_a_users_own_strategy_takes_part(
    whole: tuple[Done, Path], scrapy: Scrapy, hives: Path, tmp_path: Path
) -> None:
    """By its name in FOCUSED_LINK_SCORERS; -s gives other settings too, and the judge may be one's own."""
    web = tmp_path / "own.warc.gz"
    web.write_bytes(hives.read_bytes())
    write_topic(tmp_path / "own.topics", "cars")
    write_topic(tmp_path / "judges", "cars", skip=8)
    own = ["--strategies", "mine,random", "--seed-sets", "a", "--judge", tmp_path / "judges", "--pages", 10]
    done = scrapy.run(*words(web, tmp_path / "out", *own, "-s", f"FOCUSED_LINK_SCORERS={MINE}"))
    assert done.code == 0, done.err
    visits = (tmp_path / "out/visits/own.cars.a.mine.txt").read_text().splitlines()
    assert (len(visits), visits[0]) == (10, url(1))
    for name in ("summary.csv", "report.html"):
        assert "a classifier trained on the examples of" in (tmp_path / "out" / name).read_text()


@pytest.mark.parametrize(
    ("name", "processes", "error"),
    [
        ("Raises", 2, "ZeroDivisionError: division by zero (own_strategy.py, line "),
        ("RaisesLate", 1, "two lines (own_strategy.py, line "),
        ("RaisesOnPath", 1, "KeyError: 'way' (own_strategy.py, line "),
        ("TooFew", 1, "strategy mine gives 5 scores for 6 links; give one a link"),
    ],
)
def test_a_users_strategy_that_fails_is_named(
    scrapy: Scrapy, hives: Path, tmp_path: Path, name: str, processes: int, error: str
) -> None:
    """With web, topic and seed set, in one line; the same command goes on once it is mended."""
    scorers = f'FOCUSED_LINK_SCORERS={{"mine": "{OWN}.{name}"}}'
    few = ["--topics", "bees", "--seed-sets", "c", "--strategies", "mine", "--processes", processes]
    done = scrapy.run(*words(hives, tmp_path / "out", *few, "-s", scorers))
    last = done.err.splitlines()[-1]
    assert (done.code, done.out) == (2, "")
    assert last.startswith(f"error: strategy mine failed on hives/bees, seed set c: {error}")
    assert last.endswith(f"; fix {OWN}.{name} and run the same command again")
    assert "Traceback" not in done.err


def test_what_goes_past_its_scores_is_found(scrapy: Scrapy, hives: Path, tmp_path: Path) -> None:
    """A strategy that peeks at the ground truth, also when its scores are shuffled; honest ones do not."""
    topic = write_topic(tmp_path, "bees") / "topic.toml"
    more = "".join(
        f'{name} = ["{url(number)}"]\n' for name, number in zip("defg", (4, 9, 11, 14), strict=True)
    )
    topic.write_text(topic.read_text().replace("[examples]", f"{more}[examples]"))
    scorers = f'FOCUSED_LINK_SCORERS={{"mine": "{OWN}.ShortAnchors", "guides": "{OWN}.Guides"}}'
    honest = "random,best_first_content,lpe,shuffled:mine,shuffled:lpe,shuffled:best_first_content"
    given = ["--topics", tmp_path / "bees", "-s", scorers]
    truth = {"GROUND_TRUTH": str(hives.parent / "hives.topics/bees/relevant.txt")}
    done = scrapy.run(*words(hives, tmp_path / "out", *given, "--strategies", honest))
    assert (done.code, "violation" in done.err) == (0, False), done.err
    assert (tmp_path / "out/visits/hives.bees.d.shuffled=lpe.txt").is_file()
    leaks = [*given, "--strategies", f"{honest},guides,shuffled:guides"]
    done = scrapy.run(*words(hives, tmp_path / "out", *leaks), environ=truth)
    assert done.code == 1
    (line,) = [line for line in done.err.splitlines() if line.startswith("violation: ")]
    assert line.startswith("violation: hives/bees: shuffled:guides has ")
    assert line.endswith("or chance did: see what another --random-seed says")


def test_a_strategy_is_set_against_itself_without_a_part(scrapy: Scrapy, hives: Path, tmp_path: Path) -> None:
    """An order without the topic's words is another one; tables and files name it, and what it misses."""
    chosen = ("--strategies", "adaptive,without:words,breadth_first", "--seed-sets", "c")
    done = scrapy.run(*words(hives, tmp_path, *chosen))
    assert done.code == 0, done.err
    visits = {path.name: path.read_text() for path in (tmp_path / "visits").glob("hives.bees.*")}
    assert visits.keys() == {
        f"hives.bees.c.{name}.txt" for name in ("adaptive", "without=words", "breadth_first")
    }
    assert visits["hives.bees.c.adaptive.txt"] != visits["hives.bees.c.without=words.txt"]
    tables = (tmp_path / "tables.md").read_text()
    assert re.search(r"^\| without:words \| adaptive \| \S+ \| .* to ", tables, re.MULTILINE)


def test_a_seed_set_that_counts_in_no_figure_is_named(scrapy: Scrapy, hives: Path, tmp_path: Path) -> None:
    """Under the means, which are of the others."""
    given = ["--topics", "bees", "--pages", 1, "--strategies", "breadth_first"]
    done = scrapy.run(*words(hives, tmp_path / "out", *given))
    assert done.code == 0
    none = "counts in no figure: no crawl can reach a relevant page within the budget"
    assert done.err.endswith(f"\nhives.bees.c {none}\n")


def test_what_cannot_be_made_is_left_out_openly(scrapy: Scrapy, hives: Path, tmp_path: Path) -> None:
    """Unless it was asked for by name."""
    topic = write_topic(tmp_path, "bees") / "topic.toml"
    topic.write_text(topic.read_text().partition("[examples]")[0])
    small = ["--topics", tmp_path / "bees", "--seed-sets", "a", "--pages", 5]
    done = scrapy.run(*words(hives, tmp_path / "out", *small, "--strategies", ""))
    assert done.code == 0
    assert "hmm is left out: bees has no HMM" in done.err
    untrained = "link_classifier (untrained: best_first_content_anchor)"
    assert f"{untrained} on hives/bees\n" in done.err
    assert untrained in (tmp_path / "out/report.html").read_text()
    done = scrapy.run(*words(hives, tmp_path / "named", *small, "--strategies", "hmm"))
    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines()[-1].startswith("error: bees has no HMM")


MISTAKES = {
    "no folder": (["--web", "WEB"], "no folder to write to; type scrapy experiment --web"),
    "no web": (["--out", "OUT"], "no web given; type"),
    "missing web": (["--web", "gone.warc.gz", "--out", "OUT"], "no web at gone.warc.gz"),
    "word": (["lpe", "--web", "WEB", "--out", "OUT"], "'lpe' stands alone; type"),
    "strategy": (
        ["--web", "WEB", "--out", "OUT", "--strategies", "lp"],
        "no strategy is called 'lp'; did you mean lpe? Else use",
    ),
    "shuffled strategy": (
        ["--web", "WEB", "--out", "OUT", "--strategies", "shuffled:lp"],
        "no strategy is called 'lp'; did you mean lpe? Else use one of breadth_first, ",
    ),
    "part of a strategy": (
        ["--web", "WEB", "--out", "OUT", "--strategies", "adaptive,without:host"],
        "adaptive has no part 'host'; did you mean hosts? Else use one of places, hosts, ",
    ),
    "topic": (["--web", "WEB", "--out", "OUT", "--topics", "bee"], "no topic 'bee' in "),
    "seed set": (["--web", "WEB", "--out", "OUT", "--seed-sets", "b"], "no topic has a seed set 'b'; use"),
    "pages": (["--web", "WEB", "--out", "OUT", "--pages", "0"], "--pages is 0; give a whole number from 1"),
    "processes": (["--web", "WEB", "--out", "OUT", "--processes", "x"], "--processes is x; give a whole"),
    "random seed": (
        ["--web", "WEB", "--out", "OUT", "--random-seed", "x"],
        "FOCUSED_RANDOM_SEED is 'x'; use",
    ),
    "setting": (
        ["--web", "WEB", "--out", "OUT", "-s", "FOCUSED_LINK=1"],
        "no setting is called FOCUSED_LINK;",
    ),
    "thesaurus": (
        ["--web", "WEB", "--out", "OUT", "-s", "FOCUSED_CLASSIFIER=thesaurus"],
        "FOCUSED_CLASSIFIER is thesaurus, which learns nothing, and an experiment trains what judges its"
        " pages; compare it as a strategy: -s FOCUSED_CLASSIFIER=ratio_regression --strategies thesaurus",
    ),
    "classifier": (
        ["--web", "WEB", "--out", "OUT", "-s", "FOCUSED_CLASSIFIER=thesauruss"],
        "FOCUSED_CLASSIFIER is 'thesauruss'; use one of",
    ),
    "listings": (
        ["--web", "WEB", "--out", "OUT", "-s", "FOCUSED_LISTINGS=all"],
        "FOCUSED_LISTINGS is all, and an experiment counts what links lead to: its bounds know no sitemaps",
    ),
    "own strategy": (
        ["--web", "WEB", "--out", "OUT", "-s", 'FOCUSED_LINK_SCORERS={"mine": "gone.Mine"}'],
        "FOCUSED_LINK_SCORERS names 'gone.Mine' for 'mine', which cannot be imported",
    ),
    "class that cannot be made": (
        ["--web", "WEB", "--out", "OUT", "-s", f'FOCUSED_LINK_SCORERS={{"mine": "{OWN}.NoArguments"}}'],
        f"FOCUSED_LINK_SCORERS names '{OWN}.NoArguments' for 'mine', which cannot be made (TypeError: ",
    ),
    "missing judges": (["--web", "WEB", "--out", "OUT", "--judge", "FULL/gone"], "no folder FULL/gone; give"),
    "other files": (["--web", "WEB", "--out", "FULL"], "FULL holds other files; name a new or empty"),
    "unwritable": (
        ["--web", "WEB", "--out", "FULL/file/x"],
        "cannot write FULL/file/x (Not a directory); fix",
    ),
    "judge": (["--web", "WEB", "--out", "OUT", "--topics", "FULL/news"], "nobody can judge hives/news: "),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_end_in_one_line(name: str, hives: Path, tmp_path: Path, scrapy: Scrapy) -> None:
    """It names what is wrong and what would be right; exit code 2, and nothing written."""
    given, message = MISTAKES[name]
    full = tmp_path / "full"
    write_topic(full, "news")
    (full / "file").touch()
    places = {"WEB": str(hives), "OUT": str(tmp_path / "out"), "FULL": str(full)}

    def put(text: str) -> str:
        for place, path in places.items():
            text = text.replace(place, path)
        return text

    done = scrapy.run("experiment", *map(put, given))
    assert done.err.startswith(f"error: {put(message)}")
    assert (done.err.count("\n"), done.out, done.code) == (1, "", 2)
    assert not (tmp_path / "out").exists()
