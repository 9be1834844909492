"""Sessions and their pages -> pi, A, B and clusters."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from focused_crawler.classify.hmm.model import HmmModel
from focused_crawler.classify.hmm.sessions import Session, single_visits
from focused_crawler.classify.hmm.training import train_hmm
from focused_crawler.classify.model_file import HMM, write_model
from focused_crawler.classify.settings import HmmSettings
from focused_crawler.safety.errors import ConfigError, ModelError, TopicError
from tests.hmm import SESSIONS, TOPIC, WORDS, page, small_hmm


def test_shares_are_counted():
    """Worked out by hand, each count one higher: levels root 2, hub 1, robot and arm 0, cake 3."""
    chain = small_hmm().chain
    assert chain.startprob_ == pytest.approx(np.array([3, 2, 2, 2]) / 9)
    steps = [[2, 1, 1, 1], [2, 1, 1, 1], [1, 2, 1, 2], [1, 1, 1, 1]]
    assert chain.transmat_ == pytest.approx(np.array([np.array(row) / sum(row) for row in steps]))
    assert chain.emissionprob_[0] == pytest.approx(np.array([3, 1, 1]) / 5)
    assert chain.emissionprob_.sum(axis=1) == pytest.approx(np.ones(4))


def test_clusters():
    """C0 is what is relevant; K-means puts hub and cake together, which share a word."""
    clusters = small_hmm().clusters
    arm, cake, hub, robot, root = clusters.clusters.tolist()
    assert arm == robot == 0
    assert hub == cake != root
    assert {hub, root} == {1, 2}


@pytest.mark.parametrize(
    ("words", "neighbours", "like"),
    [
        ({"robot": 3.0}, 5, "robot"),
        ({"cake": 1.0, "list": 1.0}, 1, "hub"),
        ({"menu": 1.0}, 1, "root"),
        ({"news": 1.0, "menu": 2.0}, 2, "root"),
    ],
)
def test_nearest_neighbours_vote(words, neighbours, like):
    """As many votes: the more similar pages win."""
    clusters = small_hmm().clusters
    expected = dict(zip(sorted(WORDS), clusters.clusters.tolist(), strict=True))[like]
    assert clusters.nearest(words, neighbours) == expected


@pytest.mark.parametrize("words", [{}, {"unknown": 2.0}])
def test_a_page_without_known_terms_has_no_neighbours(words):
    """It is in no cluster."""
    assert small_hmm().clusters.nearest(words, 5) is None


def test_fewer_pages_than_clusters():
    """Each is a cluster of its own."""
    assert set(small_hmm(clusters=50).clusters.clusters.tolist()) == {0, 1, 2, 3}


def test_only_relevant_pages():
    """Then there is only C0."""
    sessions = [Session(("robot", "arm"), (True, True))]
    pages = {name: page(WORDS[name], name) for name in ("robot", "arm")}
    assert train_hmm(TOPIC, sessions, pages, HmmSettings()).chain.emissionprob_.tolist() == [[1.0]] * 4


def test_pages_that_could_not_be_had():
    """They count as steps of a path, but nothing is known of how they look."""
    whole = small_hmm()
    part = train_hmm(TOPIC, SESSIONS, {"arm": page(WORDS["arm"])}, HmmSettings())
    assert part.pages == 1
    assert part.chain.transmat_ == pytest.approx(whole.chain.transmat_)
    with pytest.raises(TopicError, match="robots: none of the 2 relevant pages of its sessions could be had"):
        train_hmm(TOPIC, SESSIONS, {"root": page("news")}, HmmSettings())


def test_a_page_counts_once():
    """Examples may have another spelling of its URL, or one that redirects to it; a redirect is no step."""
    moved = {name: f"http://robots.example/{name}" for name in WORDS}
    pages = {url: page(WORDS[name], url) for name, url in moved.items()}
    sessions = [session.renamed(moved) for session in SESSIONS]
    whole = train_hmm(TOPIC, sessions, pages, HmmSettings())
    www, old = "https://www.robots.example/robot/", "http://old.example/arm"
    twice = pages | {www: page(WORDS["robot"], www), old: page(WORDS["arm"], moved["arm"])}
    longer = replace(
        sessions[0], urls=(*sessions[0].urls[:3], old, moved["arm"]), relevant=(*[False] * 2, *[True] * 3)
    )
    again = train_hmm(TOPIC, [longer, sessions[1], *single_visits([www, old], [])], twice, HmmSettings())
    assert again.pages == whole.pages == 5
    for name in ("startprob_", "transmat_", "emissionprob_"):
        assert getattr(again.chain, name) == pytest.approx(getattr(whole.chain, name))


def test_the_same_again():
    """The order of pages and the run do not matter."""
    pages = {name: page(words, name) for name, words in reversed(WORDS.items())}
    again = train_hmm(TOPIC, SESSIONS, pages, HmmSettings(clusters=2))
    assert again.chain.emissionprob_.tolist() == small_hmm().chain.emissionprob_.tolist()


@pytest.mark.parametrize(
    ("name", "value", "cure"),
    [("levels", 1, "from 2 to 128"), ("clusters", 0, "of 1 or more"), ("random_seed", -1, "of 0 or more")],
)
def test_settings_are_checked(name, value, cure):
    """The value is named, with what would be right."""
    with pytest.raises(ConfigError, match=f"{name} is {value}; use a whole number {cure}"):
        HmmSettings(**{name: value})


def test_a_saved_model_is_the_same(tmp_path):
    """Its files hold numbers and words only."""
    model = small_hmm()
    model.save(tmp_path / "model")
    read = HmmModel.load(tmp_path / "model")
    assert sorted(path.name for path in (tmp_path / "model").iterdir()) == ["hmm.json", "hmm.npz"]
    assert (read.topic, read.sessions, read.pages) == ("robots", 2, 5)
    assert read.chain.transmat_.tolist() == model.chain.transmat_.tolist()
    assert read.clusters.centroid.weights == pytest.approx(model.clusters.centroid.weights)
    for words in ({"cake": 1.0}, {"robot": 1.0, "list": 3.0}, {"news": 1.0}):
        assert read.clusters.nearest(words, 2) == model.clusters.nearest(words, 2)


@pytest.mark.parametrize(
    "spoil",
    [lambda header: header.pop("A"), lambda header: header.update(B=[[]]), lambda header: header.clear()],
)
def test_a_broken_model_is_refused(tmp_path, spoil):
    """One line that names the folder and what to type."""
    small_hmm().save(tmp_path)
    header = json.loads((tmp_path / "hmm.json").read_text())
    spoil(header)
    (tmp_path / "hmm.json").write_text(json.dumps(header))
    with pytest.raises(ModelError, match=f"the model in {tmp_path} cannot be used .* scrapy train"):
        HmmModel.load(tmp_path)


@pytest.mark.parametrize(
    "clusters", [[0, 1, 2, 10**12, 0], [0, -1, 0, 1, 2], [[0, 1, 2, 1, 0]], [0.5] * 5], ids=str
)
def test_pages_in_no_cluster(tmp_path, clusters):
    """The first page of a crawl asked for as much memory as the number of its cluster."""
    small_hmm().save(tmp_path)
    header = json.loads((tmp_path / "hmm.json").read_text())
    del header["weights_sha256"]
    with np.load(tmp_path / "hmm.npz") as arrays:
        write_model(tmp_path, header, {**arrays, "clusters": np.array(clusters)}, HMM)
    with pytest.raises(ModelError, match="in no cluster"):
        HmmModel.load(tmp_path)


def test_rows_of_no_matrix(tmp_path):
    """SciPy's own check passes them, and the process ends with a segmentation fault."""
    small_hmm().save(tmp_path)
    header = json.loads((tmp_path / "hmm.json").read_text())
    del header["weights_sha256"]
    with np.load(tmp_path / "hmm.npz") as arrays:
        rows = np.zeros_like(arrays["indptr"])
        rows[1:-1:2] = len(arrays["data"])
        write_model(tmp_path, header, {**arrays, "indptr": rows}, HMM)
    with pytest.raises(ModelError, match="rows of a matrix"):
        HmmModel.load(tmp_path)
