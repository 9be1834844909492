"""What a topic's crawls may follow."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from focused_crawler.safety.errors import TopicError
from focused_crawler.topic.scope import Scope
from focused_crawler.topic.topic import load_topic

URL = "https://www.example.org/docs/a?page=2"


@pytest.mark.parametrize(
    ("scope", "is_outside"),
    [
        (Scope(), False),
        (Scope(hosts=("example.org",)), False),
        (Scope(hosts=("org",)), False),
        (Scope(hosts=("ample.org", "example.com")), True),
        (Scope(prefixes=("http://example.org/docs/",)), False),
        (Scope(prefixes=("https://www.example.org/docs",)), False),
        (Scope(prefixes=("http://example.org/Docs/",)), True),
        (Scope(prefixes=("http://example.org",)), False),
        (Scope(prefixes=("http://(org,example,)/docs",)), False),
        (Scope(prefixes=("org,example,",)), False),
        (Scope(prefixes=("org,",)), False),
        (Scope(prefixes=("http://(org,example,docs,",)), True),
        (Scope(prefixes=("http://(org,example,www,)/docs",)), False),
        (Scope(prefixes=("http://(org,example,www,",)), False),
        (Scope(prefixes=("http://(org,example,:8080)/docs",)), True),
        (Scope(allow=("/docs/", "/news/")), False),
        (Scope(allow=("/news/",)), True),
        (Scope(deny=(r"[?&]page=\d",)), True),
        (Scope(allow=("/docs/",), deny=("/print/",)), False),
        (Scope(words=("docs",)), True),
    ],
    ids=str,
)
def test_a_link_has_to_pass_all_bounds(scope: Scope, is_outside: bool) -> None:
    assert bool(scope.outside(URL)) is is_outside
    assert Scope.of(scope.record()).outside(URL) == scope.outside(URL)


def test_a_host_with_a_port_is_of_its_domain() -> None:
    """Hosts of a scope say nothing of ports, unless they have one."""
    assert not Scope(hosts=("example.org",)).outside("http://a.example.org:8080/")
    assert not Scope(hosts=("example.org:8080",)).outside("http://example.org:8080/")
    assert Scope(hosts=("example.org:8080",)).outside("http://example.org:8081/")
    assert not Scope(prefixes=("http://(org,example,",)).outside("http://a.example.org:8080/")
    assert not Scope(prefixes=("http://(org,example,:8080)/a",)).outside("http://example.org:8080/a")
    assert Scope(prefixes=("http://(org,example,)/a",)).outside("http://example.org:8080/a")
    assert Scope(prefixes=("http://(org,example,www,",)).outside("http://a.example.org/")


def test_a_pattern_that_takes_for_ever_does_not_match() -> None:
    began = time.thread_time()
    assert not Scope(deny=(r"(a+)+$",)).outside(f"http://example.org/{'a' * 2000}!")
    assert time.thread_time() - began < 1


@pytest.mark.parametrize(
    ("language", "text", "is_foreign"),
    [
        ("de-CH", "", False),
        ("EN", "Der Garten und die Bienen", False),
        ("fr", "", True),
        ("", "Les abeilles sont dans le jardin et la ruche est pleine de miel", True),
        ("", "The bees are in the garden and the hive is full of honey", False),
        ("", "", False),
        ("en_US", "", False),
        ("ger", "", False),
        ("por", "", True),
        ("English", "Les abeilles sont dans le jardin et la ruche est pleine de miel", True),
        ("und", "The bees are in the garden and the hive is full of honey", False),
        ("x-default", "", False),
        ("", "2024: 12,345", False),
    ],
)
def test_a_page_has_the_language_that_it_declares_else_that_of_its_text(language, text, is_foreign) -> None:
    """What neither tells is not foreign."""
    assert Scope(languages=("en", "de")).is_foreign(language, text) is is_foreign
    assert not Scope().is_foreign(language, text)


@pytest.mark.parametrize(
    ("scope", "declared"), [("no", "nb-NO"), ("nb", "no"), ("he", "iw"), ("zh", "cmn-Hans"), ("fil", "tl")]
)
def test_a_language_has_several_codes(scope: str, declared: str) -> None:
    """Pages declare it by any of them."""
    assert not Scope(languages=(scope,)).is_foreign(declared, "")
    assert Scope(languages=("sv",)).is_foreign(declared, "")


def test_a_record_that_somebody_broke_bounds_less() -> None:
    """run.json is a file that anybody may have edited."""
    record = {"hosts": ["a.org", 7], "allow": ["("], "deny": None, "depth": "x", "new": 1}
    assert Scope.of(record) == Scope(hosts=("a.org",))


BAD = [
    ('hosts = ["www.Example.org"]', 'write "example.org"'),
    ('prefixes = ["/docs"]', "names no host"),
    ('allow = ["("]', "is no regular expression"),
    ("depth = 0", "use a whole number from 1 on"),
    ("depth = true", "use a whole number from 1 on"),
    ('languages = ["english"]', "is no ISO 639 code"),
    ('host = ["a.org"]', "did you mean hosts?"),
]


@pytest.mark.parametrize(("line", "message"), BAD)
def test_a_slip_is_one_line_with_its_cure(tmp_path: Path, line: str, message: str) -> None:
    (tmp_path / "bees").mkdir()
    (tmp_path / "bees/topic.toml").write_text(f'name = "bees"\nkeywords = ["bee"]\n[scope]\n{line}\n')
    with pytest.raises(TopicError, match=r"topic.toml:4: ") as caught:
        load_topic(str(tmp_path / "bees"))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
