"""Words and letters of links as numbers, so that what is learnt of them has a fixed size."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

NUMBER = "[number]"
"""Stands for any number in a URL."""

_BETWEEN = re.compile(r"[^a-z0-9]+")
_LEAST = 3  # letters of a word of a URL
_HASHES = (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D, 0x27D4EB2F, 0x165667B1)


def url_words(url: str) -> list[str]:
    """Return the words of a URL's path and query, all numbers as one word.

    >>> url_words("http://a.example/News/2014-05/solar_power.html?id=12345")
    ['news', '[number]', 'solar', 'power', 'html', '[number]']
    """
    parts = urlsplit(url)
    found = _BETWEEN.split(f"{parts.path} {parts.query}".lower())
    return [
        NUMBER if word.isdigit() else word
        for word in found
        if len(word) >= _LEAST and (word.isdigit() or word.isalpha())
    ]


def buckets(words: Iterable[str], field: str, size: int, most: int) -> list[int]:
    """Return the numbers, from 1 to below `size`, of the first `most` words in a field; each once.

    >>> buckets(["solar", "solar", ""], "url", 4_096, 4) == buckets(["solar"], "url", 4_096, 1)
    True
    """
    found = dict.fromkeys(_bucket(word, field, size) for word in words if word)
    return list(found)[:most]


@lru_cache(maxsize=32_768)
def _bucket(word: str, field: str, size: int) -> int:
    return crc32(f"{field} {word}".encode("utf-8", "replace")) % (size - 1) + 1


def table(rows: Iterable[list[int]], count: int, width: int) -> NDArray[np.uint16]:
    """Return lists of numbers as rows of a table, 0 where they are shorter."""
    found = np.zeros((count, width), np.uint16)
    for row, numbers in zip(found, rows, strict=True):
        row[: len(numbers)] = numbers
    return found


def grams(texts: NDArray[Any], shortest: int, longest: int, bits: int) -> NDArray[np.int32]:
    """Return the numbers, from 1 to 2^bits, of the runs of so many bytes of texts; each once, else 0.

    `texts`: of kind S, an array of bytes of one length.
    """
    letters = texts[:, None].view(np.uint8).astype(np.uint32)
    found = []
    for length in range(shortest, longest + 1):
        width = letters.shape[1] - length + 1
        mixed = np.full((len(letters), width), length, np.uint32)
        for at in range(length):
            mixed = (mixed ^ letters[:, at : at + width]) * np.uint32(_HASHES[at])
            mixed ^= mixed >> np.uint32(15)
        numbers = (mixed >> np.uint32(32 - bits)).astype(np.int32) + 1
        numbers[letters[:, length - 1 :] == 0] = 0
        found.append(numbers)
    every = np.sort(np.concatenate(found, axis=1), axis=1)
    every[:, 1:][every[:, 1:] == every[:, :-1]] = 0
    return every
