"""One hostile site and one process of crawls for all tests of this folder: each test reads one outcome."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hostile.cases import plan
from tests.hostile.certificates import make_certificates
from tests.hostile.outcome import Report
from tests.hostile.server import HostileSite
from tests.hostile.web import HostileWeb, hostile_web

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Report]:
    """Everything that the crawls of `cases.plan` did, and what the servers saw of it."""
    folder = tmp_path_factory.mktemp("hostile")
    of_tls = {name: HostileSite(tls=context) for name, context in make_certificates(folder).items()}
    sites = {"plain": HostileSite(), **of_tls}
    for site in sites.values():
        site.start()
    try:
        yield _crawl(sites, folder)
    finally:
        for site in sites.values():
            site.close()


@pytest.fixture(scope="module")
def web() -> Iterator[HostileWeb]:
    """Hosts of a whole crawl."""
    with hostile_web() as running:
        yield running


def _crawl(sites: dict[str, HostileSite], folder: Path) -> Report:
    ports = {name: site.port for name, site in sites.items()}
    environment = {**os.environ, "SSL_CERT_FILE": str(folder / "authority.pem"), "PYTHONWARNINGS": "error"}
    done = subprocess.run(
        [sys.executable, "-m", "tests.hostile.crawl"],
        cwd=ROOT,
        env=environment,
        input=json.dumps(plan(ports)),
        capture_output=True,
        text=True,
        timeout=600,  # a busy machine takes a minute
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return Report(json.loads(done.stdout), done.stderr, sites)
