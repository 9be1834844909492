"""`scrapy taxonomy`, as it is typed."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from focused_crawler.classify.taxonomy.classifier import TaxonomyModel
from focused_crawler.classify.taxonomy.folder import load_tree
from focused_crawler.edge.commands.taxonomy import readable_topics
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.item import PageItem
from focused_crawler.store.job import RunInfo, write_run
from focused_crawler.store.pages import PageStore
from focused_crawler.topic.topic import load_topic, topic_names
from tests.project import Done, Scrapy


@pytest.fixture(scope="module")
def topics(demo_web: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The topics of the demo web, without its ground truth, to be written to."""
    folder = tmp_path_factory.mktemp("topics")
    for name in topic_names(demo_web.parent / "demo.topics"):
        (folder / name).mkdir()
        shutil.copy(demo_web.parent / "demo.topics" / name / "topic.toml", folder / name)
    return folder


@pytest.fixture(scope="module")
def imported(scrapy: Scrapy, topics: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Done, Path]:
    """What the import of all their examples said, and the taxonomy's folder."""
    folder = tmp_path_factory.mktemp("tree")
    lines = ["no line\n"]
    for name in topic_names(topics):
        place = f"Top/Science/{name}" if name == "astronomy" else f"Top/Life/{name}"
        lines += [f"{place}\t{url}\n" for url in load_topic(name, topics).relevant_examples]
    (folder / "list.tsv").write_text("".join(lines))
    return scrapy.run("taxonomy", "import", folder / "list.tsv", "--into", folder / "tree"), folder / "tree"


@pytest.fixture(scope="module")
def trained(scrapy: Scrapy, imported: tuple[Done, Path], demo_web: Path) -> tuple[Done, Path]:
    """What the training of that tree on the demo web said, and its folder."""
    folder = imported[1]
    done = scrapy.run("taxonomy", "train", "--taxonomy", folder, "-s", f"FOCUSED_WEB={demo_web}")
    return done, folder


def test_import_counts_what_came_in_and_what_did_not(imported: tuple[Done, Path], topics: Path) -> None:
    """Categories, examples, and the lines left out, by reason."""
    done, folder = imported
    leaves, examples = len(topic_names(topics)), 30 * len(topic_names(topics))
    assert (done.code, done.err) == (0, "")
    assert done.out.endswith(
        f"{folder}: {leaves + 3} new categories, {examples} new examples,\n"
        "  0 known before; 1 line left out: not a category and a URL 1x\n"
    )
    assert len(load_tree(folder).leaves) == leaves


def test_training_prints_a_table_and_saves_a_model(trained: tuple[Done, Path]) -> None:
    """A row a category; the words of the demo web are easy to tell apart."""
    done, folder = trained
    assert (done.code, done.err) == (0, "")
    assert re.search(r"top/science/astronomy +30( +\d\.\d\d){3}", done.out)
    accuracy = re.search(r"(\d+)% of the pages held out have their own leaf as the best one", done.out)
    assert accuracy is not None
    assert int(accuracy[1]) > 80
    assert done.out.endswith(f"/model\nNext: scrapy taxonomy map --topic TOPIC --taxonomy {folder}\n")
    assert TaxonomyModel.load(folder / "model").tree.paths == load_tree(folder).paths


def test_a_topics_examples_are_mapped_to_their_category(
    scrapy: Scrapy, trained: tuple[Done, Path], topics: Path, demo_web: Path
) -> None:
    """Each page with its best leaves, then what holds them all, then what to type."""
    done = scrapy.run(
        *("taxonomy", "map", "--topic", topics / "astronomy", "--taxonomy", trained[1]),
        *("-s", f"FOCUSED_WEB={demo_web}"),
    )
    assert (done.code, done.err) == (0, "")
    assert re.search(r"\n top/science/astronomy +(2[5-9]|30) +\d+% +1 of 1 *\n", done.out)
    assert 'For topic.toml:\n  [taxonomy]\n  good = ["top/science/astronomy"]\n' in done.out
    marking = f"scrapy taxonomy mark {topics / 'astronomy'} top/science/astronomy"
    assert done.out.endswith(f"{marking} --taxonomy {trained[1]}\n")


def test_saved_pages_are_mapped_too(scrapy: Scrapy, trained: tuple[Done, Path], tmp_path: Path) -> None:
    """By their paths, on which no code for the terminal stays; nothing is fetched."""
    mine = tmp_path / "mine\x1b[31m.html"
    mine.write_text("<title>Stars</title><p>telescope galaxy orbit comet planet nebula")
    done = scrapy.run("taxonomy", "map", mine, "--taxonomy", trained[1])
    assert (done.code, done.err) == (0, "")
    assert "\x1b" not in done.out
    assert "scrapy taxonomy mark TOPIC top/" in done.out


