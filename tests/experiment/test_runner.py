from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scrapy.settings import Settings

from focused_crawler.classify.settings import ClassifierSettings, HmmSettings
from focused_crawler.crawl.config import DEFAULTS, CrawlConfig
from focused_crawler.experiment.bench import Bench
from focused_crawler.experiment.folder import RUNS, ExperimentFolder, Record
from focused_crawler.experiment.grid import choose_seed_sets, find_subjects
from focused_crawler.experiment.hosts import NEVER
from focused_crawler.experiment.measures import Case, Setting
from focused_crawler.experiment.origin import origin, program_files
from focused_crawler.experiment.runner import Experiment
from focused_crawler.experiment.training import TrainingSummary, relevances
from focused_crawler.experiment.variants import with_examples
from focused_crawler.experiment.work import analyst_of, read_bounds
from focused_crawler.safety.errors import CrawlError, TopicError
from focused_crawler.safety.workers import Pool
from focused_crawler.virtualweb.writer import WebWriter
from tests.experiment.hives import PAGES, pages_about, subject_of, url, write_hives, write_topic

STRATEGIES = ("breadth_first", "best_first_content", "hmm", "random")


def bench(out: Path, classifier: str = ClassifierSettings().classifier, **settings: Any) -> Bench:
    config = CrawlConfig.from_settings(Settings({**DEFAULTS, **settings}))
    return Bench(out, config, ClassifierSettings(classifier), HmmSettings())


class Trial:
    """An experiment from its beginning to its end, and what it said."""

    def __init__(
        self,
        out: Path,
        web: Path,
        topics: str = "",
        judge: Path | None = None,
        pages: int = 0,
        **own: Any,
    ) -> None:
        self.bench = bench(out, **own)
        subjects = choose_seed_sets(find_subjects([web], topics, judge), "")
        with ExperimentFolder(out, origin(self.bench, subjects, pages)) as folder, Pool(1) as pool:
            self.experiment = Experiment(self.bench, folder, subjects, pages)
            self.seeds = self.experiment.check_seeds()
            self.notes = list(self.experiment.prepare(pool))
            self.experiment.judge()
            self.taken_over = self.experiment.take_over(STRATEGIES)
            self.made = [made for made in self.experiment.run(pool, STRATEGIES) if made is not None]

    def visits(self, *case: str) -> list[str]:
        return self.bench.visits(Case(*case)).read_text().splitlines()


@pytest.fixture(scope="module")
def whole(hives: Path, tmp_path_factory: pytest.TempPathFactory) -> Trial:
    """All topics and seed sets of the web."""
    return Trial(tmp_path_factory.mktemp("whole"), hives)


def test_every_case_is_run_once(whole: Trial) -> None:
    """Two topics, two seed sets, four strategies, each within twice the relevant pages."""
    assert len({made.case for made in whole.made}) == len(whole.made) == 16
    assert {made.budget for made in whole.made} == {2 * len(pages_about("bees"))}
    assert whole.taken_over == 0


def test_visits_are_the_pages_in_the_order_fetched(whole: Trial) -> None:
    """Each once, the seed first, and counted as they are relevant."""
    records = {
        Case(*row[:4]): Record.read(row)
        for row in csv.reader((whole.bench.folder / RUNS).read_text().splitlines()[1:])
    }
    for made in whole.made:
        visits = whole.visits(*made.case)
        assert len(set(visits)) == len(visits) == records[made.case].pages == len(made.hits)
        hits = [subject_of(int(visit.rpartition("/")[2])) == made.case.topic for visit in visits]
        assert made.hits.tolist() == hits
        assert records[made.case].relevant == sum(hits)
    assert whole.visits("hives", "cars", "a", "hmm")[0] == url(pages_about("cars")[0])


def test_a_second_spelling_of_a_relevant_page_is_no_further_one(tmp_path: Path) -> None:
    """The truth counts it once, so runs and bounds do."""
    path = write_hives(tmp_path)
    spellings = [f"http://bees0.example/{name}" for name in ("Extra", "extra")]
    with WebWriter(path) as web:
        for spelling in spellings:
            web.write(spelling, 200, [("Content-Type", "text/html")], b"<p>bees keep honey")
    topic = tmp_path / "hives.topics/bees"
    (topic / "relevant.txt").write_text("\n".join([*map(url, pages_about("bees")), *spellings]))
    text = (topic / "topic.toml").read_text()
    (topic / "topic.toml").write_text(text.replace("c = [", f"c = {spellings}\nd = [".replace("'", '"')))
    trial = Trial(tmp_path / "out", path, str(topic))
    runs = [made for made in trial.made if made.case.seed_set == "c"]
    assert [made.hits.tolist()[:3] for made in runs] == [[True, False]] * 4
    limit = trial.experiment.bounds()[runs[0].case.setting]
    assert (limit.targets, limit.upper[-1]) == (26, 1)


