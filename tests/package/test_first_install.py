"""A first install, without extras and outside of any project: from a topic to the report of its crawl."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import HTTPCookieProcessor, OpenerDirector, build_opener

import pytest

from focused_crawler.safety.extras import EXTRAS
from focused_crawler.store.job import FINISHED, SHARED, RunInfo, write_run
from tests.project import ROOT, Done, Job

BARE = ROOT / "tests/package/bare.py"
NOT_THERE = ",".join(module for modules in EXTRAS.values() for module in modules)
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith(("FOCUSED_", "SCRAPY_"))}


class Install:
    """Runs commands in a folder of its own, with a home of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environ = {**CLEAN, "PYTHONPATH": str(ROOT), "XDG_CONFIG_HOME": str(folder / "config")}
        self.before: list[str] = []  # a command that runs it

    def __call__(self, *words: object, without: str = NOT_THERE) -> Done:
        process = self.start(*words, without=without)
        out, err = process.communicate()
        return Done(process.returncode, out, err)

    def start(self, *words: object, without: str = NOT_THERE) -> subprocess.Popen[str]:
        """Start a command; its output is read from two pipes."""
        return subprocess.Popen(
            [*self.before, sys.executable, "-W", "error", BARE, without, *map(str, words)],
            cwd=self.folder,
            env=self.environ,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )


@pytest.fixture
def install(tmp_path: Path) -> Install:
    return Install(tmp_path)


@pytest.mark.slow
def test_a_topic_is_crawled_and_reported(install: Install, demo_web: Path) -> None:
    """Its folder is made in ./topics; the report has all its plots."""
    made = install("newtopic", "sky", "--keyword", "telescope", "--keyword", "galaxy")
    assert (made.code, made.err) == (0, "")
    assert "  focused-crawler crawl sky\n" in made.out  # what to type next, as it is typed here
    topic = install.folder / "topics/sky/topic.toml"
    seeds = (demo_web.parent / "demo.topics/astronomy/topic.toml").read_text().partition("seeds = ")[2]
    topic.write_text(topic.read_text().replace("seeds = []", f"seeds = {seeds[: seeds.index(']') + 1]}"))
    web = ("-s", f"FOCUSED_WEB={demo_web}", "-a", "profile=offline", "-a", "pages=30")
    crawled = install("crawl", "sky", *web)
    assert crawled.code == 0, crawled.err
    job = Job(install.folder / "crawls/sky/1")
    assert len(job.visits) == 30
    assert "sky" in install("list").out.split()
    reported = install("report", "crawls/sky/1")
    assert (reported.code, reported.err) == (0, "")
    page = (job.folder / "report.html").read_text()
    assert page.count('<svg viewBox="0 0 440 250" role="img"') == page.count("<figure>") >= 4
    assert "pip install" not in page
    assert "polyline" in page[page.index("Relevance over time</h2>") :]


@pytest.mark.slow
def test_strategies_are_compared(install: Install, demo_web: Path) -> None:
    """With tables and plots on its page, and no PNG files."""
    compared = ("--strategies", "breadth_first,best_first_content", "--topics", "astronomy", "--pages", "40")
    done = install("experiment", "--web", demo_web, "--out", "compared", *compared)
    assert done.code == 0, done.err
    page = (install.folder / "compared/report.html").read_text()
    assert page.count('<svg viewBox="0 0 ') > 2
    assert "pip install" not in page
    assert re.search(r"<title>best_first_content: 0\.\d+", page)  # of its row of dots
    assert not (install.folder / "compared/plots").exists()


def test_what_is_not_installed_is_nowhere_found(install: Install) -> None:
    """Neither its modules nor what its package says of itself."""
    asked = (
        "from importlib.metadata import distributions; from tests.package.bare import hide;"
        f" hide({NOT_THERE.split(',')}); print(*(one.metadata['Name'].lower() for one in distributions()))"
    )
    done = subprocess.run([sys.executable, "-c", asked], cwd=ROOT, capture_output=True, text=True, check=True)
    names = done.stdout.split()
    assert "scrapy" in names
    assert not {"matplotlib", "pyarrow", "scrapy-playwright", "sqlalchemy", "uvicorn"} & {*names}


