"""What PostgreSQL's errors mean to a user: one line that names the database and what to do."""

from __future__ import annotations

import psycopg
from psycopg import errors

_CONNECTING = (
    ("no password supplied", "give its password in PGPASSWORD or ~/.pgpass"),
    ("password authentication failed", "give the right password in PGPASSWORD or ~/.pgpass"),
    ('role "', "name a user that its server knows, as in postgresql://USER@HOST/DATABASE"),
    ("permission denied", "grant its user CONNECT on the database"),
    ('database "', "make that database with createdb, or name another in FOCUSED_DATABASE"),
    ("too many", "close other programs that use it"),
)
_OTHERWISE = "see that its server runs and that FOCUSED_DATABASE is right"
_USING: tuple[tuple[type[psycopg.Error], str], ...] = (
    (errors.DiskFull, "cannot grow: its server's disk is full; free some space"),
    (errors.InsufficientPrivilege, "may not be used so ({}); grant its user CREATE on the database"),
    (errors.ReadOnlySqlTransaction, "cannot be written to ({}); use a database that can"),
    (errors.LockNotAvailable, "is locked by another program; close that"),
    (errors.DeadlockDetected, "is locked by another program; close that"),
    (errors.InvalidSchemaName, "is no more there ({}); put it back, or begin anew with another job"),
    (errors.UndefinedTable, "is no more there ({}); put it back, or begin anew with another job"),
)
_LOST = "cannot be used ({}); see that its server runs"
_CALLERS = (
    psycopg.IntegrityError,
    psycopg.ProgrammingError,
    psycopg.DataError,
    psycopg.NotSupportedError,
    psycopg.InterfaceError,
)


def is_callers(error: psycopg.Error) -> bool:
    """Tell whether a statement was wrong, not the database."""
    return isinstance(error, _CALLERS) and not isinstance(error, tuple(kind for kind, _ in _USING))


def connecting_failed(address: str, error: psycopg.Error) -> str:
    """Return what to tell when there is no connection to an address (without its password)."""
    reason = _one_line(error)
    cure = next((cure for words, cure in _CONNECTING if words in reason), _OTHERWISE)
    return f"{address} cannot be opened ({reason}); {cure}"


def using_failed(name: str, error: psycopg.Error) -> str:
    """Return what to tell when a statement fails."""
    words = next((words for kind, words in _USING if isinstance(error, kind)), _LOST)
    return f"{name} {words.format(_one_line(error))}, and run the same command again"


def _one_line(error: psycopg.Error) -> str:
    """Return what the server says, or what is said last of the addresses that were tried."""
    if error.diag.message_primary:
        return " ".join(error.diag.message_primary.split())[:300]
    lines = [line for line in str(error).splitlines() if line.strip() and not line.startswith("\t")]
    last = lines[-1] if lines else type(error).__name__
    return " ".join(last.removeprefix("- ").split())[:300]