def test_each_run_knows_when_it_found_which_host(whole: Trial) -> None:
    """Two hosts hold the relevant pages of each topic."""
    for made in whole.made:
        visits = whole.visits(*made.case)
        for host, found in zip(
            ("0", "4") if made.case.topic == "bees" else ("1", "5"), made.hosts.found, strict=True
        ):
            pages = [n for n, url in enumerate(visits, start=1) if f"//{made.case.topic}{host}." in url]
            assert found == (pages[0] if pages else NEVER)
        assert made.hosts.targets.tolist() == [13, 12]
    assert {made.hosts.share(5, made.budget) for made in whole.made if made.case.strategy == "hmm"} == {1.0}


def test_what_is_learnt_is_used(whole: Trial) -> None:
    """The relevance of pages is nearly that of the truth here, and a crawl that goes by it is far ahead."""
    (folder,) = (whole.bench.folder / "models/hives").glob("bees")
    found = relevances(folder)
    assert len(found) == PAGES
    by_truth = sorted(range(PAGES), key=lambda page: -found[page])[: len(pages_about("bees"))]
    assert set(by_truth) == set(pages_about("bees"))
    relevant = {made.case[1:]: made.hits.sum() for made in whole.made}
    assert relevant["bees", "a", "best_first_content"] > relevant["bees", "a", "random"] + 5


def test_notes_say_what_was_learnt_from(whole: Trial) -> None:
    """A line a topic."""
    assert whole.notes[0].startswith("hives/bees: 6 + 8 examples; F1 ")
    assert whole.seeds == []


def test_the_same_again_makes_nothing_anew(whole: Trial, hives: Path) -> None:
    """And has the same results."""
    before = {
        path: path.stat().st_mtime_ns
        for path in whole.bench.folder.rglob("*.*")
        if path.name not in (".lock", "experiment.json")
    }
    again = Trial(whole.bench.folder, hives)
    assert (again.taken_over, again.made) == (16, [])
    assert {path: path.stat().st_mtime_ns for path in before} == before
    for made in whole.made:
        other = again.experiment.made[made.case]
        assert (other.case, other.reason) == (made.case, made.reason)
        assert np.array_equal(other.hits, made.hits)


def test_what_is_not_whole_is_made_again(whole: Trial, hives: Path) -> None:
    """A file that was cut, a row that was torn, bounds that are gone: the results are the same."""
    first, second = whole.made[3].case, whole.made[7].case
    kept = whole.visits(*first), whole.visits(*second)
    whole.bench.visits(first).write_text("\n".join(kept[0][:5]) + "\n")
    whole.bench.visits(second).unlink()
    runs = whole.bench.folder / "runs.csv"
    runs.write_text(runs.read_text() + "hives,bees,a,br")
    whole.bench.bounds(first.setting).unlink()
    again = Trial(whole.bench.folder, hives)
    assert {made.case for made in again.made} == {first, second}
    assert (again.visits(*first), again.visits(*second)) == kept
    assert set(again.experiment.bounds()) == {made.case.setting for made in whole.made}


def test_what_is_damaged_is_made_again(whole: Trial, hives: Path) -> None:
    """Files that somebody else wrote to count as missing: bounds, visits, and what was learnt."""
    case, other = whole.made[2].case, whole.made[9].case
    lesson = whole.bench.folder / "models/hives/bees/lesson.json"
    damaged = [whole.bench.visits(case), whole.bench.bounds(case.setting), lesson]
    kept = [path.read_bytes() for path in damaged]
    before = whole.experiment.bounds()
    for path in damaged:
        path.write_bytes(b"\xff\xfe" + path.read_bytes()[2:])
    np.savez(
        whole.bench.bounds(other.setting), targets=4, upper=np.arange(3), greedy=[0], one_step=[0]
    )  # whole, but of another budget
    again = Trial(whole.bench.folder, hives)
    assert [made.case for made in again.made] == [case]
    assert [damaged[0].read_bytes(), damaged[2].read_bytes()] == [kept[0], kept[2]]
    after = again.experiment.bounds()
    assert after.keys() == before.keys()
    for setting, limit in before.items():
        assert np.array_equal(after[setting].upper, limit.upper)


@pytest.mark.parametrize("content", [b"", b"x", b"PK\x03\x04", b"\x93NUMPY", b"\x80\x04N."])
def test_no_damage_to_bounds_is_fatal(tmp_path: Path, content: bytes) -> None:
    """Neither an empty file, nor one of another kind, nor an array alone."""
    setting, own = Setting("w", "x", "a"), bench(tmp_path)
    path = own.bounds(setting)
    path.parent.mkdir()
    path.write_bytes(content)
    assert read_bounds(own, setting, 3) is None
    np.save(path.with_suffix(".npy"), np.arange(4))
    path.with_suffix(".npy").replace(path)
    assert read_bounds(own, setting, 3) is None


