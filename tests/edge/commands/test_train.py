from __future__ import annotations

import json
import re
import shlex
import shutil
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from parsel import Selector

from focused_crawler.classify.hmm.model import HmmModel
from focused_crawler.classify.model import TopicModel
from focused_crawler.classify.page_classifiers import SeededClassifier
from focused_crawler.page.url import site_of
from focused_crawler.topic.label import Label
from focused_crawler.topic.labels import append
from focused_crawler.topic.topic import load_topic, topic_names
from focused_crawler.virtualweb.analysed.web import AnalysedWeb
from tests.crawls.site import Answer, page, serving
from tests.project import Done, Job, Scrapy, crawl

TOPIC = """
name = "bees"
keywords = ["bee", "honey", "hive"]
seeds = ["http://bees.example/"]
"""
EXAMPLES = """
[examples]
relevant = ["http://bees.example/1", "http://bees.example/2"]
other = ["http://cars.example/1", "http://cars.example/2"]
"""


def topic(folder: Path, text: str) -> Path:
    (folder / "bees").mkdir()
    (folder / "bees/topic.toml").write_text(text)
    return folder / "bees"


def unreadable_example(folder: Path) -> Path:
    path = topic(folder, TOPIC) / "examples/relevant"
    path.mkdir(parents=True)
    for number in range(3):
        (path / f"{number}.html").write_bytes(b"%PDF-1.7 no HTML")
    return folder / "bees"


def with_sessions(folder: Path, *lines: str) -> Path:
    (folder / "sessions.jsonl").write_text("\n".join(lines))
    return folder


@pytest.fixture(scope="module")
def trained(scrapy: Scrapy, demo_web: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Done, Path]:
    """Astronomy, trained on the demo web: what the command said, and the model's folder."""
    models = tmp_path_factory.mktemp("models")
    folder = demo_web.parent / "demo.topics/astronomy"
    done = scrapy.run("train", folder, "-s", f"FOCUSED_WEB={demo_web}", "-s", f"FOCUSED_MODELS={models}")
    return done, models / "astronomy"


def test_training_prints_a_table_and_what_to_do_next(trained: tuple[Done, Path], demo_web: Path) -> None:
    """A row a fold and one of all, and nothing on stderr; what is next finds what this one was given."""
    (done, model), web, folder = trained, demo_web, demo_web.parent / "demo.topics/astronomy"
    assert (done.code, done.err) == (0, "")
    assert re.search(r"precision +recall +F1 +calibration error", done.out)
    assert re.search(r"fold 5 .* 6 \+ 32 ", done.out)
    assert re.search(r"all +30 \+ 160( +[01]\.\d{3}){4}", done.out)
    assert "\nTraining examples: 30 relevant, 60 other, 100 of other topics.\n" in done.out
    assert done.out.endswith(
        f"Model in {model}\nReport in {model}/training.html\n"
        f"Next: scrapy crawl topic -a topic={folder} -s FOCUSED_WEB={web} -s FOCUSED_MODELS={model.parent}\n"
    )


def test_a_folder_can_be_pasted_out_of_what_is_next(scrapy: Scrapy, demo_web: Path, tmp_path: Path) -> None:
    """It stands there as a shell reads it, with where all lies that was given on the command line."""
    folder = tmp_path / "100% my 'topics'/astronomy"
    shutil.copytree(demo_web.parent / "demo.topics/astronomy", folder)
    places = [f"FOCUSED_MODELS={tmp_path}", f"FOCUSED_CRAWLS={tmp_path}/my crawls"]
    options = [word for given in places for word in ("-s", given)]
    done = scrapy.run("train", folder, "--show", *options)
    assert done.out.endswith(f"Next: scrapy train {shlex.join([str(folder), *options])}\n")


def test_the_report_lies_beside_the_model(trained: tuple[Done, Path]) -> None:
    """It has the figures of the table, the examples, and a plot."""
    page = Selector((trained[1] / "training.html").read_text("utf-8"))
    precision = re.search(r"all +30 \+ 160 +([01]\.\d{3})", trained[0].out)
    assert precision
    assert page.css(".stats dd::text").get() == precision[1]
    assert len(page.xpath("//h2[.='Examples']|//details//tbody/tr")) == 90
    assert page.css("svg[aria-label=Reliability]")


