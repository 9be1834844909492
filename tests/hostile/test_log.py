"""What hostile input may do to the log: fill one line, as text."""

import re

from focused_crawler.safety.printable import without_controls

LINE = re.compile(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ? \[(\S+)\] (\w+): (.*)$", re.MULTILINE)


def test_no_traceback(report):
    """Not one case of all crawls ends in a traceback or an error nobody waited for."""
    assert "Traceback" not in report.log
    assert "Unhandled" not in report.log
    assert [message for _, level, message in LINE.findall(report.log) if level in {"ERROR", "CRITICAL"}] == []


def test_no_control_characters(report):
    """Nothing in the log can move a cursor, ring a bell or turn the direction of text."""
    assert without_controls(report.log) == report.log


def test_one_line_a_refusal(report):
    """Every refusal that is counted has its one line, and no more."""
    lines = [
        message for name, _, message in LINE.findall(report.log) if name == "focused_crawler.edge.failures"
    ]
    counted = sum(
        number
        for crawl in report.crawls.values()
        for name, number in crawl["stats"].items()
        if name.startswith(("focused/limits/", "focused/guard/"))
        and not name.endswith(("robots_bytes", "refresh_location"))
    )
    assert len(lines) == counted
    assert all(line.startswith("Refused ") for line in lines)


def test_bombs_are_not_logged_twice(report):
    """Scrapy's own warning about them is silent."""
    assert "exceeded DOWNLOAD_MAXSIZE" not in report.log
