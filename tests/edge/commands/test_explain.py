"""`scrapy explain`, as it is typed."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from focused_crawler.safety.formats import plural
from focused_crawler.topic.topic import load_topic
from focused_crawler.virtualweb.writer import WebWriter
from tests.project import Done, Job, Scrapy, crawl
from tests.small_taxonomy import save_small_taxonomy

OPENWEB = Path(__file__).parents[4] / "shared/webs/openweb.warc.gz"


@pytest.fixture(scope="module")
def topic(demo_web: Path) -> Path:
    return demo_web.parent / "demo.topics/astronomy"


@pytest.fixture(scope="module")
def models(scrapy: Scrapy, demo_web: Path, topic: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the model of astronomy, trained on the demo web."""
    folder = tmp_path_factory.mktemp("models")
    done = scrapy.run("train", topic, "-s", f"FOCUSED_WEB={demo_web}", "-s", f"FOCUSED_MODELS={folder}")
    assert done.code == 0, done.err
    return folder


@pytest.fixture(scope="module")
def explain(scrapy: Scrapy, demo_web: Path, topic: Path, models: Path) -> Callable[..., Done]:
    """Runs the command on a page of the demo web."""
    settings = ("-s", f"FOCUSED_WEB={demo_web}", "-s", f"FOCUSED_MODELS={models}")
    return lambda *words: scrapy.run("explain", *words, "--topic", topic, *settings)


def relevance(done: Done) -> float:
    found = re.search(r"elevant: its relevance of ([01]\.\d{3}) ", done.out)
    assert found, done.out + done.err
    return float(found[1])


def test_a_page_and_its_links(explain: Callable[..., Done], topic: Path) -> None:
    """A relevant example: the verdict, the sum, terms, blocks, and the best links with their parts."""
    done = explain(load_topic(str(topic)).relevant_examples[0], "--strategy", "link_classifier")
    assert (done.code, done.err) == (0, "")
    assert relevance(done) > 0.5
    assert re.search(
        r"log odds x = [+-]\S+ \(any page\) [+-]\S+ \(for\) [+-]\S+ \(against\) = [+-]\S+\n", done.out
    )
    assert re.search(r"word +term +log odds +headline +keywords +anchor +body", done.out)
    assert re.search(r"block +adds +similarity +begins with", done.out)
    assert re.search(r"It links to [\d,]+ pages; link_classifier follows [\d,]+\n", done.out)
    assert 0 < done.out.count("url_and_words = intercept ") <= 10


def test_it_says_what_the_crawl_says(
    explain: Callable[..., Done], scrapy: Scrapy, demo_web: Path, topic: Path, models: Path, tmp_path: Path
) -> None:
    """Relevance and scores of pages and links are those in a crawl's database."""
    settings = (f"FOCUSED_WEB={demo_web}", f"FOCUSED_MODELS={models}")
    assert scrapy.run(*crawl(topic, tmp_path, *settings, strategy="lpe_soft", pages=30)).code == 0
    job = Job(tmp_path / "astronomy/1")
    pages = job.rows("SELECT url, relevance FROM pages ORDER BY relevance")
    for url, expected in (pages[0], pages[-1]):
        done = explain(url, "--strategy", "lpe_soft")
        assert relevance(done) == pytest.approx(expected, abs=0.0006)
    shown = re.findall(r"^([01]\.\d{3})  .*\n {7}(http\S+)", done.out, re.MULTILINE)
    sql = "SELECT target, max(score) FROM named_links WHERE source = '{}' GROUP BY target"
    scores = dict(job.rows(sql.format(pages[-1][0])))
    assert len(shown) == min(len(scores), 10)
    for score, url in shown:
        assert float(score) == pytest.approx(scores[url], abs=0.0006)
    assert float(shown[0][0]) == pytest.approx(max(scores.values()), abs=0.0006)


def test_one_link(explain: Callable[..., Done], topic: Path) -> None:
    """By its URL; and a text that no link has is an error."""
    url = load_topic(str(topic)).relevant_examples[0]
    listed = re.findall(r"^ {7}(http\S+)", explain(url).out, re.MULTILINE)
    done = explain(url, "--link", listed[3], "--strategy", "best_first_content_anchor")
    assert re.findall(r"^ {7}(http\S+)", done.out, re.MULTILINE) == [listed[3]]
    assert "priority = (page + anchor) / 2\n" in done.out


