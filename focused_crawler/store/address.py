"""FOCUSED_DATABASE: the URL of a PostgreSQL database, and what of it may be shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focused_crawler.safety.errors import ConfigError

if TYPE_CHECKING:
    from sqlalchemy import URL

# ruff: noqa: PLC0415 - SQLAlchemy loads slowly, and most crawls have no need of it.

_SECRETS = ("password", "sslpassword", "oauth_client_secret", "scram_client_key", "scram_server_key")
_HELP = (
    "use one like postgresql://USER@HOST/DATABASE (with a password: USER:PASSWORD@HOST, in which"
    " / # ? @ : are %2F %23 %3F %40 %3A), or leave it empty for crawl.db in the crawl's folder"
)


def parsed(address: str) -> URL:
    """Return the parts of an address; ConfigError, which does not show it, if it is none of PostgreSQL's."""
    from sqlalchemy import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        url = make_url(address)
    except (ArgumentError, ValueError):
        url = None
    if url is None or url.get_backend_name() not in {"postgresql", "postgres"} or _is_torn(address, url):
        raise ConfigError(f"FOCUSED_DATABASE is not the address of a PostgreSQL database; {_HELP}")
    if not _is_taken(url):
        raise ConfigError(
            f"FOCUSED_DATABASE has a host, port or option that PostgreSQL's client does not take; {_HELP}"
        )
    return url.set(drivername="postgresql")


def _is_torn(address: str, url: URL) -> bool:
    """Tell whether a character of the password may have ended it, so that its rest is taken for a host."""
    return "@" in address and (address.count("@") > 1 or url.username is None)


def _is_taken(url: URL) -> bool:
    import psycopg
    from psycopg.conninfo import make_conninfo
    from sqlalchemy.exc import ArgumentError

    url = url.set(drivername="postgresql+psycopg")
    try:
        _, options = url.get_dialect()().create_connect_args(url)
        made = make_conninfo(**options)
        for host in str(options.get("host", "")).split(","):
            host.startswith("/") or host.encode("idna")
    except (ArgumentError, TypeError, ValueError, psycopg.Error):
        return False
    return "\0" not in made


def shown(address: str) -> str:
    """Return the address without a password; empty stays empty.

    >>> shown("postgresql://ann:secret@db.example/crawls?sslmode=require&password=secret")
    'postgresql://ann@db.example/crawls?sslmode=require'
    """
    if not address:
        return ""
    from sqlalchemy import URL

    url = parsed(address).difference_update_query(_SECRETS)
    public = URL.create(url.drivername, url.username, None, url.host, url.port, url.database, url.query)
    return public.render_as_string()
