"""docs/deploy: what the files for containers name is there."""

from __future__ import annotations

import re
import tomllib

from focused_crawler.safety.user_settings import FROM_ENVIRONMENT
from tests.project import ROOT

HOME = ROOT / "docs/deploy"


def test_the_image_is_built_of_what_there_is() -> None:
    """All that the wheel is made from is copied, and its extras exist."""
    text = (HOME / "Containerfile").read_text()
    copied = {
        name for line in re.findall(r"^COPY (?!--)(.+) \S+$", text, re.MULTILINE) for name in line.split()
    }
    assert all((ROOT / name).exists() for name in copied)
    assert {"pyproject.toml", "setup.py", "README.md", "LICENSE", "focused_crawler", "topics"} <= copied
    (extras,) = re.findall(r"whl\)\[(.+?)\]", text)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert set(extras.split(",")) <= project["optional-dependencies"].keys()
    assert re.findall(r'ENTRYPOINT \["(.+)"\]', text) == list(project["scripts"])


def test_a_fleet_gets_its_addresses_from_the_environment() -> None:
    """No password stands in a command, which everybody on the machine can read."""
    text = (HOME / "compose.yaml").read_text()
    assert all(f"      {name}: " in text for name in FROM_ENVIRONMENT)
    command = text.partition("    command:\n      - fleet")[2].partition("    volumes")[0]
    assert "PASSWORD" not in command
    assert "dockerfile: docs/deploy/Containerfile" in text