def test_files_of_a_killed_writer_go(tmp_path: Path) -> None:
    """What was half written is removed when the folder is opened again; a user's own dot-files stay."""
    visits = tmp_path / "out/visits"
    visits.mkdir(parents=True)
    half, own = visits / ".web.topic.a.lpe.txt.4711.unfinished", tmp_path / "out/.gitignore"
    half.write_text("http://a.example/\n")
    own.write_text("*\n")
    (tmp_path / "out/experiment.json").write_text('{"format": 1, "made_of": {}}')
    with ExperimentFolder(tmp_path / "out", {}):
        assert (half.exists(), own.exists()) == (False, True)


@pytest.mark.parametrize("pages", [PAGES - 1, PAGES + 1, 10**9])
def test_no_budget_is_more_than_the_web_has(whole: Trial, hives: Path, tmp_path: Path, pages: int) -> None:
    """Bounds need not be made for pages that nobody can fetch."""
    subjects = find_subjects([hives], "", None)
    with ExperimentFolder(tmp_path / "out", {}) as folder:
        experiment = Experiment(whole.bench, folder, subjects, pages)
        experiment.judge()
    assert {judged.budget for judged in experiment.judged} == {min(pages, PAGES)}


@pytest.mark.parametrize(("pages", "what"), [(7, "pages is twice the relevant ones, 5000 at most, not 7")])
def test_other_settings_are_refused(whole: Trial, hives: Path, pages: int, what: str) -> None:
    """One folder holds runs that can be compared; the line says what differs."""
    with pytest.raises(CrawlError, match=f"holds runs of another experiment \\({what}\\); give the same"):
        Trial(whole.bench.folder, hives, pages=pages)


def test_runs_of_another_version_are_refused(tmp_path: Path) -> None:
    """Nobody can give that again."""
    ExperimentFolder(tmp_path, {"program": "0.1.0 older"}).close()
    with pytest.raises(CrawlError) as caught:
        ExperimentFolder(tmp_path, {"program": "0.1.0 newer"})
    assert str(caught.value) == (
        f"{tmp_path} holds runs of another version (program is 0.1.0 older, not 0.1.0 newer);"
        " name another folder with --out"
    )


def test_a_folder_has_one_writer(whole: Trial) -> None:
    """Another one is refused while it writes."""
    with (
        ExperimentFolder(whole.bench.folder, {}),
        pytest.raises(CrawlError, match="another experiment"),
    ):
        ExperimentFolder(whole.bench.folder, {})


@pytest.mark.parametrize("setting", ["FOCUSED_LINK_THRESHOLD", "FOCUSED_RANDOM_SEED", "FOCUSED_TOPIC_TERMS"])
def test_origin_tells_settings_apart(hives: Path, tmp_path: Path, setting: str) -> None:
    """Of crawl and classifier, but not where things lie."""
    subjects = find_subjects([hives], "", None)
    one = origin(bench(tmp_path), subjects, 0)
    other = bench(tmp_path, **{setting: 1})
    if setting == "FOCUSED_TOPIC_TERMS":
        other = replace(other, classifier=ClassifierSettings(topic_terms=1))
    assert one != origin(other, subjects, 0)
    assert one == origin(bench(tmp_path, FOCUSED_CRAWLS="elsewhere", FOCUSED_PAGES=3), subjects, 0)


def test_origin_knows_all_that_a_topic_is_made_of(tmp_path: Path) -> None:
    """Its thesaurus, and what it learns from where it names no other pages: the topics beside it."""
    path = write_hives(tmp_path)
    bees, cars = (tmp_path / "hives.topics" / name for name in ("bees", "cars"))
    text = (bees / "topic.toml").read_text()
    (bees / "topic.toml").write_text(text.partition("other = ")[0])
    found = [origin(bench(tmp_path), find_subjects([path], "bees", None), 0)]
    (bees / "thesaurus.toml").write_text("[facets.subject]\nentries = '''\nhoney\n'''\n")
    found.append(origin(bench(tmp_path), find_subjects([path], "bees", None), 0))
    (cars / "topic.toml").write_text(
        (cars / "topic.toml").read_text().replace(url(pages_about("cars")[1]), "http://x.example/")
    )
    found.append(origin(bench(tmp_path), find_subjects([path], "bees", None), 0))
    assert len({one["topic hives/bees"] for one in found}) == 3


