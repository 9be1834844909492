"""Control characters on their way into a log, and formulas on theirs into a spreadsheet."""

from __future__ import annotations

import io
import logging

import pytest

from focused_crawler.edge.hostile_text import ControlEscaper, SafeCsvItemExporter


@pytest.fixture
def log():
    """A logger and what it wrote."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.addFilter(ControlEscaper())
    logger = logging.getLogger("tests.log_escaping")
    logger.addHandler(handler)
    logger.propagate = False
    yield logger, stream
    logger.removeHandler(handler)


def test_arguments_are_escaped(log):
    """As Scrapy logs a request: the URL is an argument of the message."""
    logger, stream = log
    logger.warning("Crawled %(url)s", {"url": "http://a\x1b]0;owned\x07b/"})
    assert stream.getvalue() == "Crawled http://a\\x1b]0;owned\\x07b/\n"


def test_our_own_layout_stays(log):
    """Messages of several lines, such as the stats at the end, keep them."""
    logger, stream = log
    logger.warning("Stats:\n{'a': 1}")
    assert stream.getvalue() == "Stats:\n{'a': 1}\n"


def test_tracebacks_are_escaped(log):
    """An exception may hold text of a server."""
    logger, stream = log
    try:
        raise ValueError("bad \x1b[2J host")
    except ValueError:
        logger.exception("Failed")
    assert "ValueError: bad \\x1b[2J host" in stream.getvalue()
    assert "\x1b" not in stream.getvalue()


def test_records_that_others_have_formatted_are_escaped(log):
    """A handler without our filter leaves its text of the exception in the record."""
    logger, stream = log
    before = logging.StreamHandler(io.StringIO())
    logger.handlers.insert(0, before)
    try:
        raise ValueError("bad \x1b[2J host")
    except ValueError:
        logger.warning("Failed", exc_info=True, stack_info=True)
    logger.removeHandler(before)
    assert "\x1b" not in stream.getvalue()


def test_arguments_that_do_not_fit_end_nothing(log):
    """The record comes as it can be had; an error in here would be raised in whatever logs."""
    logger, stream = log
    logger.warning("%s of %s", *["one\x1b"])
    assert stream.getvalue() == "%s of %s ('one\\x1b',)\n"


def test_secrets_are_hidden(log):
    """Wherever they stand: in an argument, in an exception."""
    logger, stream = log
    address = "postgresql://ann:s3cret@db.example/crawls?sslpassword=s3cret&sslmode=require"
    try:
        raise ValueError(f"No answer of {address}")
    except ValueError:
        logger.exception("Lost %s, see http://127.0.0.1:8000/?token=s3cret", address)
    assert "s3cret" not in stream.getvalue()
    assert stream.getvalue().count("ann:***@db.example/crawls?sslpassword=***&sslmode=require") == 2


@pytest.mark.parametrize(
    ("title", "cell"),
    [
        ("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"),
        ("@SUM(1)", "'@SUM(1)"),
        ("+1", "'+1"),
        ("A title = a title", "A title = a title"),
    ],
)
def test_no_cell_is_a_formula(title, cell):
    """A title that a spreadsheet would run is text; numbers stay numbers."""
    file = io.BytesIO()
    exporter = SafeCsvItemExporter(file)
    exporter.start_exporting()
    exporter.export_item({"title": title, "score": -0.5})
    exporter.finish_exporting()
    assert file.getvalue().decode().splitlines() == ["title,score", f"{cell},-0.5"]