def test_a_topic_without_examples(scrapy: Scrapy, demo_web: Path, topic: Path, tmp_path: Path) -> None:
    """It goes by its words, and so do the reasons."""
    cold = tmp_path / "stars"
    cold.mkdir()
    text = 'name = "stars"\nkeywords = ["astronomy", "star", "planet"]\nseeds = ["http://stars.example/"]\n'
    (cold / "topic.toml").write_text(text)
    url = load_topic(str(topic)).relevant_examples[0]
    done = scrapy.run("explain", url, "--topic", cold, "-s", f"FOCUSED_WEB={demo_web}")
    assert (done.code, done.err) == (0, "")
    assert re.search(r"^log odds x = -5\.250 \(any page\) .+\nrelevance = 1 / ", done.out, re.MULTILINE)
    assert relevance(done) > 0


def test_a_topic_of_another_language(scrapy: Scrapy, demo_web: Path, topic: Path, tmp_path: Path) -> None:
    """Nobody knows what its words mean: it goes by the words themselves."""
    cold = tmp_path / "sterne"
    cold.mkdir()
    text = (
        'name = "sterne"\nlanguage = "de"\nkeywords = ["astronomy", "star"]\nseeds = ["http://s.example/"]\n'
    )
    (cold / "topic.toml").write_text(text)
    url = load_topic(str(topic)).relevant_examples[0]
    done = scrapy.run("explain", url, "--topic", cold, "-s", f"FOCUSED_WEB={demo_web}")
    assert (done.code, done.err) == (0, "")
    assert re.search(r"score s = \d\.\d{3}; relevance = s⁴ / \(s⁴ \+ 0\.63⁴\) = 0\.\d{3}\n", done.out)


def test_the_plain_cosine(explain: Callable[..., Done], topic: Path) -> None:
    """With vsm the relevance is what the terms add up to."""
    url = load_topic(str(topic)).relevant_examples[0]
    done = explain(url, "-s", "FOCUSED_CLASSIFIER=vsm")
    assert (done.code, done.err) == (0, "")
    (cosine,) = re.findall(r"^relevance = cosine of page and keywords = (0\.\d{4})$", done.out, re.MULTILINE)
    assert relevance(done) == pytest.approx(float(cosine), abs=6e-4)


def test_a_saved_page_and_the_coloured_one(explain: Callable[..., Done], tmp_path: Path) -> None:
    """A file is read as it is; --html ends with the path of what was written."""
    saved, coloured = tmp_path / "saved.html", tmp_path / "why.html"
    saved.write_text(
        "<title>Galaxies</title><p>A telescope shows stars and <a href=http://a.example/>planets</a>."
    )
    done = explain(saved, "--html", coloured)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("Galaxies\nfile://")
    assert "http://a.example/" in done.out
    assert done.out.endswith(f"{coloured}\n")
    assert "<mark" in coloured.read_text()


@pytest.mark.parametrize(
    ("wish", "follows", "left"),
    [("page", 2, ""), ("link", 1, "; 1 link with nofollow is left alone"), ("off", 2, "")],
)
def test_nofollow_is_that_of_the_crawl(
    explain: Callable[..., Done], tmp_path: Path, wish: str, follows: int, left: str
) -> None:
    """A link that a crawl leaves alone has no priority, and the page says that there is one."""
    saved = tmp_path / "saved.html"
    saved.write_text(
        '<p>stars <a href="http://a.org/">planets</a> <a href="http://b.org/moon" rel="nofollow">moons</a>'
    )
    setting = ("-s", f"FOCUSED_NOFOLLOW={wish}")
    assert (
        f"It links to {plural(follows, 'page')}; adaptive follows {follows}{left}\n"
        in explain(saved, *setting).out
    )
    found = explain(saved, "--link", "moon", *setting)
    assert ("left alone, see these by -s FOCUSED_NOFOLLOW=off" in found.err) == bool(left)


def test_what_is_sent_while_a_page_is_made_is_none(scrapy: Scrapy, topic: Path, tmp_path: Path) -> None:
    """As in a crawl: it would be learnt from as the page that it stands for."""
    url, web = "http://a.example/later", tmp_path / "web.warc.gz"
    with WebWriter(web) as writer:
        writer.write(url, 202, [("Content-Type", "text/html")], b"<p>Checking your browser")
    done = scrapy.run("explain", url, "--topic", topic, "-s", f"FOCUSED_WEB={web}")
    assert done.err == f"error: {url} could not be fetched (202 Accepted); name a page that can be read\n"