@pytest.fixture
def astronomy(topics: Path, tmp_path: Path) -> Path:
    """A copy of the topic, to be marked."""
    return Path(shutil.copytree(topics / "astronomy", tmp_path / "astronomy"))


def test_marks_are_written_shown_and_taken_away(
    scrapy: Scrapy, imported: tuple[Done, Path], astronomy: Path
) -> None:
    """The rest of topic.toml stays as it was."""
    before = (astronomy / "topic.toml").read_text()
    words = (astronomy, "top/life/", "/top/science/astronomy", "--taxonomy", imported[1])
    done = scrapy.run("taxonomy", "mark", *words)
    assert (done.code, done.err) == (0, "")
    assert re.fullmatch(
        r"Good for astronomy:\n  top/life: \d leaves\n  top/science/astronomy: a leaf\n", done.out
    )
    assert load_topic(str(astronomy)).good_categories == ("top/life", "top/science/astronomy")
    assert (astronomy / "topic.toml").read_text().startswith(before)
    shown = scrapy.run("taxonomy", "show", "--topic", astronomy, "--taxonomy", imported[1])
    assert re.search(r"├── life \d+ below good for astronomy\n", shown.out)
    done = scrapy.run("taxonomy", "mark", *words, "--remove")
    assert done.out == "No category is good for astronomy.\n"
    assert load_topic(str(astronomy)).good_categories == ()


def test_a_mark_of_no_category_is_warned_of(
    scrapy: Scrapy, imported: tuple[Done, Path], astronomy: Path
) -> None:
    """With what to type, which takes it away."""
    with (astronomy / "topic.toml").open("a") as file:
        file.write('\n[taxonomy]\ngood = ["gone/since"]\n')
    words = ("taxonomy", "mark", astronomy)
    done = scrapy.run(*words, "top/life", "--taxonomy", imported[1])
    assert done.code == 0
    assert done.err == (
        "warning: the taxonomy has no category gone/since, and no crawl can use the mark; type:"
        f" scrapy taxonomy mark {astronomy} gone/since --remove --taxonomy {imported[1]}\n"
    )
    assert "gone" not in done.out
    assert scrapy.run(*words, "gone/since", "--remove", "--taxonomy", imported[1]).err == ""
    assert load_topic(str(astronomy)).good_categories == ("top/life",)


def test_the_starter_tree_is_shown_by_default(scrapy: Scrapy) -> None:
    """With the topics that stand in it."""
    done = scrapy.run("taxonomy", "show")
    assert (done.code, done.err) == (0, "")
    assert re.search(r"── asthma \d+ asthma", done.out)


