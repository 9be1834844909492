"""Targets of the fuzzer that lie on a disk: recorded webs, topics, thesauri, taxonomies, models."""

from __future__ import annotations

import gzip
import io
import re
from dataclasses import replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any
from zipfile import ZipFile, ZipInfo

import numpy as np
from numpy.typing import NDArray

from focused_crawler.classify.hmm.forward import Forward
from focused_crawler.classify.hmm.model import HmmModel
from focused_crawler.classify.model import TopicModel
from focused_crawler.classify.model_file import HMM, MODEL, Files
from focused_crawler.classify.page_classifiers import ThesaurusClassifier
from focused_crawler.classify.registry import METHODS
from focused_crawler.classify.settings import ClassifierSettings
from focused_crawler.classify.taxonomy.classifier import FILES as TAXONOMY
from focused_crawler.classify.taxonomy.classifier import TaxonomyModel
from focused_crawler.classify.taxonomy.folder import load_tree
from focused_crawler.classify.training import train
from focused_crawler.page.blocks import partition
from focused_crawler.page.model import Page
from focused_crawler.page.parser import parse_page
from focused_crawler.page.text.similarity import TopicVector
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.safety.errors import ModelError, TopicError, WebError
from focused_crawler.topic.file import TopicFile
from focused_crawler.topic.thesaurus.file import read_thesaurus
from focused_crawler.topic.thesaurus.scoring import ThesaurusScorer
from focused_crawler.topic.toml import change_list, long_texts, with_long_texts
from focused_crawler.topic.topic import MAX_FILE_BYTES, load_topic
from focused_crawler.virtualweb.index import VirtualWeb
from focused_crawler.virtualweb.record import answer
from tests.hmm import TOPIC, small_hmm
from tests.hostile.fuzzing import Target, scratch
from tests.small_taxonomy import small_taxonomy


@cache
def _folder(name: str) -> Path:
    folder = scratch() / name
    folder.mkdir()
    return folder


# --- recorded webs ----------------------------------------------------------------------------------------


def _record(url: str, head: str, body: bytes, kind: str = "response") -> bytes:
    content = head.replace("\n", "\r\n").encode() + b"\r\n" + body
    fields = f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2020-01-01T00:00:00Z\r\n"
    return f"{fields}Content-Length: {len(content)}\r\n\r\n".encode() + content + b"\r\n\r\n"


_OK = "HTTP/1.1 200 OK\nContent-Type: text/html\n"
_PLAIN = _record("http://a.example/", _OK, b"<p>a star")
_MOVED = _record("http://b.example/", "HTTP/1.0 301 Moved\nLocation: //a.example/\n", b"")
_PACKED = _record(
    "http://c.example/", f"{_OK}Content-Encoding: gzip\n", gzip.compress(b"<p>a star", 1, mtime=0)
)
_CHUNKED = _record("http://d.example/", f"{_OK}Transfer-Encoding: chunked\n", b"4\r\n<p>a\r\n0\r\n\r\n")
_INFO = b"WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 3\r\n\r\na:b\r\n\r\n"
_ARC = (
    b"filedesc://a.arc 0.0.0.0 20200101000000 text/plain 69\n1 0 a\nURL IP-address Archive-date Content-type"
    b" Archive-length\n\nhttp://a.example/ 1.2.3.4 20200101000000 text/html 40\nHTTP/1.1 200 OK\n\n<p>a star"
)
WEBS = [
    _INFO + _PLAIN + _MOVED,
    _PACKED + _CHUNKED,
    gzip.compress(_PLAIN, 1, mtime=0) + gzip.compress(_MOVED, 1, mtime=0),
    gzip.compress(_PLAIN + _MOVED, 1, mtime=0),
    _ARC,
]
FIELDS = [
    b"WARC/1.1\r\n", b"WARC-Type: ", b"response", b"revisit", b"request", b"WARC-Target-URI: ",
    b"Content-Length: ", b"\r\n\r\n", b"HTTP/1.1 200", b"Transfer-Encoding: chunked",
    b"Content-Encoding: br", b"deflate", b"zstd", b"\x1f\x8b", b"filedesc://", b"WARC-Refers-To",
    b"Location: ", b"ETag: ", b"Last-Modified: ", b"X-Demo-Latency: ", b"<", b">", b"\xff", b"999999999999",
    b"-1",
]  # fmt: skip


def web(data: bytes) -> None:
    """A WARC: its index is made, each of its records read, and each of its URLs asked for."""
    folder = _folder("webs")
    path = folder / "web.warc.gz"
    path.write_bytes(data)
    try:
        with VirtualWeb(path) as opened:
            for entry in opened.entries():
                record = opened.read(entry)
                assert record.slowness >= 0
                answer(record, '"a"', "Mon, 01 Jan 2001 00:00:00 GMT")
                opened.get(entry.url)
                opened.get(entry.location)
            for entry in opened.answering():
                assert opened.get(entry.url) is not None
    finally:
        for file in folder.glob("web.warc.gz*"):
            file.unlink()


