"""A crawl's database in PostgreSQL: opening, locking, migrating, and what a user is told."""

from __future__ import annotations

import pytest
from sqlalchemy import make_url

from focused_crawler.safety.errors import CrawlError
from focused_crawler.store.database import CrawlDatabase
from focused_crawler.store.postgresql import database as postgresql_module
from focused_crawler.store.postgresql.database import PostgresqlSchema
from focused_crawler.store.schema import MIGRATIONS

MORE = (
    "0008_test",
    ("ALTER TABLE hosts ADD COLUMN note TEXT DEFAULT 'x;y?%'", "CREATE INDEX notes ON hosts (note)"),
)
ADD = "INSERT INTO hosts (name) VALUES (?)"


def refusal(open_it, *values, **options):
    """Return the line a user is told when a database cannot be opened."""
    with pytest.raises(CrawlError) as refused:
        open_it(*values, **options).close()
    assert "\n" not in str(refused.value)
    return str(refused.value)


def text_of(url):
    return url.render_as_string(hide_password=False)


def names(database):
    return [row[0] for row in database.rows("SELECT name FROM hosts ORDER BY id")]


def test_one_writer(kind, monkeypatch):
    """A crawl under way is not opened by another one; once it is over, it is."""
    with kind.open(), monkeypatch.context() as patch:
        patch.setattr(postgresql_module, "_LOCK_PAUSE", 0.0)
        assert "is being crawled by another process; wait for it to end" in refusal(kind.open)
    kind.open().close()


def test_reader_beside_a_running_crawl(kind):
    """A report reads what is committed, even what came after it began, and cannot write."""
    with kind.open() as writer, kind.open(read_only=True) as reader:
        writer.execute(ADD, ("a.org",))
        assert names(reader) == []
        writer.commit()
        assert names(reader) == ["a.org"]
        with pytest.raises(CrawlError, match="cannot be written to"):
            reader.execute(ADD, ("b.org",))


def test_reader_of_nothing(kind):
    """Reading a crawl that never began says so, and makes nothing."""
    assert "does not exist; give the folder of a crawl" in refusal(kind.open, read_only=True)
    assert "does not exist" in refusal(kind.open, read_only=True)


def test_foreign_schema(kind):
    """A schema of something else is not written into."""
    with kind.server.connected() as connection:
        connection.execute(f"CREATE SCHEMA {kind.schema} CREATE TABLE recipes (name TEXT)")
    assert "not one of a crawl" in refusal(kind.open)
    assert "not one of a crawl" in refusal(kind.open, read_only=True)


def test_newer_version(kind):
    """A schema of a newer version is not touched by an older one."""
    with kind.open() as database:
        database.execute("INSERT INTO migrations VALUES ('9999_future', 0)")
        database.commit()
    for read_only in (False, True):
        assert "newer version (9999_future)" in refusal(kind.open, read_only=read_only)


def test_migration_is_applied_once(kind, monkeypatch):
    """A new migration changes an old schema, keeps its rows, and is not applied again."""
    with kind.open() as database:
        database.execute(ADD, ("a.org",))
        database.commit()
    monkeypatch.setattr(postgresql_module, "MIGRATIONS", (*MIGRATIONS, MORE))
    for _ in range(2):
        with kind.open() as database:
            assert database.rows("SELECT name, note FROM hosts") == [("a.org", "x;y?%")]


def test_reader_of_an_older_version(kind, monkeypatch):
    """It is brought up to date where nobody crawls, and is read then."""
    with kind.open() as database, monkeypatch.context() as patch:
        database.execute(ADD, ("a.org",))
        database.commit()
        patch.setattr(postgresql_module, "MIGRATIONS", (*MIGRATIONS, MORE))
        patch.setattr(postgresql_module, "_LOCK_PAUSE", 0.0)
        line = refusal(kind.open, read_only=True)
        assert "older version" in line
        assert "is being crawled by another process; wait for it to end" in line
    monkeypatch.setattr(postgresql_module, "MIGRATIONS", (*MIGRATIONS, MORE))
    for _ in range(2):
        with kind.open(read_only=True) as database:
            assert database.rows("SELECT name, note FROM hosts") == [("a.org", "x;y?%")]


def test_broken_migration_leaves_no_trace(kind, monkeypatch):
    """A migration that fails half-way is as if it had never been tried."""
    kind.open().close()
    broken = ("0008_broken", ("CREATE TABLE half (x INTEGER)", "SELECT 1 / 0"))
    with monkeypatch.context() as patch:
        patch.setattr(postgresql_module, "MIGRATIONS", (*MIGRATIONS, broken))
        assert "division by zero" in refusal(kind.open)
    with kind.open() as database:
        assert not database.rows("SELECT 1 FROM pg_tables WHERE tablename = 'half'")