def test_a_broken_topic_hides_none_of_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is warned of in one line."""
    monkeypatch.setenv("FOCUSED_TOPICS", str(tmp_path))
    for name, text in (
        ("bees", "name = bees"),
        ("tea", 'name = "tea"\nkeywords = ["tea"]\nseeds = ["http://t.example/"]'),
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name / "topic.toml").write_text(text)
    names = [topic.name for topic in readable_topics()]
    assert "tea" in names
    assert "bees" not in names
    assert re.fullmatch(r"warning: .*bees/topic\.toml:1: no valid TOML: .*\n", capsys.readouterr().err)


@pytest.fixture
def crawl(tmp_path: Path) -> Path:
    """A crawl of astronomy that met pages which lead back to it."""
    with CrawlDatabase(tmp_path / "crawl.db") as database:
        store = PageStore(database)
        for number in range(20):
            category = "top/science/astronomy" if number < 10 else "top/life/cooking"
            url = f"http://n.example/{number}"
            store.record_page(
                PageItem(url=url, fetched_at=1.0, relevance=1.0, is_relevant=number < 10, category=category)
            )
            store.record_links(url, [("http://n.example/0", "", 0, 0.5)])
        store.commit()
    write_run(tmp_path, RunInfo("astronomy", "Astronomy", "1", "soft_focus", "", None, trained=True))
    return tmp_path


def test_related_classes_are_suggested(
    scrapy: Scrapy, imported: tuple[Done, Path], astronomy: Path, crawl: Path
) -> None:
    """With the marks that there are, so that the line can be typed as it stands."""
    tree = ("--taxonomy", imported[1])
    done = scrapy.run("taxonomy", "related", crawl, "--topic", astronomy, *tree)
    assert done.err.startswith("error: astronomy marks no category of the taxonomy as good; find one with")
    scrapy.run("taxonomy", "mark", astronomy, "top/science/astronomy", *tree)
    done = scrapy.run("taxonomy", "related", crawl, "--topic", astronomy, *tree)
    assert (done.code, done.err) == (0, "")
    assert re.search(r"top/life/cooking +10 +0 +10 +yes", done.out)
    assert 'good = ["top/life/cooking", "top/science/astronomy"]' in done.out


def bare_tree(folder: Path, text: str = "") -> Path:
    (folder / "category.toml").write_text(text)
    return folder


def listing_file(folder: Path) -> Path:
    (folder / "list.tsv").write_text("a/b\thttp://b.example/\n")
    return folder / "list.tsv"


MISTAKES: dict[str, tuple[Callable[[Path], list[object]], str]] = {
    "nothing": (lambda f: [], "use one of: scrapy taxonomy show, train, map, mark, "),
    "action": (lambda f: ["prune"], "undo; -h shows what each takes; not prune"),
    "too many": (lambda f: ["train", "asthma"], "scrapy taxonomy train; not train asthma"),
    "no taxonomy": (
        lambda f: ["show", "--taxonomy", f],
        "category.toml: not found; give the folder of a tax",
    ),
    "setting": (
        lambda f: ["show", "-s", f"FOCUSED_TAXONOMY={f}"],
        "category.toml: not found; give the folder",
    ),
    "no examples": (
        lambda f: ["train", "--taxonomy", bare_tree(f)],
        "the taxonomy has 0 categories with examples; a model needs two side by side: add URLs",
    ),
    "no model": (
        lambda f: ["map", "http://a.example/", "--taxonomy", bare_tree(f)],
        "no taxonomy model in",
    ),
    "no page": (lambda f: ["map"], "name pages, as in scrapy taxonomy map https://..."),
    "no URL": (lambda f: ["map", "ftp://a.example/"], "'ftp://a.example/' is no http or https URL"),
    "no file": (lambda f: ["map", f / "gone.html"], "gone.html does not exist"),
    "category": (
        lambda f: ["mark", "asthma", "illness/asthma"],
        "the taxonomy has no category 'illness/asthma'; did you mean health/asthma",
    ),
    "root": (lambda f: ["mark", "asthma", "/"], "the top of the tree holds every page; mark a"),
    "not marked": (
        lambda f: ["mark", "asthma", "sports", "--remove"],
        "asthma does not mark sports; its good categories: health/asthma",
    ),
    "long name of a page": (lambda f: ["map", f"{'x' * 300}.html"], ".html: cannot be used: File name too"),
    "long name of a tree": (lambda f: ["show", "--taxonomy", "x" * 300], "cannot be used: File name too"),
    "long name of a crawl": (lambda f: ["related", "x" * 300], "cannot be used: File name too long"),
    "long name to import to": (
        lambda f: ["import", listing_file(f), "--into", "x" * 300],
        "cannot be used: File name too long; name another",
    ),
    "no crawl": (lambda f: ["related", f], "holds no crawl; name its folder, such as crawls/"),
    "no list": (lambda f: ["import", f / "gone.tsv", "--into", f], "gone.tsv: cannot be read: No such file"),
    "empty list": (
        lambda f: ["import", bare_tree(f, "x") / "category.toml", "--into", f],
        "lists no category (1 line left out: not a category and a URL 1x); write category/path, a tab",
    ),
}


@pytest.mark.parametrize("is_crawl", [False, True])
def test_a_model_that_is_missing_is_made_where_it_is_looked_for(
    is_crawl: bool, tmp_path: Path, scrapy: Scrapy
) -> None:
    """The command that is named has the tree and the folder of models that this one was given."""
    tree, models = bare_tree(tmp_path), f"FOCUSED_MODELS={tmp_path}/my models"
    words = ["taxonomy", "map", "http://a.example/", "--taxonomy", tree]
    if is_crawl:
        words = ["crawl", "asthma", "-a", "strategy=soft_focus", "-s", f"FOCUSED_TAXONOMY={tree}"]
    done = scrapy.run(*words, "-s", models)
    assert done.err.endswith(f"make it with: scrapy taxonomy train --taxonomy {tree} -s '{models}'\n")


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_end_in_one_line(name: str, tmp_path: Path, scrapy: Scrapy) -> None:
    """It names what is wrong and what would be right; exit code 2."""
    make, message = MISTAKES[name]
    done = scrapy.run("taxonomy", *make(tmp_path))
    assert done.err.startswith("error: ")
    assert message in done.err
    assert (done.err.count("\n"), done.out, done.code) == (1, "", 2)
