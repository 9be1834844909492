"""The scripts of the Redis frontier, as files of the package."""

from __future__ import annotations

import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from zipfile import ZipFile

import pytest
from redis import Redis

from focused_crawler.frontier.redis.steps import KEYS, PARTS, partition_keys, registry_keys, script, tag
from tests.project import ROOT

LUA = files("focused_crawler.frontier.redis") / "lua"
STEPS = sorted(
    path.name.removesuffix(".lua") for path in LUA.iterdir() if not path.name.startswith(("_", "heartbeat"))
)


@pytest.mark.parametrize("step", [*STEPS, "heartbeat"])
def test_every_step_is_a_script(redis_server, step):
    """The server can read it, and knows it by the name that we do."""
    with Redis.from_url(redis_server.address) as client:
        assert client.script_load(script(step).text) == script(step).name


def test_every_file_is_part_of_a_step():
    """None lies there unused."""
    assert {path.name for path in LUA.iterdir()} == {f"{name}.lua" for name in (*PARTS, *STEPS, "heartbeat")}


def test_the_keys_are_those_that_the_scripts_name():
    """In one order."""
    first = (LUA / "_base.lua").read_text().partition("= unpack(KEYS)")[0].partition("local ")[2]
    assert [name.strip().lower() for name in first.split(",")] == list(KEYS)


def test_scripts_out_of_an_egg(tmp_path: Path):
    """They are read where there is no folder."""
    egg = tmp_path / "project.egg"
    with ZipFile(egg, "w") as archive:
        for path in (ROOT / "focused_crawler").rglob("*"):
            if path.suffix in {".py", ".lua"}:
                archive.write(path, path.relative_to(ROOT))
    told = "from focused_crawler.frontier.redis.steps import script; print(script('take').name)"
    code = f"import sys; sys.path.insert(0, {str(egg)!r}); {told}"
    found = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert found.stdout.strip() == script("take").name


def test_partitions_are_spread_over_all_slots():
    """So that a cluster's nodes have as many each, and one partition is on one node."""
    tags = [tag(number, 16) for number in range(16)]
    assert len(set(tags)) == 16
    for number in range(16):
        keys = partition_keys("focused:t:1", number, 16)
        assert all(key.startswith(b"focused:t:1:{%s}:" % tags[number].encode()) for key in keys)
    assert not set(registry_keys("focused:t:1")) & set(partition_keys("focused:t:1", 0, 1))