MISTAKES: dict[str, tuple[Callable[[Path], list[object]], str]] = {
    "no page": (lambda f: [], "name one page and a topic, as in scrapy explain https://"),
    "no URL": (lambda f: ["stars"], "'stars' is no http or https URL; write it like"),
    "no file": (lambda f: [f / "gone.html"], "gone.html does not exist"),
    "a long name": (
        lambda f: [f"{'n' * 300}.html"],
        "n.html cannot be read (File name too long); name another file",
    ),
    "no HTML": (
        lambda f: [f / "a.html"],
        "a.html is no page (the body is binary data); save it as HTML again",
    ),
    "no answer": (
        lambda f: ["http://gone.example/"],
        "http://gone.example/ could not be fetched (404 Not Found); name",
    ),
    "no strategy": (
        lambda f: [f / "b.html", "--strategy", "lep"],
        "no strategy is called 'lep'; did you mean lpe? Else use",
    ),
    "no link": (
        lambda f: [f / "b.html", "--link", "moon"],
        "b.html has no link whose text or URL holds 'moon'",
    ),
    "no folder": (lambda f: [f / "b.html", "--html", f / "x/y.html"], "x/y.html (No such file or directory)"),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_end_in_one_line(name: str, tmp_path: Path, explain: Callable[..., Done]) -> None:
    """It names what is wrong and what would be right; exit code 2."""
    (tmp_path / "a.html").write_bytes(b"%PDF-1.7 no HTML")
    (tmp_path / "b.html").write_text("<p>stars")
    make, message = MISTAKES[name]
    done = explain(*make(tmp_path))
    assert done.err.startswith("error: ")
    assert message in done.err
    assert (done.err.count("\n"), done.code) == (1, 2)


def test_a_terminal_without_the_pages_letters(
    scrapy: Scrapy, tmp_path: Path, demo_web: Path, topic: Path
) -> None:
    """What it cannot show is a question mark."""
    (tmp_path / "cjk.html").write_text("<title>喝茶</title><p>茶叶 and a star", "utf-8")
    words = ["explain", tmp_path / "cjk.html", "--topic", topic, "-s", f"FOCUSED_WEB={demo_web}"]
    done = scrapy.run(*words, before="tests.edge.commands.held.ascii_terminal")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("??\nfile://")


def test_a_page_in_the_taxonomy(scrapy: Scrapy, demo_web: Path, topic: Path, tmp_path: Path) -> None:
    """Hard focus says which category is best, and follows nothing from a page where that is not good."""
    models = save_small_taxonomy(tmp_path / "models", "astronomy")
    settings = ("-s", f"FOCUSED_WEB={demo_web}", "-s", f"FOCUSED_MODELS={models}")
    for text, category, follows in (
        ("star galaxy", "sky/stars, a", 1),
        ("goal", "sports/football, not a", 0),
    ):
        saved = tmp_path / "saved.html"
        saved.write_text(f"<title>A page</title><p>{text} <a href=http://a.example/>more</a>")
        done = scrapy.run("explain", saved, "--topic", topic, "--strategy", "hard_focus", *settings)
        assert (done.code, done.err) == (0, "")
        assert f"Its best category is {category} good one; R(d), that it belongs to" in done.out
        assert f"hard_focus follows {follows}\n" in done.out


def test_a_topic_has_to_be_named(scrapy: Scrapy) -> None:
    """And to be there."""
    assert "name one page and a topic" in scrapy.run("explain", "https://a.example/").err
    assert "no topic 'nope'" in scrapy.run("explain", "https://a.example/", "--topic", "nope").err


@pytest.mark.skipif(not OPENWEB.exists(), reason="no real web here")
@pytest.mark.parametrize("strategy", ["lpe", "link_classifier"])
def test_a_real_page(scrapy: Scrapy, strategy: str) -> None:
    """The seeds of a topic, by its words alone."""
    folder = OPENWEB.parent / "openweb.topics/health"
    settings = ("-s", f"FOCUSED_WEB={OPENWEB}", "-s", "FOCUSED_MODELS=none")
    words = ("--topic", folder, "--strategy", strategy)
    done = scrapy.run("explain", "https://www.epirhandbook.com/en/", *words, *settings)
    assert (done.code, done.err) == (0, "")
    assert "epidemiology" in done.out
    assert " pages and is a seed; " in done.out