def test_a_server_that_goes_away(kind):
    """The crawl is told in one line, and holds its last commit."""
    with kind.open() as database:
        database.execute(ADD, ("a.org",))
        database.commit()
        database.execute(ADD, ("b.org",))
        with kind.server.connected() as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE application_name = 'focused-crawler'"
            )
        line = refusal(lambda: database.rows("SELECT 1") and database)
        assert "see that its server runs, and run the same command again" in line
        assert database.failure is not None
        with pytest.raises(CrawlError, match="see that its server runs"):
            database.commit()
    with kind.open() as database:
        assert names(database) == ["a.org"]


def test_a_schema_that_goes_away(kind):
    """Somebody dropped it: one line says so."""
    with kind.open() as database:
        kind.server.drop(kind.schema)
        line = refusal(lambda: database.rows("SELECT 1 FROM hosts") and database)
    assert 'is no more there (relation "hosts" does not exist' in line


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            {"username": "nobody-here"},
            'role "nobody-here" does not exist); name a user that its server knows',
        ),
        ({"database": "nowhere"}, 'database "nowhere" does not exist); make that database with createdb'),
    ],
)
def test_who_may_not_connect(postgresql, change, told):
    """The address is told, without a password, and what to do."""
    url = make_url(postgresql.address).set(password="do-not-show", **change)
    line = refusal(CrawlDatabase, PostgresqlSchema(text_of(url), "crawl_x"))
    assert told in line
    assert "do-not-show" not in line


def test_who_may_not_make_a_schema(postgresql):
    """The user is told what to grant."""
    location = postgresql.new_schema()
    with postgresql.connected() as connection:
        connection.execute(f"CREATE ROLE {location.schema} LOGIN PASSWORD 'x'")
    address = make_url(postgresql.address).set(username=location.schema, password="x")
    try:
        line = refusal(CrawlDatabase, PostgresqlSchema(text_of(address), location.schema))
        assert "permission denied for database" in line
        assert "grant its user CREATE on the database" in line
    finally:
        postgresql.drop_role(location.schema)


def test_a_password_is_asked_for(postgresql, monkeypatch):
    """Without one, and with a wrong one, the user is told where to give it; there it is found."""
    location = postgresql.new_schema()
    with postgresql.careful_user("right") as url:
        monkeypatch.delenv("PGPASSWORD", raising=False)
        line = refusal(CrawlDatabase, PostgresqlSchema(text_of(url), location.schema))
        assert "give its password in PGPASSWORD or ~/.pgpass" in line
        line = refusal(CrawlDatabase, PostgresqlSchema(text_of(url.set(password="wrong")), location.schema))
        assert "give the right password in PGPASSWORD or ~/.pgpass" in line
        monkeypatch.setenv("PGPASSWORD", "right")
        CrawlDatabase(PostgresqlSchema(text_of(url), location.schema)).close()
        postgresql.drop(location.schema)


def test_a_wrong_statement_is_the_callers_fault(kind):
    """It is raised as it is; what was not committed is gone with it."""
    with kind.open() as database:
        with pytest.raises(Exception, match='column "nonsense" does not exist'):
            database.rows("SELECT nonsense FROM hosts")
        assert database.failure is None


def test_values_come_back_as_from_sqlite(kind):
    """Whole numbers, also of sums; real ones, infinite too; bytes; None; a truth is a number."""
    with kind.open() as database:
        values = (2**63 - 1, -1, True, 0.1, float("inf"), b"\0\xff", None, "é'?%s$1")
        kinds = ("bigint", "bigint", "bigint", *["float8"] * 2, "bytea", "text", "text")
        query = ", ".join(f"cast(? AS {name})" for name in kinds)
        assert database.rows(f"SELECT {query}", values) == [values]
        database.executemany(ADD, [("a.org",), ("b.org",)])
        database.execute("UPDATE hosts SET load = id * 3, delay = 0.5")
        ((total, mean, delay),) = database.rows("SELECT sum(load), avg(load), sum(delay) FROM hosts")
        assert (total, mean, delay) == (9, 4.5, 1.0)
        assert [type(value) for value in (total, mean, delay)] == [int, float, float]


def test_writes_are_counted(kind):
    """Although nothing is waited for before."""
    with kind.open() as database:
        database.executemany(ADD, [("a.org",), ("b.org",)])
        assert database.execute("UPDATE hosts SET load = 1").rowcount == 2
        assert database.execute(f"{ADD} ON CONFLICT (name) DO NOTHING", ("a.org",)).rowcount == 0
        assert database.rows(f"{ADD} RETURNING name", ("c.org",)) == [("c.org",)]
