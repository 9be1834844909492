"""All targets of the fuzzer by name."""

from __future__ import annotations

from tests.hostile import fuzz_files, fuzz_pages, fuzz_rows

TARGETS = {target.name: target for target in (*fuzz_pages.TARGETS, *fuzz_files.TARGETS, *fuzz_rows.TARGETS)}
