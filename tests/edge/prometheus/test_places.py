"""Where metrics are served: ports, names of the host, the file for Prometheus."""

from __future__ import annotations

import json
import socket

import pytest

from focused_crawler.crawl.config import CrawlConfig
from focused_crawler.edge.prometheus.listener import announce, is_own_name, listen, target
from focused_crawler.safety.errors import ConfigError
from focused_crawler.safety.settings import read_one

NAME = "FOCUSED_METRICS_PORT"


@pytest.mark.parametrize(
    ("given", "ports"),
    [
        (0, range(0)),
        ("", range(0)),
        ("0", range(0)),
        (9410, range(9410, 9411)),
        ("9410-9412", range(9410, 9413)),
        ("65535", range(65535, 65536)),
    ],
)
def test_a_port_or_a_range(given, ports):
    """0: none."""
    assert read_one(CrawlConfig, "metrics_ports", {NAME: given}) == ports


@pytest.mark.parametrize(
    "given", ["-1", "65536", "9410-", "9412-9410", "a", "9410-b", "0-5", "1.5", "٣", "9" * 5000, "1-2-3"]
)
def test_what_is_no_port_is_said_in_one_line(given):
    """With what would be right."""
    with pytest.raises(ConfigError, match=r"FOCUSED_METRICS_PORT is .*; use a port, as in 9410"):
        read_one(CrawlConfig, "metrics_ports", {NAME: given})


def test_the_first_free_port_is_taken_and_nobody_else_gets_it():
    """Two crawls that start at once never share one."""
    with (
        listen("127.0.0.1", range(21000, 21100)) as first,
        listen("127.0.0.1", range(21000, 21100)) as second,
    ):
        assert first.getsockname()[1] < second.getsockname()[1]


def test_a_range_that_is_all_taken():
    """Says so."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(ConfigError, match="is taken; give another, or a range as in"):
            listen("127.0.0.1", range(port, port + 1))


def test_an_address_that_is_not_ours():
    """Is named."""
    with pytest.raises(ConfigError, match=r"FOCUSED_METRICS_ADDRESS 192\.0\.2\.1 cannot be listened on"):
        listen("192.0.2.1", range(9410, 9420))


@pytest.mark.parametrize(
    ("host", "is_ours"),
    [
        ("127.0.0.1", True),
        ("127.0.0.1:9410", True),
        ("localhost:9410", True),
        ("LOCALHOST", True),
        ("[::1]:9410", True),
        ("10.1.2.3:9410", True),
        ("crawler.lan:9410", True),
        (socket.gethostname(), True),
        ("evil.example:9410", False),
        ("127.0.0.1.evil.example", False),
        ("localhost.evil.example", False),
        ("user@evil.example", False),
        ("[", False),
        ("", False),
        (None, False),
    ],
)
def test_who_is_asked_for(host, is_ours):
    """A number cannot be rebound; a name is ours, or is refused."""
    assert is_own_name(host, "crawler.lan") == is_ours


def test_the_file_for_prometheus(tmp_path):
    """One a target, so that crawls that end at once do not write the same."""
    for place in (target("127.0.0.1", 9410), target("::1", 9411), target("0.0.0.0", 9412)):
        announce(tmp_path, place)
    files = sorted((tmp_path / ".metrics").iterdir())
    assert len(files) == 3
    places = [json.loads(file.read_text())[0]["targets"][0] for file in files]
    assert {"127.0.0.1:9410", "[::1]:9411", f"{socket.gethostname()}:9412"} == set(places)