def test_the_settings_file_is_read_in_every_folder(install: Install) -> None:
    """It may name the folder of the topics, too."""
    own = install.folder / "mine"
    (own / "tea").mkdir(parents=True)
    (own / "tea/topic.toml").write_text('name = "tea"\nkeywords = ["tea"]\n')
    file = install.folder / "config/focused_crawler/settings.toml"
    file.parent.mkdir(parents=True)
    file.write_text(f'FOCUSED_TOPICS = "{own}"\nFOCUSED_CONTACT = "ann@example.org"\n')
    assert install("settings", "--get", "FOCUSED_CONTACT").out == "ann@example.org\n"
    assert {"tea", "asthma", "topic"} <= set(install("list").out.split())
    for line, said in (
        ("contact = 1", "contact is no name of a setting; write it in capitals, or leave it out"),
        (f'FOCUSED_TOPICS = ["{own}"]', f"FOCUSED_TOPICS is ['{own}']; use a folder, as in \"~/topics\""),
    ):
        file.write_text(f"{line}\n")
        done = install("list")
        assert (done.code, done.out) == (2, "")
        assert done.err.endswith(f"{said}\n")


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        (("fleet", "asthma"), "fleet"),
        (("why", "http://a.example/", "--crawl", "c", "-s", "FOCUSED_FRONTIER=postgresql"), None),
        (("thesaurus", "import", "asthma", "words.ttl"), "thesaurus"),
        (("crawl", "asthma", "-s", "FOCUSED_RENDER=all", "-s", "FOCUSED_LISTS=off"), "render"),
        (("ui",), "ui"),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_a_missing_extra_is_named_in_one_line(
    install: Install, words: tuple[str, ...], extra: str | None
) -> None:
    """With what to type; no command ends in a traceback, whether it needs the extra or fails before."""
    (install.folder / "words.ttl").write_text("")
    done = install(*words)
    assert done.code == 2, done.err
    (line,) = done.err.splitlines()
    assert line.startswith("error: ")
    if extra:
        assert line.endswith(f"an extra; type pip install 'focused-crawler[{extra}]'")


def test_the_workbench_needs_no_postgresql(install: Install) -> None:
    """A crawl that lies there is listed, with what to type; so it is answered where it is opened."""
    run = RunInfo("sky", "Sky", "1", "lpe", "", None, trained=True, state=FINISHED, frontier=SHARED)
    run.database, run.schema = "postgresql://ann@localhost/crawls", "crawl_sky_1"
    (folder := install.folder / "crawls/sky/1").mkdir(parents=True)
    write_run(folder, run)
    process = install.start("ui", "--no-browser", "--port", 0, without=",".join(EXTRAS["fleet"]))
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith("Workbench: "), process.communicate()[1]
        with closing(build_opener(HTTPCookieProcessor())) as browser:
            first = urlsplit(line.split()[1])
            for place in (f"?{first.query}", "crawls/sky/1", "crawls/sky/1/pages", "crawls/sky/1/workers"):
                status, page = _page_of(browser, f"http://{first.netloc}/{place}")
                assert status == (200 if "?" in place else 400), place
                assert "focused-crawler[fleet]" in page
    finally:
        process.send_signal(signal.SIGINT)
        assert "Traceback" not in process.communicate()[1]


def _page_of(browser: OpenerDirector, url: str) -> tuple[int, str]:
    try:
        with browser.open(url) as answer:
            return answer.status, answer.read().decode()
    except HTTPError as error:
        with error:
            return error.code, error.read().decode()


def test_a_command_that_nobody_knows(install: Install) -> None:
    """The one that was meant is asked for."""
    done = install("trian")
    assert (done.code, done.err) == (2, "error: no command is called trian; did you mean train?\n")
    listed = install().out
    assert "\n  train        Train a topic's page classifier from its examples\n" in listed
    assert "\n  crawl        " in listed


@pytest.mark.parametrize("command", ["crawl", "list", "settings", "report"])
def test_help_names_the_program_that_was_typed(install: Install, command: str) -> None:
    """Of Scrapy's commands, too, which name Scrapy."""
    shown = install(command, "-h").out
    assert f"focused-crawler {command}" in shown
    assert "scrapy " not in shown


def test_a_user_that_nobody_knows(install: Install) -> None:
    """Without HOME and without a line in /etc/passwd, as containers may run it."""
    nobody = ["unshare", "--user", "--map-user=54321"]
    if shutil.which("unshare") is None or subprocess.run([*nobody, "true"], capture_output=True).returncode:
        pytest.skip("no other user can be had here")
    del install.environ["XDG_CONFIG_HOME"]
    install.environ.pop("HOME", None)
    install.before = nobody
    done = install("list")
    assert (done.code, done.err) == (0, "")
    assert "asthma" in done.out.split()


def test_an_option_that_a_crawl_does_not_have(install: Install) -> None:
    """It is no second spider; and what is an argument is told so."""
    done = install("crawl", "asthma", "--page", "9")
    assert (done.code, done.err) == (2, "error: unknown option --page; -h shows the options there are\n")
    assert install("crawl", "asthma", "--pages=9").err == "error: --pages=9 is no option; type -a pages=9\n"


def test_shells_complete_commands_and_options(install: Install) -> None:
    """By a script that bash takes as it is."""
    script = install("--completion", "bash")
    assert (script.code, script.err) == (0, "")
    asked = f"{script.out}\nCOMP_WORDS=(focused-crawler export --pa); COMP_CWORD=2; _shtab_focused_crawler"
    done = subprocess.run(
        ["bash", "-c", f'{asked}; echo "${{COMPREPLY[@]}}"'], capture_output=True, text=True, check=True
    )
    assert done.stdout == "--parquet\n"
    assert (
        install("--completion", "fish").err == "error: no completion for fish; give one of bash, zsh, tcsh\n"
    )
