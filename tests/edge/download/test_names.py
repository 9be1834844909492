"""Names are looked up with a deadline, a few at a time for a domain, by a real name server on loopback."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator

import pytest

from focused_crawler.edge.download import names
from focused_crawler.edge.download.names import AT_A_TIME, FIRST_REST, Address, Names, NoAddress
from focused_crawler.safety.errors import ConfigError
from focused_crawler.safety.name_servers import NameSettings
from focused_crawler.safety.settings import read
from tests.hostile.web import HostileWeb, hostile_web


@pytest.fixture(scope="module")
def web() -> Iterator[HostileWeb]:
    with hostile_web() as running:
        yield running


class Looking:
    """Names of the hostile web, by a clock that can be set."""

    def __init__(self, web: HostileWeb, timeout: float = 0.2) -> None:
        self.now, self.counts = 0.0, Counter[str]()
        settings = NameSettings((f"127.0.0.1:{web.dns}",), timeout)
        self.names = Names(settings, lambda what: self.counts.update([what]), lambda: self.now)

    async def all(self, *hosts: str) -> list[object]:
        found = await asyncio.gather(*map(self.names.addresses, hosts), return_exceptions=True)
        return [type(one) if isinstance(one, Exception) else one for one in found]


def run(web: HostileWeb, *rounds: tuple[float, tuple[str, ...]]) -> tuple[list[list[object]], Counter[str]]:
    """Look up some names at some times; return what came of them and what was counted."""

    async def look() -> tuple[list[list[object]], Counter[str]]:
        looking, found = Looking(web), []
        for now, hosts in rounds:
            looking.now = now
            found.append(await looking.all(*hosts))
        await looking.names.close()
        return found, looking.counts

    return asyncio.run(look())


def test_all_addresses_of_a_name(web: HostileWeb) -> None:
    found, _ = run(web, (0, ("honest.test", "mixed.test", "loop6.test", "nowhere.test", "127.1")))
    one, two = Address("127.0.0.1", False), Address("10.0.0.1", False)
    assert found == [[(one,), (one, two), (Address("::1", True),), NoAddress, NoAddress]]


@pytest.mark.parametrize(("most", "kept"), [(25, 25), (24, 0)])
def test_a_name_has_so_many_addresses(
    web: HostileWeb, monkeypatch: pytest.MonkeyPatch, most: int, kept: int
) -> None:
    """All of them or none: each is vetted."""
    monkeypatch.setattr(names, "MOST_ADDRESSES", most)
    (((found,),), _) = run(web, (0, ("crowd.test",)))
    assert (found == NoAddress) if not kept else (len(found) == kept)


def test_an_answer_is_kept_for_a_while(web: HostileWeb) -> None:
    """Whatever its own time to live, which is a second here."""
    names_ = ("a.honest.test",)
    found, counts = run(web, (0, names_), (names.LEAST_KEPT - 1, names_), (names.LEAST_KEPT + 1, names_))
    assert found == 3 * [[(Address("127.0.0.1", False),)]]
    assert counts["lookups"] == 2


def test_those_who_ask_for_one_name_share_a_lookup(web: HostileWeb) -> None:
    assert run(web, (0, ("b.honest.test",) * 9))[1]["lookups"] == 1


def test_a_silent_domain_rests_longer_each_time(web: HostileWeb) -> None:
    """Other domains are answered meanwhile; a probe alone is made when the rest is over."""
    many = tuple(f"m{number}.dead.test" for number in range(50))
    rounds = (
        (0, (*many, "honest.test")),
        (FIRST_REST - 1, many),
        (FIRST_REST + 1, many),
        (2.5 * FIRST_REST, many),
    )
    found, counts = run(web, *rounds)
    assert found[0][-1] == (Address("127.0.0.1", False),)
    assert {one for some in found for one in some[:50]} == {NoAddress}
    assert counts == {
        "lookups": AT_A_TIME + 1 + 1,
        "timeouts": AT_A_TIME + 1,
        "held_back": 4 * 50 - AT_A_TIME - 1,
    }


def test_a_domain_that_answers_again_is_as_before(web: HostileWeb) -> None:
    """Its rest ends with the first answer, be it that there is no such name."""
    for probe in ("dead.test", "gone.dead.test"):
        later = FIRST_REST + 1
        _, counts = run(web, (0, ("x.dead.test",)), (later, (probe,)), (later + 1, ("y.dead.test",)))
        assert counts == {"lookups": 3, "timeouts": 2}


def test_who_asks_for_us_may_say_that_nobody_answers(web: HostileWeb) -> None:
    """SERVFAIL is what a name server between us and a silent one says."""
    names_ = tuple(f"m{number}.broken.test" for number in range(20))
    _, counts = run(web, (0, names_), (1, names_))
    assert counts == {"lookups": AT_A_TIME, "timeouts": AT_A_TIME, "held_back": 2 * 20 - AT_A_TIME}


@pytest.mark.parametrize("servers", ["9.9.9.9", "9.9.9.9, [::1]:5353", ["::1"], "127.0.0.1:5353", ""])
def test_name_servers(servers: object) -> None:
    assert all(read(NameSettings, {"FOCUSED_NAME_SERVERS": servers}).servers)


@pytest.mark.parametrize("servers", ["dns.example", "9.9.9.9:0", "9.9.9.9:99999", "300.1.1.1", 53])
def test_wrong_name_servers(servers: object) -> None:
    with pytest.raises(ConfigError, match="FOCUSED_NAME_SERVERS"):
        read(NameSettings, {"FOCUSED_NAME_SERVERS": servers})


def test_answers_are_kept_for_so_many_names(web: HostileWeb, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those asked for last; a domain whose name server is silent is remembered all the same."""
    monkeypatch.setattr(names, "MOST_NAMES", 2)
    many = tuple((0.0, (f"{host}.honest.test",)) for host in "abcabc")
    _, counts = run(web, (0, ("n1.dead.test",)), *many, (1, ("n2.dead.test",)))
    assert counts == {"lookups": 7, "timeouts": 1, "held_back": 1}
