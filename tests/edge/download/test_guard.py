"""Parts of the guard that no ordinary request reaches; tests/hostile has the rest, on real connections."""

import subprocess
import sys

import pytest
from twisted.internet.address import IPv4Address

from focused_crawler.edge.download.endpoint import VettingResolver
from focused_crawler.safety.address import is_allowed


class Receiver:
    """Keeps what a resolver tells it."""

    def __init__(self):
        self.hosts = []
        self.is_complete = False

    def resolutionBegan(self, resolution):
        self.hosts.clear()

    def addressResolved(self, address):
        self.hosts.append(address.host)

    def resolutionComplete(self):
        self.is_complete = True


class Answers:
    """A name server with one answer."""

    def __init__(self, *hosts):
        self.hosts = hosts

    def resolveHostName(self, receiver, name, port, types, semantics):
        receiver.resolutionBegan(None)
        for host in self.hosts:
            receiver.addressResolved(IPv4Address("TCP", host, port))
        receiver.resolutionComplete()


@pytest.mark.parametrize(
    ("hosts", "passed", "refused"),
    [
        (["1.1.1.1", "8.8.8.8"], ["1.1.1.1", "8.8.8.8"], []),
        (["1.1.1.1", "10.0.0.1"], [], ["10.0.0.1"]),
        (["10.0.0.2", "1.1.1.1", "10.0.0.1", "10.0.0.2"], [], ["10.0.0.1", "10.0.0.2"]),
        ([], [], []),
    ],
)
def test_answer_passes_whole_or_not_at_all(hosts, passed, refused):
    """One private address among public ones stops them all."""
    receiver, resolver = Receiver(), VettingResolver(Answers(*hosts), is_allowed, "example.org")
    resolver.resolveHostName(receiver, "example.org", 80)
    assert (receiver.hosts, resolver.refused, receiver.is_complete) == (passed, refused, True)


@pytest.mark.parametrize(
    ("host", "passed"), [("1.1.1.1", ["1.1.1.1"]), ("::1", []), ("2606:4700::1", ["2606:4700::1"])]
)
def test_written_out_address_is_not_looked_up(host, passed):
    """No name server is asked about a number, and none can lie about it."""
    receiver = Receiver()
    VettingResolver(Answers("9.9.9.9"), is_allowed, host).resolveHostName(receiver, host, 80)
    assert receiver.hosts == passed


def test_import_installs_no_reactor():
    """Scrapy installs the one that settings name, after our modules are imported."""
    code = (
        "import sys, focused_crawler.edge.download.guard; sys.exit('twisted.internet.reactor' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


POOL = """
import asyncio
from scrapy.utils.reactor import install_reactor
install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")
from twisted.internet import reactor
from twisted.web.client import HTTPConnectionPool
from focused_crawler.edge.download.guard import GuardedConnectionPool
pool = GuardedConnectionPool(
    HTTPConnectionPool(reactor),
    judge=lambda address: True,
    resolver=None,
    tls_policy=None,
    is_verifying=True,
    connect_timeout=1,
    most_idle=0,
)
proxy, tunnel = (b"http-proxy", b"a", 80, None), (b"https", b"a", 443, "proxy", 80, None, None)
for key in (proxy, tunnel, (b"ftp", b"a", 21, None)):
    failures = []
    pool.getConnection(key, None).addErrback(failures.append)
    print(failures[0].type.__name__)
"""


def test_pool_refuses_what_it_does_not_know():
    """Connections of a proxy, a tunnel or another scheme, even where all addresses are allowed."""
    done = subprocess.run([sys.executable, "-c", POOL], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["AddressRefused"] * 3
