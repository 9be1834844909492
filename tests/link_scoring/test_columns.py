from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from focused_crawler.link_scoring import columns
from focused_crawler.link_scoring.columns import Table

KEYS = st.lists(st.integers(-(2**63), 2**63 - 1), max_size=30)


def table() -> Table:
    return Table(weight=np.empty(0, np.float32), pair=np.empty((0, 2), np.int32))


def array(keys: list[int]) -> np.ndarray:
    return np.array(keys, np.int64)


@given(batches=st.lists(KEYS, max_size=8), asked=KEYS)
def test_rows_are_numbered_as_keys_come(batches, asked):
    """However many wait to be sorted in, and however often a key comes again."""
    rows, expected = table(), dict[int, int]()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns, "_WAITING", 3)
        for batch in batches:
            found = rows.rows_of(array(batch)).tolist()
            assert found == [expected.setdefault(key, len(expected)) for key in batch]
    assert len(rows) == len(expected)
    assert rows.find(array([*expected, *asked])).tolist() == [
        *expected.values(),
        *(expected.get(key, -1) for key in asked),
    ]
    assert rows["key"][: len(rows)].tolist() == list(expected)


@given(first=KEYS, second=KEYS)
def test_what_was_loaded_goes_on(first, second):
    """New rows are all 0, old ones are as they were."""
    one, other = table(), table()
    numbers = one.rows_of(array(first))
    one["weight"][numbers] = numbers + 1
    one["pair"][numbers] = numbers[:, None]
    other.load(one.content())
    for rows in (one, other):
        rows.rows_of(array(second))
    assert {name: column.tolist() for name, column in one.content().items()} == {
        name: column.tolist() for name, column in other.content().items()
    }


@given(batches=st.lists(st.tuples(KEYS, st.integers(0, 2**30)), max_size=4), asked=KEYS)
def test_what_is_kept_is_numbered_anew(batches, asked):
    """In the order in which it came; what was forgotten is new when it comes again."""
    rows, left = table(), list[int]()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns, "_WAITING", 3)
        for keys, bits in batches:
            found = rows.rows_of(array(keys))
            rows["weight"][found] = found
            left += [key for key in dict.fromkeys(keys) if key not in left]
            weights = dict(zip(left, rows["weight"][: len(rows)].tolist(), strict=True))
            kept = [bool(bits >> number % 30 & 1) for number in range(len(left))]
            numbers = rows.keep(np.array(kept, bool)).tolist()
            before, left = left, [key for key, is_kept in zip(left, kept, strict=True) if is_kept]
            assert numbers == [left.index(key) if key in left else -1 for key in before]
            assert rows["key"][: len(rows)].tolist() == left
            assert rows["weight"][: len(rows)].tolist() == [weights[key] for key in left]
    new = [key for key in dict.fromkeys([*left, *asked]) if key not in left]
    assert rows.find(array([*left, *new])).tolist() == [*range(len(left)), *[-1] * len(new)]
    assert rows.rows_of(array(new)).tolist() == list(range(len(left), len(left) + len(new)))
    assert not rows["pair"][: len(rows)].any()


@pytest.mark.parametrize(
    "change",
    [
        {"key": np.array([1, 1], np.int64)},
        {"key": np.array([1.0, 2.0])},
        {"weight": np.zeros(3, np.float32)},
        {"pair": np.zeros((2, 3), np.int32)},
    ],
)
def test_content_of_another_kind_is_refused(change):
    """And what is missing."""
    rows = table()
    rows.rows_of(array([1, 2]))
    with pytest.raises(ValueError, match=r"kind|twice"):
        table().load(rows.content() | change)
    with pytest.raises(ValueError, match="kind"):
        table().load({name: column for name, column in rows.content().items() if name not in change})
