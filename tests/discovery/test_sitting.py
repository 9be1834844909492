"""What is said in a sitting is in the file at once, once, and can be taken back."""

from __future__ import annotations

import pytest

from focused_crawler.discovery.label_queues import ToLabel
from focused_crawler.discovery.sitting import Sitting
from focused_crawler.topic.label import Label, Undo
from focused_crawler.topic.labels import add_answer, append, read_labels, undo

TEXT = "0" * 32


def url(number):
    return f"http://a.example/{number}"


def label(number, answer, by="Ana", queue="near"):
    return Label(url=url(number), label=answer, by=by, queue=queue, text=TEXT)


def sitting(folder, pages, queue="uncertain", by="Ana"):
    return Sitting(folder=folder, queue=queue, by=by, crawl="1", pages=pages)


def said(folder):
    return [(int(one.url[-1]), one.label, one.queue) for one in read_labels(folder).labels]


def give(made, *answers):
    for answer in answers:
        assert made.give(made.next_page(), answer, TEXT)


def test_what_is_said_is_stored_at_once(tmp_path):
    """In order; a page that is skipped has no label; then nothing is left."""
    made = sitting(tmp_path, [ToLabel(url(number)) for number in range(4)])
    for count, answer in enumerate(["yes", "skip", "no", "unsure"]):
        assert (made.asked, len(made.said)) == (4, count)
        give(made, answer)
        assert len(said(tmp_path)) == count + (count == 0)
    assert made.next_page() is None
    assert said(tmp_path) == [(0, "yes", "uncertain"), (2, "no", "uncertain"), (3, "unsure", "uncertain")]
    assert made.outcome().startswith("3 labels by Ana in ")
    assert made.outcome().endswith("labels.jsonl: 1 yes, 1 no, 1 unsure, 1 skipped.")
    one = read_labels(tmp_path).labels[0]
    assert (one.by, one.crawl, one.text) == ("Ana", "1", TEXT)


def test_all_of_it_can_be_taken_back(tmp_path):
    """Skips as well; what was taken back is asked again, and nothing is left to take back in the end."""
    made = sitting(tmp_path, [ToLabel(url(number)) for number in range(3)])
    give(made, "yes", "skip", "no")
    assert [made.take_back().word for _ in range(3)] == ["no", "skipped", "yes"]
    assert (made.take_back(), said(tmp_path), made.next_page().url) == (None, [], url(0))
    give(made, "no")
    assert said(tmp_path) == [(0, "no", "uncertain")]


def test_two_tabs_have_two_pages(tmp_path):
    """Which are out is known; where all are, a tab that was closed may have had it."""
    made = sitting(tmp_path, [ToLabel(url(number)) for number in range(2)])
    assert made.next_page(out={url(0)}).url == url(1)
    assert made.next_page(out={url(0), url(1)}).url == url(0)
    assert made.page(url(1)).url == url(1)
    give(made, "yes")
    assert (made.page(url(0)), made.page("http://b.example/")) == (None, None)


@pytest.mark.parametrize("queue", ["uncertain", "random"])
def test_no_page_is_labelled_twice(tmp_path, queue):
    """Another program, or the answer of a server that was killed, came first: that label stays."""
    pages = [ToLabel(url(number)) for number in range(2)]
    first, second = sitting(tmp_path, pages, queue), sitting(tmp_path, pages, queue)
    give(first, "yes")
    assert not second.give(second.next_page(), "no", TEXT)
    assert said(tmp_path) == [(0, "yes", queue)]
    assert (second.asked, second.next_page().url, second.said) == (1, url(1), [])
    give(second, "no")
    assert not first.give(first.next_page(), "yes", TEXT)
    assert first.next_page() is None
    assert first.outcome().startswith("1 label by Ana")


def test_a_page_may_be_asked_about_again(tmp_path):
    """By a person who said something of it, as long as they say nothing else of it meanwhile."""
    earlier = label(0, "no")
    append(tmp_path, [label(0, "no", "Bo"), earlier])
    before = earlier.id
    made = sitting(tmp_path, [ToLabel(url(0), before=before)])
    give(made, "yes")
    assert made.take_back().word == "yes"
    give(made, "unsure")
    assert [one.label for one in read_labels(tmp_path).labels if one.by == "Ana"] == ["no", "unsure"]
    assert not add_answer(tmp_path, label(0, "yes"), before)
    assert undo(tmp_path, "Ana").label == "unsure"
    assert add_answer(tmp_path, label(0, "yes"), before)


def test_a_sample_takes_over_what_was_said_elsewhere(tmp_path):
    """Of the pages before one that is answered, once; of the rest as the queue ends. A skip is unsure."""
    known = [label(0, "no"), label(2, "yes"), label(4, "unsure")]
    append(tmp_path, known)
    by_page = {int(one.url[-1]): one for one in known}
    made = sitting(
        tmp_path, [ToLabel(url(number), known=by_page.get(number)) for number in range(5)], "random"
    )
    assert (made.asked, [page.url for page in made.left]) == (2, [url(1), url(3)])
    give(made, "skip", "yes")
    assert sorted(one for one in said(tmp_path) if one[2] == "random") == [
        (0, "no", "random"),
        (1, "unsure", "random"),
        (2, "yes", "random"),
        (3, "yes", "random"),
    ]
    made.end()
    made.end()
    assert sorted(one for one in said(tmp_path) if one[2] == "random")[4:] == [(4, "unsure", "random")]
    assert made.outcome().endswith("1 yes, 1 unsure; 3 of before taken over into the sample.")


def test_what_is_said_meanwhile_is_newer(tmp_path):
    """A label that was corrected, or taken back, while the sample was gone through stays so."""
    known = [label(number, "yes") for number in range(4)]
    append(tmp_path, known)
    pages = [ToLabel(one.url, known=one) for one in known]
    pages[1:1] = [ToLabel(url(8))]
    made = sitting(tmp_path, pages, "random")
    for number in (0, 2):
        append(tmp_path, [label(number, "no", queue="page")])
    append(tmp_path, [Undo(undoes=known[3].id, by="Ana")])
    give(made, "yes")
    made.end()
    labels = read_labels(tmp_path)
    assert {int(one.url[-1]): one.answer for one in labels.by_key.values()} == {
        0: False,
        1: True,
        2: False,
        8: True,
    }
    assert sorted(one for one in said(tmp_path) if one[2] == "random") == [
        (0, "no", "random"),
        (1, "yes", "random"),
        (2, "no", "random"),
        (8, "yes", "random"),
    ]
    assert undo(tmp_path, "Ana").url == url(8)
