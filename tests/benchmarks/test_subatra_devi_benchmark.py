"""The study of Subatra Devi counts the pages of all links that a crawl met, as her Table 3 does."""

from __future__ import annotations

import pytest

from benchmarks.harness import results_of
from benchmarks.studies.crawls import ClassifierCrawler, Start, bench_of, subjects_of, unsteered
from benchmarks.studies.subatra_devi import WITHOUT, measure
from focused_crawler.classify.evaluation import ConfusionMatrix
from focused_crawler.virtualweb.writer import WebWriter
from tests.experiment.hives import write_hives

HONEY = "honey bee " * 9
WEB = {  # URL -> words and links; the first is the seed
    "http://a.example/": (
        HONEY,
        ["http://a.example/honey-bee.html", "http://a.example/tar", "http://b.example/"],
    ),
    "http://a.example/honey-bee.html": (HONEY, ["http://a.example/honeybee/2"]),
    "http://a.example/tar": ("tar", ["http://a.example/feathers"]),
    "http://b.example/": ("tar", []),
    "http://a.example/honeybee/2": (HONEY, []),
    "http://a.example/feathers": ("feathers", []),
}


@pytest.fixture
def small(tmp_path):
    """A web of six pages and the topic "honey bee"."""
    path, folder = tmp_path / "small.warc.gz", tmp_path / "small.topics/bees"
    with WebWriter(path) as web:
        for url, (words, links) in WEB.items():
            anchors = " ".join(f'<a href="{link}">more</a>' for link in links)
            web.write(url, 200, [("Content-Type", "text/html")], f"<p>{words}</p>{anchors}".encode())
    folder.mkdir(parents=True)
    seeds = '"http://a.example/"'
    (folder / "topic.toml").write_text(f'name = "bees"\nkeywords = ["honey bee"]\nseeds = [{seeds}]\n')
    (folder / "relevant.txt").write_text("http://a.example/\nhttp://a.example/tar\n")
    return path


def test_her_table_by_hand(small, tmp_path):
    """The seed says the words often enough: all its links pass; the page about tar lets none pass."""
    report = measure(web=small, pages="2,6", thresholds="2.1,9", processes=1, plots=tmp_path)
    rows = report.rows["crawls"].where(weights=["0.2,0.2,0.3", ""])
    found = {
        (row["judge"], row["threshold"], row["pages"]): (
            row["retrieved"],
            row["met"],
            row["relevant"],
            row["all"],
        )
        for row in rows
    }
    assert found["URL", "2.1", 6] == (5, 6, 2, 2)  # not the feathers, which only the page about tar links to
    assert found["URL", "", 6] == (6, 6, 2, 2)
    assert found["truth", "2.1", 6] == (5, 6, 2, 2)
    assert found["URL", "9", 6][0] == 1  # nothing passes
    assert found["truth", "", 2][0] == 2
    assert sorted(path.name for path in tmp_path.glob("*.png")) == [
        f"figures_5_to_8_{judge}.png" for judge in ("truth", "url")
    ]


def test_what_was_met_and_not_retrieved_counts_as_well(tmp_path):
    """As a confusion matrix over all pages that are linked from a fetched one."""
    web = write_hives(tmp_path)
    rows = measure(web=web, pages="5,20", processes=1).rows["crawls"]
    for subject in subjects_of(web):
        crawler = ClassifierCrawler(unsteered(bench_of(tmp_path, {"FOCUSED_CLASSIFIER": "vsm"})), subject, 20)
        crawler.known = {}
        visits = crawler.simulated(crawler.analyst(WITHOUT), Start("a")).visits
        for pages in (5, 20):
            fetched = set(visits[:pages])
            met = fetched.union(*(crawler.web.graph.out(page).tolist() for page in fetched))
            pairs = ((page in fetched, bool(crawler.relevant[page])) for page in met)
            expected = ConfusionMatrix.from_pairs(pairs)
            row = rows.where(topic=subject.topic.name, threshold="", judge="truth", pages=pages)[0]
            assert row["met"] == expected.total
            assert row["precision"] == pytest.approx(100 * expected.precision)
            assert row["recall"] == pytest.approx(100 * expected.recall)
            assert row["accuracy"] == pytest.approx(100 * expected.accuracy)
    grids, _ = results_of(measure, type("R", (), {"rows": {"crawls": rows}, "figures": {}})())
    assert [len(grid.rows) for grid in grids] == [4, 11, 4, 12]
