"""What a new user may type wrong: each is answered in one line by what to type, with exit code 2."""

from __future__ import annotations

import shlex

import pytest

from tests.project import Scrapy

SITE = "https://example.org/stars"

WRONG = {
    "crawl": "name one topic, as in: scrapy crawl asthma (scrapy list shows the names)",
    "crawl asthmaa": "no topic 'asthmaa'; did you mean asthma?",
    f"crawl {SITE}": f"to crawl from there: scrapy newtopic NAME --keyword WORD --seed {SITE}",
    f"seeds {SITE}": "is a URL, not a topic",
    f"train {SITE}": "is a URL, not a topic",
    r"train 'C:\topics\asthma'": "a path is written with /, as in C:/topics/asthma",
    r"report 'crawls\asthma\1'": "is no crawl's folder (it has no run.json); give one like crawls/asthma/1",
    "report": "name one crawl folder, as in: scrapy report crawls/asthma/1",
    "crawl topic -a topic=''": "no topic given; type scrapy crawl topic -a topic=NAME",
    "crawl asthma -a strategy=adaptiv": "no strategy is called 'adaptiv'; did you mean adaptive?",
    "crawl asthma -a profile=Polite": "unknown profile 'Polite'; use one of broad, default",
    "crawl asthma -a pages=-3": "FOCUSED_PAGES is '-3'; use a whole number of 0 or more",
    "crawl asthma -a pages='10 000'": "FOCUSED_PAGES is '10 000'; use a whole number of 0 or more",
    "crawl asthma -s FOCUSED_PAEGS=3": "no setting is called FOCUSED_PAEGS; did you mean FOCUSED_PAGES?",
    "search comet -s FOCUSED_WBE=x.warc.gz": "no setting is called FOCUSED_WBE; did you mean FOCUSED_WEB?",
    "taxonomy show -s FOCUSED_TAXONMY=mine": "no setting is called FOCUSED_TAXONMY; did you mean FOCUSED_TAX",
    "ui -s FOCUSED_CRAWL=elsewhere": "no setting is called FOCUSED_CRAWL; did you mean FOCUSED_CRAWLS?",
    "crawl asthma -s FOCUSED_WEB=nope.warc.gz": "nope.warc.gz",
    "newtopic": "give one name, as in: scrapy newtopic asthma --keyword asthma",
    "newtopic 'my topic' --keyword stars": "write my-topic",
    "newtopic stars --keyword ''": "--keyword: the text is empty; write a word or leave the option out",
    "label asthma --number 0": "--number is 0; give a whole number from 1 to 10000",
    "explain stars.html --topic asthma": "save the page there or leave it out",
    "why http://": "write a URL such as https://www.example.org/",
    "search": "give words, as in: scrapy search",
    "export crawls/nope --parquett x": "unknown option --parquett; did you mean --parquet?",
    "export crawls/nope --csv x.csv": "give the folder of a crawl that has begun",
    "virtualweb stats README.md": "README.md is no sound WARC: it begins with",
    "experiment --web nope.warc.gz": "type scrapy experiment --web WEB.warc.gz",
}


@pytest.mark.parametrize("words", WRONG)
def test_it_is_answered_by_what_to_type(scrapy: Scrapy, words: str) -> None:
    """Nothing else is written, and nothing is done."""
    done = scrapy.run(*shlex.split(words))
    assert done.err.startswith("error: ")
    assert WRONG[words] in done.err
    assert (done.err.count("\n"), done.out, done.code) == (1, "", 2)