# --- TOML -------------------------------------------------------------------------------------------------

TOPICS = [
    b"""name = "bees"  # a comment
title = "Bees & hives"
language = "en"
keywords = ["honey", "bee hive", 'comb']
seeds = ["http://hive.example/", "https://hive.example/b"]
targets = "targets.txt"
profile = "polite"
[seed_sets]
a = ["http://a.example/"]
[examples]
relevant = ["http://a.example/1", "saved.html"]
other = []
[thresholds]
relevance = 0.5
link = 1
[taxonomy]
good = ["health/asthma"]
""",
    b'name = "bees"\r\nkeywords = [\r\n    "a", # b\r\n    "c"\r\n]\r\n[examples]\r\nrelevant=["http://a/"]',
]
TOML = [
    b"[[", b"]]", b"[", b"]", b"{", b"}", b"=", b".", b",", b"'''", b'"""', b'"', b"'", b"#", b"\n",
    b"\r\n", b"\\u0000", b"\\ud800", b"\\U00110000", b"name", b"keywords", b"seeds", b"targets",
    b"examples", b"relevant", b"thresholds", b"relevance", b"nan", b"inf", b"1e999", b"0x", b"1979-05-27",
    b"00:00:00", b"true", b"../", b"/dev/zero", b".html", b"language", b"zh-Hant", b"seed_sets",
    b"\xe2\x80\xae", b"\x00", b"\xff", b"a.a.a.a.",
]  # fmt: skip


def topic(data: bytes) -> None:
    """A topic.toml: read, and edited in place."""
    folder = _folder("bees")
    path = folder / "topic.toml"
    path.write_bytes(data)
    (folder / "targets.txt").write_text("http://a.example/\n")
    (folder / "saved.html").write_text("<p>honey")
    found = load_topic(str(folder))
    TopicModel.cold(found, Analyzer(found.language)).classifier.relevance(_page())
    for table, key in (("", "keywords"), ("examples", "relevant")):
        file = TopicFile(path, MAX_FILE_BYTES)
        old = file.texts(table, key)
        change_list(file, table, key, ["http://new.example/"], old[:1])
        assert TopicFile(path, MAX_FILE_BYTES).texts(table, key) == (*old[1:], "http://new.example/")
    assert load_topic(str(folder)).name == found.name


THESAURI = [
    b"""language = "en"
[scoring]
kappa = 0.5
frequency = "density"
[facets.kinds]
title = "Kinds"
negative = ["bee movie"]
entries = '''
honey bee | apis mellifera
  queen
    virgin queen
  worker bee
hive # home
'''
""",
    b"[facets.a]\nentries = \"bee\"\n[facets.b]\nentries = '''\nwax\n'''\n",
]


def thesaurus(data: bytes) -> None:
    """A thesaurus.toml: read, and its outlines written back."""
    path = _folder("thesaurus") / "thesaurus.toml"
    path.write_bytes(data)
    found = read_thesaurus(path)
    judge = ThesaurusClassifier(ThesaurusScorer(found, Analyzer(found.language)))
    assert 0.0 <= judge.relevance(_page()) <= 1.0
    judge.evidence(_page())
    file = TopicFile(path, MAX_FILE_BYTES)
    texts = long_texts(file, "facets", "entries")
    assert (
        TopicFile(path, MAX_FILE_BYTES, with_long_texts(file, "facets", "entries", texts)).tables
        == file.tables
    )


CATEGORIES = [
    b'title = "Health"\nexamples = ["http://a.example/", "page.html"]\ntopics = ["bees"]\n',
    b'language = "en"\n',
]


def taxonomy(data: bytes) -> None:
    """The category.toml of a category, and the one at the top."""
    root, topics = _folder("taxonomy"), _folder("topics")
    (root / "health").mkdir(exist_ok=True)
    (topics / "bees").mkdir(exist_ok=True)
    (topics / "bees" / "topic.toml").write_bytes(b'name = "bees"\nkeywords = ["honey"]\n')
    first, _, second = data.partition(b"\n# ---\n")
    (root / "category.toml").write_bytes(second)
    (root / "health" / "category.toml").write_bytes(first)
    (root / "health" / "page.html").write_text("<p>honey")
    tree = load_tree(root, topics)
    assert "health" in tree


# --- models -----------------------------------------------------------------------------------------------

_ARRAY = re.compile(rb"\n=== ([!-~]{1,60})\n")
_PAGE = b"<title>Stars</title><h1>A star</h1><p>A galaxy of stars by telescope. <a href=/x>nebula star</a>"


def _page(text: bytes = _PAGE) -> Page:
    page = parse_page(text, "http://sky.example/", Analyzer("en"))
    partition(page, 0.5, 10, 10)
    return page