def test_origin_knows_the_program() -> None:
    """All of it that a run or a bound comes from, each file once."""
    files = program_files()
    assert len(set(files)) == len(files)
    names = {"/".join(path.parts[-2:]) for path in files}
    experiment = {f"experiment/{name}.py" for name in ("training", "work", "bench", "simulator")}
    bounds = {f"virtualweb/{name}.py" for name in ("bounds", "graph", "indexing", "record", "surt")}
    readers = {f"analysed/{path.name}" for path in files[0].parents[1].glob("virtualweb/analysed/*.py")}
    assert len(readers) > 1
    others = {
        "thesaurus/model.py",
        "topic/scope.py",
        "crawl/analysis.py",
        "frontier/base.py",
        "safety/unpacking.py",
        "discovery/sessions.py",
    }
    assert experiment | bounds | readers | others <= names


def test_a_judge_stands_in_for_ground_truth(hives: Path, tmp_path: Path) -> None:
    """It learns from other examples, and all that is written says so."""
    web = tmp_path / "other.warc.gz"
    web.write_bytes(hives.read_bytes())
    write_topic(tmp_path / "other.topics", "cars")
    write_topic(tmp_path / "judges", "cars", skip=8)
    # of six examples of sixty random words the default misses one page of 25
    own = {"classifier": "logistic_regression"}
    trial = Trial(tmp_path / "out", web, judge=tmp_path / "judges", pages=20, **own)
    targets = {limit.targets for limit in trial.experiment.bounds().values()}
    assert targets == {len(pages_about("cars"))}
    said = f"a classifier trained on the examples of {tmp_path / 'judges/cars'}, no ground truth"
    assert set(trial.experiment.judged_by().values()) == {trial.experiment.about()["judged by"]} == {said}


def test_a_topic_without_examples_is_crawled_untrained(hives: Path, tmp_path: Path) -> None:
    """By its words; what needs more cannot be made, and says why."""
    topic = write_topic(tmp_path, "bees") / "topic.toml"
    topic.write_text(topic.read_text().partition("[examples]")[0])
    (subject,) = find_subjects([hives], str(tmp_path / "bees"), None)
    own = bench(tmp_path / "out")
    with ExperimentFolder(own.folder, {}) as folder, Pool(1) as pool:
        experiment = Experiment(own, folder, [subject], 10)
        (note,) = experiment.prepare(pool)
        assert list(experiment.obstacles(STRATEGIES)) == ["hmm"]
        assert experiment.untrained == {}
        experiment.obstacles(["link_classifier", "lpe"])
        assert experiment.untrained == {
            "link_classifier (untrained: best_first_content_anchor)": ["hives/bees"]
        }
    assert note.endswith("too few to train from: untrained")
    assert not analyst_of(own, subject, "random").model.trained
    assert TrainingSummary.read(own.models(subject) / "bees").f1 is None


@pytest.mark.parametrize("others", ["0", "3"])
def test_no_more_is_learnt_from_than_was_asked_for(hives: Path, tmp_path: Path, others: str) -> None:
    """Of pages of other topics, too, which stand in where a topic names no other examples."""
    (subject,) = find_subjects([hives], "bees", None)
    bare = replace(subject, topic=replace(subject.topic, other_examples=()))
    own = bench(tmp_path / "out")
    with ExperimentFolder(own.folder, {}) as folder, Pool(1) as pool:
        (note,) = Experiment(own, folder, with_examples([bare], f"2+{others}"), 10).prepare(pool)
    assert note.startswith(f"hives/bees: 2 + {others} examples; ")


def test_examples_that_the_web_lacks_are_counted(hives: Path, tmp_path: Path) -> None:
    """Those of both kinds together."""
    write_topic(tmp_path, "bees", others=["http://gone.example/1", "http://gone.example/2"])
    trial = Trial(tmp_path / "out", hives, str(tmp_path / "bees"), pages=5)
    assert "6 + 8 examples, 2 are not in the web;" in trial.notes[0]


def test_a_seed_set_that_the_web_lacks_is_refused(hives: Path, tmp_path: Path) -> None:
    """Before anything runs; some missing seeds are only told."""
    topic = write_topic(tmp_path, "bees") / "topic.toml"
    some = topic.read_text().replace(f'c = ["{url(2)}"', 'c = ["http://gone.example/"')
    topic.write_text(some)
    trial = Trial(tmp_path / "some", hives, str(tmp_path / "bees"), pages=5)
    assert trial.seeds == ["hives/bees: 1 of 2 seeds of set c are not in it"]
    topic.write_text(some.replace(url(3), "http://gone.example/3"))
    with pytest.raises(TopicError, match="no start page of seed set c is in the web"):
        Trial(tmp_path / "none", hives, str(tmp_path / "bees"), pages=5)
