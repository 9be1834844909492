"""The documents of the golden values."""

import numpy as np

from focused_crawler.page.model import Sections
from focused_crawler.page.text.weighting import RAW, count_matrix, section_counts, vocabulary


class Corpus:
    """The four documents of the golden values: d1 and d2 are relevant, d3 and d4 are not."""

    sections = (
        Sections(["robot"], ["robot", "arm"], ["arm"], ["robot", "arm", "control", "news"]),
        Sections(["robot"], [], ["robot"], ["robot", "sensor", "news"]),
        Sections(["football"], ["football"], ["news"], ["football", "goal", "news", "news"]),
        Sections(["goal"], [], [], ["goal", "football", "control"]),
    )
    labels = np.array([True, True, False, False])

    def __init__(self):
        raw = [section_counts(sections, RAW) for sections in self.sections]
        tf = [section_counts(sections) for sections in self.sections]
        self.terms = vocabulary(raw)
        self.raw = count_matrix(raw, self.terms)
        self.tf = count_matrix(tf, self.terms)

    def named(self, values):
        """Return values by term."""
        return dict(zip(self.terms, values, strict=True))
