from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.conformance.archives import MODULES, check, record


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    path = tmp_path_factory.mktemp("recording") / "wire.warc.gz"
    return path, record(path)


@pytest.mark.parametrize("tool", MODULES)
def test_tools_of_web_archives_read_what_was_sent(recording: tuple[Path, dict[str, str]], tool: str) -> None:
    """Every kind of response, byte for byte."""
    path, names = recording
    wrong = check(tool, sys.executable, path, names)
    if wrong is None:
        pytest.skip(
            f"{tool} is not installed; python -m tests.conformance.archives --python PATH uses another's"
        )
    assert wrong == {}
