"""What stands for numbers and words in the file of a model is believed only where it is some."""

from __future__ import annotations

import numpy as np
import pytest

from focused_crawler.classify.model_file import number, numbers, words


@pytest.mark.parametrize(
    "array",
    [np.zeros((2, 2)), np.array(["1"]), np.array([0.0, np.nan]), np.array([True]), np.array([1j])],
    ids=str,
)
def test_what_is_no_row_of_numbers(array: np.ndarray) -> None:
    with pytest.raises(ValueError, match="no row of numbers"):
        numbers(array)


def test_a_row_of_numbers() -> None:
    assert numbers(np.array([1, 2], dtype=np.int8), 2).tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="2 numbers for 3 terms"):
        numbers(np.array([1, 2]), 3)


@pytest.mark.parametrize("array", [np.array([["a"]]), np.array([1.0]), np.array([b"a"])], ids=str)
def test_what_is_no_row_of_words(array: np.ndarray) -> None:
    with pytest.raises(ValueError, match="no row of words"):
        words(array)


@pytest.mark.parametrize("value", ["1", None, float("nan"), float("inf"), -0.1, 1.1])
def test_what_is_no_number(value: object) -> None:
    assert number(0.5, 0.0, 1.0) == 0.5
    with pytest.raises(ValueError, match="stands for a number"):
        number(value, 0.0, 1.0)
