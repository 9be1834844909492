"""The CSV feed."""

from __future__ import annotations

from io import BytesIO

import pytest

from focused_crawler.edge.csv_feed import SafeCsvItemExporter


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
    file = BytesIO()
    exporter = SafeCsvItemExporter(file)
    exporter.start_exporting()
    exporter.export_item({"title": title, "score": -0.5})
    exporter.finish_exporting()
    assert file.getvalue().decode().splitlines() == ["title,score", f"{cell},-0.5"]
