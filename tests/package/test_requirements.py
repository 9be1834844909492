"""What is installed, and by which name: pyproject.toml, requirements.txt and the code agree."""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterable

import pytest
from packaging.requirements import Requirement

from focused_crawler.safety.errors import ConfigError
from focused_crawler.safety.extras import EXTRAS, explaining_extras, is_here, missing
from tests.project import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
BY_EXTRA: dict[str, list[str]] = PROJECT["optional-dependencies"]
BEYOND_A_CRAWL = {"data", "dev", "ui"}
"""Extras that requirements.txt leaves out: a crawl needs none of them."""


def lines(name: str) -> set[str]:
    found = (line.strip() for line in (ROOT / name).read_text().splitlines())
    return plain(line for line in found if line and not line.startswith(("#", "-r")))


def plain(requirements: Iterable[str]) -> set[str]:
    return {str(Requirement(one)).replace("_", "-").lower() for one in requirements}


def test_requirements_txt_is_all_that_a_crawl_may_need() -> None:
    """One `pip install -r` serves a checkout: base, extras, and pytest, which its user named."""
    of_extras = (one for extra, found in BY_EXTRA.items() if extra not in BEYOND_A_CRAWL for one in found)
    assert lines("requirements.txt") == plain([*PROJECT["dependencies"], *of_extras, "pytest>=9,<10"])


def test_what_development_needs_is_listed_once() -> None:
    """In requirements-dev.txt for a checkout, and as the extra "dev"."""
    beyond = plain(one for extra in BEYOND_A_CRAWL - {"dev"} for one in BY_EXTRA.get(extra, ()))
    assert lines("requirements-dev.txt") - beyond == plain(BY_EXTRA["dev"]) - plain(["pytest>=9,<10"])
    assert beyond <= lines("requirements-dev.txt")


def test_a_first_install_has_no_test_runner() -> None:
    """Nor anything else of development."""
    names = {Requirement(one).name for one in PROJECT["dependencies"]}
    assert names & {Requirement(one).name for one in BY_EXTRA["dev"]} == set()
    assert "pytest" not in names


def test_the_licence_is_the_one_of_scrapy() -> None:
    """And lies beside the metadata that names it."""
    assert PROJECT["license"] == "BSD-3-Clause"
    assert "Redistribution and use in source and binary forms" in (ROOT / "LICENSE").read_text()


@pytest.mark.parametrize("extra", EXTRAS)
def test_every_extra_that_is_asked_for_can_be_installed(extra: str) -> None:
    """By the name that the error line gives."""
    name = re.search(r"focused-crawler\[(\w+)\]", str(missing(extra)))
    assert name is not None
    assert name[1] in BY_EXTRA
    assert is_here(extra)  # in development all are


def test_a_missing_library_is_named_by_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """In one line; a module of ours that is missing is a fault of ours, and stays one."""
    monkeypatch.setitem(sys.modules, "ddgs", None)
    assert not is_here("search")
    with (
        pytest.raises(ConfigError, match=r"type pip install 'focused-crawler\[search\]'"),
        explaining_extras(),
    ):
        import ddgs  # noqa: F401, PLC0415
    with pytest.raises(ModuleNotFoundError), explaining_extras():
        import focused_crawler.nowhere  # type: ignore[import-not-found]  # noqa: F401, PLC0415
