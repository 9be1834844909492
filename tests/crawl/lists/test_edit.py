"""What a person says of sites and hubs, and of crawls that were counted."""

from __future__ import annotations

import pytest

from focused_crawler.crawl.lists.counts import count_crawl
from focused_crawler.crawl.lists.edit import forget, mark
from focused_crawler.crawl.lists.lists import Lists
from focused_crawler.safety.errors import ConfigError
from tests.crawl.lists.crawls import crawl, site


@pytest.fixture
def lists(tmp_path):
    with Lists(tmp_path / "lists.db") as lists:
        yield lists


@pytest.mark.parametrize("name", ["a.org", "www.A.org", "https://a.org", "http://www.a.org/"])
def test_a_site_is_known_by_its_host(name, lists):
    """As people write it."""
    assert mark(lists, name, "kept", None) == "a.org"
    assert [(one.site, one.mark) for one in lists.sites()] == [("a.org", "kept")]


def test_a_url_with_a_path_is_a_hub(lists):
    """A page, and not its site."""
    assert mark(lists, "HTTPS://a.org/links#x", "banned", "spam") == "https://a.org/links"
    assert [(hub.url, hub.mark, hub.note) for hub in lists.hubs()] == [
        ("https://a.org/links", "banned", "spam")
    ]
    assert lists.sites() == []


@pytest.mark.parametrize("name", ["a.org", "https://a.org/links"])
def test_a_note_stays_until_another_is_given(name, lists):
    """Also when the mark is another."""
    mark(lists, name, "kept", "by Ann")
    mark(lists, name, "banned", None)
    (one,) = [*lists.sites(), *lists.hubs()]
    assert (one.mark, one.note) == ("banned", "by Ann")


def test_what_is_no_name_is_refused(lists):
    """With an example."""
    with pytest.raises(ConfigError, match="give a host"):
        mark(lists, "my favourite site", "kept", None)


def test_crawls_are_forgotten_by_folder_or_name(lists, tmp_path):
    """Of several crawls of a name the folder means its own; a wrong name is told which there are."""
    folders = [
        crawl(tmp_path / place / "1", site("a.org", 3), started=start)
        for place, start in (("x", 1), ("y", 2))
    ]
    for folder in folders:
        lists.count(count_crawl(folder, "bees"))
    assert forget(lists, str(folders[0])) == 1
    with pytest.raises(ConfigError, match="no crawl 2 is counted here; these are: 1"):
        forget(lists, "2")
    assert forget(lists, "1") == 1
    with pytest.raises(ConfigError, match="these are: none"):
        forget(lists, str(folders[1]))