def _taken_apart(folder: Path, files: Files) -> bytes:
    """Return a model's header, and behind it its arrays, each below its name."""
    with np.load(folder / files.arrays) as arrays:
        parts = [b"\n=== " + name.encode() + b"\n" + _as_file(array) for name, array in arrays.items()]
    return b"".join([(folder / files.header).read_bytes(), *parts])


def _as_file(array: NDArray[Any]) -> bytes:
    file = io.BytesIO()
    np.save(file, array, allow_pickle=False)
    return file.getvalue()


def _put_together(data: bytes, folder: Path, files: Files) -> None:
    """Write both files, with the hash that belongs to them; what is behind no name is the archive itself."""
    text, *parts = _ARRAY.split(data)
    file = io.BytesIO()
    with ZipFile(file, "w") as archive:
        for name, array in dict(zip(parts[::2], parts[1::2], strict=True)).items():
            archive.writestr(ZipInfo(f"{name.decode()}.npy"), array)
    weights = file.getvalue() if parts else text.partition(b"\n===\n")[2]
    text = text.partition(b"\n===\n")[0]
    text = re.sub(rb'(?<="weights_sha256": ")[0-9a-f]*', sha256(weights).hexdigest().encode(), text)
    folder.mkdir(exist_ok=True)
    (folder / files.header).write_bytes(text)
    (folder / files.arrays).write_bytes(weights)


@cache
def models() -> list[bytes]:
    """Return a model by each method, small ones."""
    folder, found = _folder("models"), []
    pages = [_page(b"<p>star galaxy " + word) for word in (b"moon", b"night", b"cake", b"menu")]
    for classifier in METHODS:
        settings = ClassifierSettings(classifier=classifier)
        trained = train(TOPIC, pages[:2], pages[2:], settings, Analyzer("en"))[0]
        vector = TopicVector(trained.vector.weights, {"star": 2.0}, 1.0)  # all words of English are too many
        replace(trained, vector=vector).save(folder / classifier)
        found.append(_taken_apart(folder / classifier, MODEL))
    head, archive = found[-1].partition(b"\n=== ")[0], (folder / classifier / MODEL.arrays).read_bytes()
    return [*found, head + b"\n===\n" + archive]


JSON = [
    b"null", b"true", b"1e999", b"NaN", b"-Infinity", b"[]", b"{}", b'""', b"[[[[", b'"\\ud800"',
    b"9" * 400, b"\n=== ", b"\n===\n", b"PK\3\4", b"\x93NUMPY\1\0", b"'descr': '<f8'", b"'descr': '|O'",
    b"'<U9'", b"'<i8'", b"'shape': (9999999999,)", b"'shape': ()", b"'fortran_order': True",
    b"\0\0\0\0\0\0\xf0\x7f", b"\xff\xff\xff\xff\xff\xff\xff\xff", b"{'descr': ",
]  # fmt: skip


def model(data: bytes) -> None:
    """A topic's model: read, and a page and its links judged by it."""
    folder = _folder("model")
    _put_together(data, folder, MODEL)
    found = TopicModel.load(folder)
    page = _page()
    assert 0.0 <= found.classifier.relevance(page) <= 1.0
    found.classifier.evidence(page)
    assert 0.0 <= found.vector.similarity(["star"]) <= 1.0


def hmms() -> list[bytes]:
    folder = _folder("hmms")
    small_hmm().save(folder)
    return [_taken_apart(folder, HMM)]


def hmm(data: bytes) -> None:
    """The model of the hmm strategies: read, and a page put into a cluster."""
    folder = _folder("hmm")
    _put_together(data, folder, HMM)
    found = HmmModel.load(folder)
    found.clusters.nearest({"robot": 1.0, "arm": 2.0}, 3)
    forward = Forward(found.chain)
    forward.priority(forward.follow(forward.unpack(None), 0))


def taxonomies() -> list[bytes]:
    folder = _folder("taxonomies")
    small_taxonomy().save(folder)
    return [_taken_apart(folder, TAXONOMY)]


def trained_taxonomy(data: bytes) -> None:
    """The model of a taxonomy: read, and a page judged by it."""
    folder = _folder("trained")
    _put_together(data, folder, TAXONOMY)
    found = TaxonomyModel.load(folder)
    focus = found.judge(_page(), frozenset(found.tree.leaves[:1]))
    assert 0.0 <= focus.relevance <= 1.0


TARGETS = (
    Target("web", web, WEBS, (WebError,), FIELDS),
    Target("topic", topic, TOPICS, (TopicError,), TOML),
    Target(
        "thesaurus", thesaurus, THESAURI, (TopicError,), [*TOML, b"facets", b"entries", b"|", b"~ 0.5", b"!"]
    ),
    Target("taxonomy", taxonomy, [b"\n# ---\n".join(CATEGORIES)], (TopicError,), [*TOML, b"\n# ---\n"]),
    Target("model", model, models, (ModelError,), JSON),
    Target("hmm", hmm, hmms, (ModelError,), JSON),
    Target("trained", trained_taxonomy, taxonomies, (ModelError,), JSON),
)
