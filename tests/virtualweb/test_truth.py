from __future__ import annotations

from pathlib import Path

import pytest

from focused_crawler.safety.errors import WebError
from focused_crawler.virtualweb.truth import GroundTruth, topics_folder


def write(folder: Path, text: str) -> Path:
    folder.mkdir(parents=True)
    (folder / "relevant.txt").write_text(text, encoding="utf-8")
    return folder


def test_spellings_are_one_page() -> None:
    """Truth is looked up as the web is."""
    truth = GroundTruth(["https://www.a.example/Page/", "http://a.example/page", "http://b.example/"])
    assert len(truth) == 2
    assert truth.is_relevant("http://A.example/page#top")
    assert not truth.is_relevant("http://a.example/")


def test_truth_lies_beside_its_web(tmp_path: Path) -> None:
    """A web without that topic has no truth about it."""
    write(tmp_path / "w.topics" / "tea", "http://a.example/\n\n# a comment\nhttp://b.example/\n")
    truth = GroundTruth.beside(tmp_path / "w.warc.gz", "tea")
    assert truth is not None
    assert truth.urls == ("http://a.example/", "http://b.example/")
    assert GroundTruth.beside(tmp_path / "w.warc.gz", "coffee") is None
    assert GroundTruth.beside(tmp_path / "other.warc.gz", "tea") is None


@pytest.mark.parametrize("name", ["w.warc.gz", "w.warc", "w"])
def test_the_topics_folder_drops_the_endings(name: str) -> None:
    """Compressed or not, the folder has one name."""
    assert topics_folder(Path("x") / name) == Path("x/w.topics")


def test_truth_can_be_given_by_its_folder(tmp_path: Path) -> None:
    """An explicit topic folder may hold truth, too; most do not."""
    assert GroundTruth.of_topic(tmp_path) is None
    truth = GroundTruth.of_topic(write(tmp_path / "tea", "http://a.example/\n"))
    assert truth is not None
    assert len(truth) == 1


def test_unreadable_truth_is_one_clear_line(tmp_path: Path) -> None:
    """Truth that is there but broken is never taken for none."""
    (tmp_path / "relevant.txt").write_bytes(b"\xff\xfe\xff")
    with pytest.raises(WebError, match="one URL a line"):
        GroundTruth.of_topic(tmp_path)


def test_pages_are_marked_in_their_order(tmp_path: Path) -> None:
    """By lookup key, as one page at a time is."""
    truth = GroundTruth.of_topic(write(tmp_path / "tea", "http://a.example/\n"))
    assert truth is not None
    assert truth.among(["http://b.example/", "https://www.a.example"]).tolist() == [False, True]
    assert truth.among([]).shape == (0,)
