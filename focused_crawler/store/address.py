"""FOCUSED_DATABASE: the URL of a PostgreSQL database, and what of it may be shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focused_crawler.errors import ConfigError

if TYPE_CHECKING:
    from sqlalchemy import URL

# ruff: noqa: PLC0415 - SQLAlchemy loads slowly, and most crawls have no need of it.

_SECRETS = ("password", "sslpassword")


def parsed(address: str) -> URL:
    """Return the parts of an address; ConfigError, which does not show it, if it is none of PostgreSQL's."""
    from sqlalchemy import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        url = make_url(address)
    except (ArgumentError, ValueError):
        url = None
    if url is None or url.get_backend_name() not in {"postgresql", "postgres"}:
        raise ConfigError(
            "FOCUSED_DATABASE is not the address of a PostgreSQL database; use one like"
            " postgresql://USER@HOST/DATABASE, or leave it empty for crawl.db in the crawl's folder"
        )
    return url.set(drivername="postgresql")


def shown(address: str) -> str:
    """Return the address without a password; empty stays empty.

    >>> shown("postgresql://ann:secret@db.example/crawls?sslmode=require&password=secret")
    'postgresql://ann@db.example/crawls?sslmode=require'
    """
    if not address:
        return ""
    from sqlalchemy import URL

    url = parsed(address).difference_update_query(_SECRETS)
    kept = URL.create(url.drivername, url.username, None, url.host, url.port, url.database, url.query)
    return kept.render_as_string()
