"""Addresses of PostgreSQL: what is none, and what is shown of one."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from focused_crawler.safety.errors import ConfigError, CrawlError
from focused_crawler.store.address import parsed, shown
from focused_crawler.store.postgresql.database import PostgresqlSchema

SECRET = "GeHeim"
PIECES = [*"/#?@:%&=[]\\ ;,!$\t\n'\"\x00\u2100", "12", "0", "?x=", "://", "%2F", "%00", "\udc80", "\u00e9"]
ODD = st.lists(st.sampled_from(PIECES), max_size=4).map("".join)
PASSWORDS = st.tuples(ODD, st.just(SECRET), ODD).map("".join)


def told(address: str) -> str:
    """Return all that is said of an address that cannot be used."""
    try:
        line = shown(address)
    except ConfigError as error:
        line = str(error)
    with pytest.raises((CrawlError, ConfigError)) as raised:
        PostgresqlSchema(address, "crawl").open(read_only=True)
    return f"{line} {raised.value}"


@given(PASSWORDS)
@settings(deadline=None)
@example("p@GeHeim")
@example("GeHeim&GeHeim=GeHeim")
def test_no_password_is_shown(password: str) -> None:
    """Whatever is in it, and wherever an address takes it to end."""
    for address in (
        f"postgresql://ann:{password}@127.0.0.1:1/db",
        f"postgresql://an/n:{password}@127.0.0.1:1/db",
        f"postgresql://ann@127.0.0.1:1/db?password={password}",
        f"postgresql://ann@127.0.0.1:1/db?Password={password}",
        f"postgresql://ann@127.0.0.1:1/db?password=1&sslpassword={password}",
    ):
        line = told(address)
        assert SECRET.lower() not in line.lower()
        assert len(line.splitlines()) == 1


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1))
@settings(deadline=None)
def test_any_password_can_be_written(password: str) -> None:
    """With its odd characters as %XX; PostgreSQL has none with a zero byte."""
    address = f"postgresql://ann:{quote(password, safe='')}@127.0.0.1:1/db"
    assert parsed(address).password == password
    assert shown(address) == "postgresql://ann@127.0.0.1:1/db"


@pytest.mark.parametrize(
    "address",
    [
        "mysql://ann@h/db",
        "POSTGRESQL",
        "postgresql://h:port/db",
        "postgresql://ann:p@ss@127.0.0.1:1/db",
        "postgresql://h/n:GeHeim@h/db",
    ],
)
def test_what_is_no_address(address: str) -> None:
    """The line names the setting, not what it was set to, and says how to write a password."""
    with pytest.raises(ConfigError) as raised:
        parsed(address)
    assert str(raised.value) == (
        "FOCUSED_DATABASE is not the address of a PostgreSQL database; use one like"
        " postgresql://USER@HOST/DATABASE (with a password: USER:PASSWORD@HOST, in which / # ? @ : are"
        " %2F %23 %3F %40 %3A), or leave it empty for crawl.db in the crawl's folder"
    )


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://ann@h/db?bogus=1",
        "postgresql://ann@h/db?autocommit=1",
        "postgresql://ann@a..b/db",
        "postgresql:///db?host=a..b",
        f"postgresql://{'a' * 64}/db",
        "postgresql:///db?host=a:1&host=b:x",
        "postgresql://ann:%00@h/db",
    ],
)
def test_parts_that_the_client_does_not_take(address: str) -> None:
    """One line, before anything is asked of a server."""
    with pytest.raises(ConfigError, match=r"^FOCUSED_DATABASE has a host, port or option that [^\n]*$"):
        parsed(address)


def test_what_can_be_used_is_shown_as_it_was_given() -> None:
    """So a crawl that is read later on finds it."""
    for address in (
        "",
        "postgresql://ann@db.example/crawls?sslmode=verify-full&sslrootcert=%2Fetc%2Fssl%2Fca.pem",
        "postgresql:///crawls?host=%2Frun%2Fpostgresql",
        "postgresql://ann@[::1]:5432/crawls",
    ):
        assert shown(address) == address


@pytest.mark.parametrize("port", ["99999", "-5"])
def test_ports_that_do_not_exist(port: str) -> None:
    """One line."""
    line = told(f"postgresql://ann:GeHeim@127.0.0.1:{port}/db")
    assert "invalid port number" in line
    assert len(line.splitlines()) == 1
