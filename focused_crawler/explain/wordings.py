"""Where the wordings of a thesaurus stand on a page."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from focused_crawler.explain.written import Written
from focused_crawler.thesaurus.wording import Key


def wording_places(
    wordings: Mapping[str, Collection[Key]], terms: Sequence[Written]
) -> dict[str, list[list[Written]]]:
    """Return the terms of each place where a wording stands, by its name, as a `Matcher` finds them.

    `wordings`: those of one facet, name -> what it is read as, all of them on the page. One may have several
    names.
    """
    names: dict[Key, list[str]] = {}
    for name, keys in wordings.items():
        for key in keys:
            names.setdefault(key, []).append(name)
    lengths = sorted({len(key) for key in names}, reverse=True)
    places: dict[str, list[list[Written]]] = {}
    position = 0
    while position < len(terms):
        runs = (tuple(terms[position : position + length]) for length in lengths)
        run = next((run for run in runs if run in names), ())
        for name in names.get(run, ()):
            places.setdefault(name, []).append(list(run))
        position += len(run) or 1
    return places
