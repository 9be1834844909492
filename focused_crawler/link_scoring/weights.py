"""What counts how much in the order that learns: all its parts, and all but one of them (ablations)."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import NamedTuple


class Weights(NamedTuple):
    """Weights of the parts of `adaptive`; one that weighs nothing is left out.

    The first five are in pages fetched through links like the one that is scored.
    """

    pages: float = 2.0  # of the pages that hold a link
    link: float = 4.0  # of what the link classifier expects
    place: float = 0.5  # of a page behind links at the same place of pages,
    host: float = 0.1  # behind any links of these pages,
    folder: float = 0.3  # and of one in the folder of the link's target
    doubt: float = 5.0
    """Pages, each as relevant as expected, that are counted with those behind links of the same words."""
    anchor: float = 2.0  # of the cosine of the anchor with the topic
    url: float = 0.5  # of that of the URL's words
    directory: float = 0.2
    """A page below this relevance may be a directory."""
    pause: float = 1.0
    """What waits is scored again after so many times the usual number of pages."""
    site: float = 0.0
    """By how much each relevant page of a site makes its further ones worth less: 1 / (1 + site * pages)."""


WHOLE = Weights()

LEFT_OUT: Mapping[str, Weights] = {
    "places": WHOLE._replace(place=0.0),
    "hosts": WHOLE._replace(host=0.0),
    "folders": WHOLE._replace(folder=0.0),
    "wording": WHOLE._replace(doubt=inf),
    "outcomes": WHOLE._replace(place=0.0, host=0.0, folder=0.0, doubt=inf),
    "link": WHOLE._replace(link=0.0),
    "pages": WHOLE._replace(pages=0.0),
    "words": WHOLE._replace(anchor=0.0, url=0.0),
    "directories": WHOLE._replace(directory=0.0),
    "rescoring": WHOLE._replace(pause=inf),
}
"""By the part that is left out: places, hosts and folders of links; words that links share on any host
(wording); all outcomes, which are these four; the link classifier; the pages that hold the link; how like the
topic the words of anchor and URL are; directories; scoring again what waits."""