def test_the_model_is_there(trained: tuple[Done, Path]) -> None:
    """It tells what it was made from, and can be read back."""
    model = TopicModel.load(trained[1])
    assert (model.topic, model.trained) == ("astronomy", True)
    assert model.examples == {"relevant": 30, "other": 60, "background": 100}
    assert len(model.learnt_from) == 190


MISTAKES: dict[str, tuple[Callable[[Path], list[object]], str]] = {
    "no topic": (lambda f: ["train"], "name one topic, as in: scrapy train asthma"),
    "unknown topic": (lambda f: ["train", "nope"], "no topic 'nope'"),
    "no number": (lambda f: ["train", "asthma", "--suggest", "0"], "--suggest is 0; give a whole number"),
    "no suggestion": (
        lambda f: ["train", "asthma", "--crawl", "x"],
        "--crawl is for --suggest N and --accept, as in",
    ),
    "near alone": (lambda f: ["train", "asthma", "--near"], "--near is for --suggest N, as in"),
    "written unseen": (
        lambda f: ["train", "asthma", "--suggest", "9", "--near", "--write"],
        "give one of --near and --pure; --write adds the pages of --pure",
    ),
    "no crawl yet": (
        lambda f: ["train", "asthma", "--suggest", "3", "-s", f"FOCUSED_CRAWLS={f}"],
        "/asthma; run scrapy crawl asthma, or name one with --crawl FOLDER",
    ),
    "another crawl": (
        lambda f: ["train", "asthma", "--suggest", "3", "--crawl", f],
        "is no crawl of asthma; name one such as crawls/asthma/1",
    ),
    "no HTML": (lambda f: ["train", unreadable_example(f)], "examples/relevant/0.html cannot be an example"),
    "number": (
        lambda f: ["train", topic(f, TOPIC + EXAMPLES), "-s", "FOCUSED_MI_TERMS=few"],
        "FOCUSED_MI_TERMS is 'few'; use a whole number",
    ),
    "thesaurus": (
        lambda f: ["train", topic(f, TOPIC + EXAMPLES), "-s", "FOCUSED_CLASSIFIER=thesaurus"],
        "FOCUSED_CLASSIFIER is thesaurus, which learns nothing: a crawl with that setting needs no training;"
        " to train a model, give another, as in -s FOCUSED_CLASSIFIER=ratio_regression",
    ),
    "add-on": (
        lambda f: ["train", "asthma", "--show", "-s", 'ADDONS={"no.such.Addon": 1}'],
        "ADDONS has 'no.such.Addon', which cannot be imported: No module named 'no'",
    ),
    "reactor": (
        lambda f: ["train", "asthma", "-s", "TWISTED_REACTOR=no.such.Reactor"],
        "TWISTED_REACTOR has 'no.such.Reactor', which cannot be imported: No module named 'no'",
    ),
    "networks": (
        lambda f: ["train", topic(f, TOPIC + EXAMPLES), "-s", "FOCUSED_ALLOWED_NETWORKS=home"],
        "FOCUSED_ALLOWED_NETWORKS has 'home'; use networks such as",
    ),
    "session": (
        lambda f: ["train", with_sessions(topic(f, TOPIC + EXAMPLES), '{"urls": []}')],
        "bees/sessions.jsonl:1: is no session; write {",
    ),
    "nothing there": (
        lambda f: ["train", topic(f, TOPIC + EXAMPLES), "--sessions-from", "gone"],
        "--sessions-from names gone, where there is nothing; use the folder of a crawl, such as",
    ),
    "no crawl": (
        lambda f: ["train", topic(f, TOPIC + EXAMPLES), "--sessions-from", f],
        "has no run.json; name a crawl of bees, such as crawls/bees/1, or a web",
    ),
    "no web": (
        lambda f: ["train", made := topic(f, TOPIC + EXAMPLES), "--sessions-from", made / "topic.toml"],
        "topic.toml is no sound WARC: it begins with",
    ),
    "web": (
        lambda f: ["train", topic(f, TOPIC + EXAMPLES), "-s", "FOCUSED_WEB=gone.warc.gz"],
        "no web at gone.warc.gz",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_end_in_one_line(name: str, tmp_path: Path, scrapy: Scrapy) -> None:
    """It names what is wrong and what would be right; exit code 2."""
    make, message = MISTAKES[name]
    done = scrapy.run(*make(tmp_path))
    assert done.err.startswith("error: ")
    assert message in done.err
    assert (done.err.count("\n"), done.out, done.code) == (1, "", 2)


def test_examples_that_cannot_be_had_are_counted(tmp_path: Path, scrapy: Scrapy, demo_web: Path) -> None:
    """Which reason, how often; and with too few left the command ends."""
    done = scrapy.run("train", topic(tmp_path, TOPIC + EXAMPLES), "-s", f"FOCUSED_WEB={demo_web}")
    assert done.err.startswith(
        "4 of 4 pages could not be fetched: 404 Not Found 4x\nerror: bees has 0 usable relevant examples"
    )
    assert done.code == 2


def test_names_that_nobody_knows_are_counted(tmp_path: Path, scrapy: Scrapy) -> None:
    """No line of the log for each try of each page: the counts say it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        servers = f"FOCUSED_NAME_SERVERS=127.0.0.1:{silent.getsockname()[1]}"
        words = ["-s", servers, "-s", "DNS_TIMEOUT=0.2"]
        done = scrapy.run("train", topic(tmp_path, TOPIC + EXAMPLES), *words)
        explained = scrapy.run("explain", "http://bees.example/1", "--topic", tmp_path / "bees", *words)
    assert done.err.startswith("4 of 4 pages could not be fetched: no DNS answer 4x\nerror: ")
    assert explained.err == (
        "error: http://bees.example/1 could not be fetched (no DNS answer); name a page that can be read\n"
    )


def test_start_pages_that_cannot_be_had_are_counted(tmp_path: Path, scrapy: Scrapy, demo_web: Path) -> None:
    """Where a topic has no examples: that nothing is near its start pages is no fault of its words."""
    made = topic(tmp_path, TOPIC)
    done = scrapy.run("train", made, "-s", f"FOCUSED_WEB={demo_web}")
    assert done.err.startswith("1 of 1 start page could not be fetched: 404 Not Found 1x\n"), done.err
    assert done.code == 2


def test_a_model_that_cannot_be_written(
    trained: tuple[Done, Path], tmp_path: Path, scrapy: Scrapy, demo_web: Path
) -> None:
    """One line that names the folder, before any page is fetched."""
    (tmp_path / "file").touch()
    words = ("-s", f"FOCUSED_WEB={demo_web}", "-s", f"FOCUSED_MODELS={tmp_path / 'file'}")
    early = scrapy.run("train", topic(tmp_path, TOPIC + EXAMPLES), *words)  # none of its examples is there
    assert early.err.startswith(f"error: cannot write the model to {tmp_path}/file/bees: Not a")
    assert early.err.count("\n") == 1
    done = scrapy.run(
        "train",
        demo_web.parent / "demo.topics/astronomy",
        *words,
    )
    assert done.err.startswith(f"error: cannot write the model to {tmp_path}/file/astronomy: Not a")
    assert done.err.count("\n") == 1
    assert done.code == 2


def learnt(done: Done) -> tuple[int, int]:
    """Return from how many sessions and pages the hmm strategies learnt, by what the command said."""
    assert (done.code, done.err) == (0, "")
    found = re.search(
        r"The hmm strategies were trained from (\d+) sessions and (\d+) pages\.\n"
        r"(Model in|The old model stays in)",
        done.out,
    )
    assert found
    return int(found[1]), int(found[2])


@pytest.mark.slow
def test_hmm_learns_from_a_web_and_from_a_crawl(scrapy: Scrapy, demo_web: Path, tmp_path: Path) -> None:
    """The crawl that the first made possible is what the second learns from, pages fetched once more."""
    folder = demo_web.parent / "demo.topics/astronomy"
    web = f"FOCUSED_WEB={demo_web}"
    train = ["train", folder, "-s", web, "-s", f"FOCUSED_MODELS={tmp_path}"]
    sessions, pages = learnt(scrapy.run(*train, "--sessions-from", demo_web))
    assert sessions > 50
    assert pages > 100
    arguments = crawl(folder, tmp_path, web, f"FOCUSED_MODELS={tmp_path}", strategy="hmm_content", pages=100)
    assert scrapy.run(*arguments).code == 0
    job = Job(tmp_path / "astronomy/1")
    assert job.rows("SELECT count(*) FROM pages WHERE is_relevant") > [(20,)]
    before = (tmp_path / "astronomy/model.json").read_text()
    fewer, _ = learnt(scrapy.run(*train, "--sessions-from", job.folder))
    assert 0 < fewer < sessions
    assert (tmp_path / "astronomy/model.json").read_text() == before


def test_hmm_learns_from_the_record_in_the_topics_folder(
    scrapy: Scrapy, demo_web: Path, tmp_path: Path
) -> None:
    """Its pages are fetched like the examples."""
    truth = demo_web.parent / "demo.topics/astronomy"
    copy = tmp_path / "astronomy"
    copy.mkdir()
    (copy / "topic.toml").write_text((truth / "topic.toml").read_text())
    seeds, examples = load_topic(str(copy)).seeds, load_topic(str(copy)).relevant_examples
    lines = [json.dumps({"urls": [seeds[0], example], "relevant": [False, True]}) for example in examples[:5]]
    with_sessions(copy, *lines)
    done = scrapy.run("train", copy, "-s", f"FOCUSED_WEB={demo_web}")
    assert learnt(done)[0] == 5
    assert HmmModel.load(copy / "model").chain.transmat_[1, 0] == pytest.approx(6 / 9)


def test_without_sessions_hmm_says_what_to_type(
    trained: tuple[Done, Path], scrapy: Scrapy, demo_web: Path, tmp_path: Path
) -> None:
    """A crawl ends before it begins, in one line."""
    folder, models = demo_web.parent / "demo.topics/astronomy", trained[1].parent
    done = scrapy.run(*crawl(folder, tmp_path, f"FOCUSED_MODELS={models}", strategy="hmm"))
    assert done.err.startswith("error: astronomy has no HMM")
    assert f"scrapy train {folder} --sessions-from crawls/astronomy/1" in done.err
    assert (done.err.count("\n"), done.code) == (1, 2)


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def test_a_model_that_is_there_is_kept(
    trained: tuple[Done, Path], scrapy: Scrapy, demo_web: Path, tmp_path: Path
) -> None:
    """Both are shown, and the new one waits, until --replace is said; a broken one is replaced at once."""
    folder = demo_web.parent / "demo.topics/astronomy"
    shutil.copytree(trained[1], tmp_path / "astronomy")
    before = files(tmp_path / "astronomy")
    words = ["train", folder, "-s", f"FOCUSED_WEB={demo_web}", "-s", f"FOCUSED_MODELS={tmp_path}"]
    words += ["-s", "FOCUSED_CLASSIFIER=naive_bayes"]
    kept = scrapy.run(*words)
    assert (kept.code, kept.err) == (0, "")
    assert re.search(r"classifier +ratio_regression +naive_bayes", kept.out)
    assert re.search(r"F1( +[01]\.\d{3}){2}", kept.out)
    assert kept.out.endswith(f"To take it: scrapy {shlex.join(map(str, words[:-2]))} --accept\n")
    assert files(tmp_path / "astronomy") == before
    replaced = scrapy.run(*words, "--replace")
    assert replaced.code == 0
    assert "Kept" not in replaced.out
    assert files(tmp_path / "astronomy") != before
    (tmp_path / "astronomy/weights.npz").write_bytes(b"torn")
    mended = scrapy.run(*words)
    assert mended.out.startswith(f"the model in {tmp_path}/astronomy cannot be used (weights.npz is not the")
    assert mended.out.splitlines()[0].endswith("; it is replaced.")
    assert TopicModel.load(tmp_path / "astronomy").trained


@pytest.fixture(scope="module")
def without_examples(demo_web: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The topics of the demo web, astronomy without its examples."""
    folder = tmp_path_factory.mktemp("topics")
    for name in topic_names(demo_web.parent / "demo.topics"):
        text = (demo_web.parent / "demo.topics" / name / "topic.toml").read_text()
        (folder / name).mkdir()
        (folder / name / "topic.toml").write_text(
            text.split("[examples]")[0] if name == "astronomy" else text
        )
    return folder / "astronomy"


def test_a_topic_without_examples_learns_from_pages_near_its_seeds(
    scrapy: Scrapy, demo_web: Path, without_examples: Path, tmp_path: Path
) -> None:
    """They are told to be pseudo-examples wherever something is said of the model."""
    words = ["-s", f"FOCUSED_WEB={demo_web}", "-s", f"FOCUSED_MODELS={tmp_path}"]
    done = scrapy.run("train", without_examples, *words)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(
        "astronomy has too few examples. Pages near its seeds that contain its words were"
    )
    found = re.search(r"Training examples: (\d+) pseudo-relevant, 30 other, \d+ of other topics", done.out)
    assert found
    model = TopicModel.load(tmp_path / "astronomy")
    assert isinstance(model.classifier, SeededClassifier)
    assert model.examples["pseudo"] == int(found[1]) > 10
    report = Selector((tmp_path / "astronomy/training.html").read_text("utf-8"))
    assert report.css(".lead h2::text").get() == "Pseudo-examples"
    assert report.css(".lead strong::text").get() == found[1]
    again = scrapy.run("train", without_examples, *words)
    assert re.search(r"F1 +- +-", again.out)


@pytest.fixture(scope="module")
def crawled(
    trained: tuple[Done, Path], scrapy: Scrapy, demo_web: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Two crawls of astronomy by its model, of 20 and of 150 pages; their folder."""
    folder, crawls = demo_web.parent / "demo.topics/astronomy", tmp_path_factory.mktemp("crawls")
    settings = (f"FOCUSED_WEB={demo_web}", f"FOCUSED_MODELS={trained[1].parent}")
    for pages in (20, 150):
        assert scrapy.run(*crawl(folder, crawls, *settings, pages=pages, profile="offline")).code == 0
    return crawls / "astronomy"


def offered(done: Done) -> list[str]:
    assert (done.code, done.err) == (0, "")
    return re.findall(r'^    "(.*)",$', done.out, re.MULTILINE)


def test_pages_to_label_are_suggested(
    trained: tuple[Done, Path], crawled: Path, scrapy: Scrapy, demo_web: Path
) -> None:
    """So many of the last crawl as are asked for, none of them an example, to be pasted into topic.toml."""
    folder, models = demo_web.parent / "demo.topics/astronomy", trained[1].parent
    words = ["train", folder, "--suggest", "8", "-s", f"FOCUSED_CRAWLS={crawled.parent}"]
    words += ["-s", f"FOCUSED_MODELS={models}"]
    done = scrapy.run(*words)
    chosen = offered(done)
    assert f"Of {crawled}/2. Look at them" in done.out
    assert len(set(chosen)) == 8
    assert set(chosen) <= set(Job(crawled / "2").pages)
    known = load_topic(str(folder))
    assert not set(chosen) & {*known.relevant_examples, *known.other_examples}
    first = scrapy.run(*words, "--crawl", crawled / "1")
    assert f"Of {crawled}/1." in first.out


def test_pages_near_the_examples_are_offered(
    trained: tuple[Done, Path], crawled: Path, scrapy: Scrapy, demo_web: Path
) -> None:
    """A link leads to each from a relevant example, or back, and its title says what the topic is about."""
    folder = demo_web.parent / "demo.topics/astronomy"
    words = ["train", folder, "--suggest", "8", "--near", "--crawl", crawled / "2"]
    words += ["-s", f"FOCUSED_MODELS={trained[1].parent}"]
    done = scrapy.run(*words)
    chosen, topic = offered(done), load_topic(str(folder))
    assert len(set(chosen)) == 8
    examples = set(topic.relevant_examples)
    assert not set(chosen) & {*examples, *topic.other_examples}
    links = Job(crawled / "2").rows("SELECT source, target FROM named_links")
    near = {target for source, target in links if source in examples}
    near |= {source for source, target in links if target in examples}
    assert set(chosen) <= near
    assert not near >= set(Job(crawled / "2").pages)
    assert re.search(r"shares +page", done.out)
    assert re.search(r"[Aa]stronomy, night, sky", done.out)
    assert scrapy.run(*words).out == done.out


def test_pages_of_pure_sites_are_fed_back_when_asked(
    trained: tuple[Done, Path], crawled: Path, scrapy: Scrapy, demo_web: Path, tmp_path: Path
) -> None:
    """They are shown with their sites first, are other ones without a banned site, and train then."""
    copy, models = tmp_path / "astronomy", tmp_path / "models"
    copy.mkdir()
    shutil.copy(demo_web.parent / "demo.topics/astronomy/topic.toml", copy)
    shutil.copytree(trained[1], models / "astronomy")
    settings = ["-s", f"FOCUSED_MODELS={models}", "-s", f"FOCUSED_WEB={demo_web}"]
    words = ["train", copy, "--suggest", "12", "--pure", "--crawl", crawled / "2", *settings]
    before = (copy / "topic.toml").read_text()
    chosen = offered(shown := scrapy.run(*words))
    sites = dict(re.findall(r"(\S+\.example): (\d+ of \d+) ", shown.out))
    assert len(chosen) == 12
    assert {site_of(url) for url in chosen} == set(sites)
    for site, counts in sites.items():
        relevant, pages = map(int, counts.split(" of "))
        assert pages >= 10
        assert relevant >= 0.9 * pages
        assert sum(site_of(url) == site for url in Job(crawled / "2").pages) == pages
    assert (copy / "topic.toml").read_text() == before
    banned = site_of(chosen[0])
    assert scrapy.run("lists", copy, "--ban", banned, *settings).code == 0
    done = scrapy.run(*words, "--write")
    assert banned not in done.out
    added = load_topic(str(copy)).relevant_examples[30:]
    assert added
    assert banned not in set(map(site_of, added))
    assert f"topic.toml has {30 + len(added)} relevant examples now." in done.out
    done = scrapy.run("train", copy, "--replace", *settings)
    assert f"Training examples: {30 + len(added)} relevant, 60 other" in done.out


def test_missing_pages_of_other_topics_are_no_loss(
    scrapy: Scrapy, demo_web: Path, without_examples: Path, tmp_path: Path
) -> None:
    """One line on stdout counts them; the examples are all there, so nothing is on stderr."""
    topics = without_examples.parent
    football = (demo_web.parent / "demo.topics/football/topic.toml").read_text()
    text = football.replace("football", "cricket").replace("http://", "http://gone.")
    shutil.copytree(topics, tmp_path / "topics")
    (tmp_path / "topics/cricket").mkdir()
    (tmp_path / "topics/cricket/topic.toml").write_text(text)
    words = ["-s", f"FOCUSED_WEB={demo_web}", "-s", f"FOCUSED_MODELS={tmp_path}"]
    done = scrapy.run("train", tmp_path / "topics/football", *words)
    assert (done.code, done.err) == (0, "")
    assert re.match(
        r"\d+ of 100 pages of other topics could not be fetched; training continues without them\.\n",
        done.out,
    )


def test_labels_of_a_good_crawl_are_no_sample_of_the_web(
    scrapy: Scrapy, demo_web: Path, tmp_path: Path
) -> None:
    """Nearly all answers are yes: pages of the web itself stand for the rest of it, so that most stay out."""
    truth = demo_web.parent / "demo.topics/astronomy/relevant.txt"
    found = [line.partition("\t")[0] for line in truth.read_text().splitlines()]
    others = load_topic("football", demo_web.parent / "demo.topics").relevant_examples[:3]
    folder = tmp_path / "night-sky"
    folder.mkdir()
    words = 'title = "Night sky"\nkeywords = ["astronomy", "telescope", "galaxy", "planet"]'
    (folder / "topic.toml").write_text(f'name = "night-sky"\n{words}\nseeds = ["{found[0]}"]\n')
    said = {**dict.fromkeys(found[1::12], "yes"), **dict.fromkeys(others, "no")}
    append(folder, [Label(url=url, label=label, by="Ana", queue="uncertain") for url, label in said.items()])
    done = scrapy.run("train", folder, "-s", f"FOCUSED_WEB={demo_web}", "-s", f"FOCUSED_MODELS={tmp_path}")
    assert done.code == 0, done.err
    assert re.search(r"lacks pages of other topics: \d\d of its own, taken by chance, stand", done.out)
    model = TopicModel.load(tmp_path / "night-sky")
    with AnalysedWeb(demo_web) as web:
        judged = {url: model.classifier.relevance(web.page(at)) for at, url in enumerate(web.urls)}
    called = {url for url, relevance in judged.items() if relevance >= model.threshold}
    assert len(called & set(found)) > 0.9 * len(found)
    assert len(called & set(found)) > 0.75 * len(called)


@pytest.mark.parametrize("command", ["train", "explain"])
def test_a_topics_profile_is_that_of_its_commands(scrapy: Scrapy, tmp_path: Path, command: str) -> None:
    """As of its crawls: without it no address of this machine is asked."""
    with serving() as site:
        for number in range(2):
            site.answers[f"/bees/{number}"] = [page(f"The queen, part {number}")]
            site.answers[f"/cars/{number}"] = [page(f"Engine {number}", words="Cars have wheels.")]
        relevant, other = ([site.url(f"/{kind}/{n}") for n in range(2)] for kind in ("bees", "cars"))
        examples = f"[examples]\nrelevant = {relevant}\nother = {other}\n"
        folder = topic(tmp_path, f'{TOPIC}profile = "offline"\n{examples}')
        words = ["train", folder] if command == "train" else ["explain", relevant[0], "--topic", folder]
        done = scrapy.run(*words, "-s", "FOCUSED_BACKGROUND=0")
    assert (done.code, done.err) == (0, ""), done.out


@pytest.mark.parametrize(
    "words",
    [
        *("label", "lists", "seeds", "sessions record", "thesaurus show", "train"),
        *("taxonomy map --topic", "taxonomy show --topic"),
    ],
)
def test_every_command_of_a_topic_reads_its_profile(scrapy: Scrapy, tmp_path: Path, words: str) -> None:
    """Who mistypes its name is told so by each."""
    folder = topic(tmp_path, f'{TOPIC}profile = "rude"\n')
    done = scrapy.run(*words.split(), folder)
    assert (done.code, done.err.count("\n")) == (2, 1), done.err
    assert "unknown profile 'rude'; use one of broad" in done.err


def test_a_label_counts_for_the_page_that_its_url_leads_to(scrapy: Scrapy, tmp_path: Path) -> None:
    """It wins over an example of that page, which is one, and none of the labels is new afterwards."""
    with serving() as site:
        for number in range(3):
            site.answers[f"/bees/{number}"] = [page(f"The queen, part {number}")]
            site.answers[f"/cars/{number}"] = [page(f"Engine {number}", words="Cars have wheels.")]
        for name, target in {"/a": "/bees/2", "/b": "/bees/1"}.items():
            site.answers[name] = [Answer(status=302, headers={"Location": site.url(target)})]
        relevant, other = ([site.url(f"/{kind}/{n}") for n in range(2)] for kind in ("bees", "cars"))
        folder = topic(tmp_path, f"{TOPIC}[examples]\nrelevant = {relevant}\nother = {other}\n")
        labels = [Label(url=site.url(one), label=said, by="Ana", queue="import") for one, said in LABELLED]
        append(folder, labels)
        words = ["-s", f"FOCUSED_MODELS={tmp_path}/models", "-s", "FOCUSED_ALLOWED_NETWORKS=127.0.0.0/8"]
        done = scrapy.run("train", folder, *words, "-s", "DOWNLOAD_DELAY=0")
    assert done.err == ""
    assert re.search(r"Training examples: 2 relevant, 3 other, .*2 from labels\.\n", done.out), done.out
    assert (
        "\n2 labels, 0 of pages that it has not learnt from.\n"
        in scrapy.run("train", folder, "--show", *words).out
    )


LABELLED = (("/a", "yes"), ("/b", "no"))
