"""A trained taxonomy in which some categories are good for a topic: by it hard and soft focus judge pages."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Self

from focused_crawler.errors import TopicError
from focused_crawler.page.model import Focus, Page
from focused_crawler.taxonomy.classifier import TaxonomyModel
from focused_crawler.topic import Topic


@dataclass(frozen=True, slots=True)
class MarkedTaxonomy:
    """Says of a page in which category it is best, and how probably in a good one."""

    model: TaxonomyModel
    good: frozenset[str]  # topmost good categories; none: no page is good, but each has its category

    @classmethod
    def load(cls, folder: Path, topic: Topic, *, must_be_good: bool = True) -> Self:
        """Read the model in `folder`; raises ModelError, and TopicError if it can be of no use to the topic.

        `must_be_good`: it is of no use without a good category.
        """
        model = TaxonomyModel.load(folder)
        if model.tree.language != topic.language:
            raise TopicError(
                f"{topic.name} is in {topic.language!r}, the taxonomy in {model.tree.language!r};"
                " name one in its language with FOCUSED_TAXONOMY, or use another strategy"
            )
        try:
            return cls(model, model.tree.good_for(topic))
        except TopicError:
            if must_be_good or topic.good_categories:
                raise
            return cls(model, frozenset())

    def leaves(self) -> dict[str, bool]:
        """Return whether each leaf is good, or below a good category."""
        tree = self.model.tree
        good = {leaf for path in self.good for leaf in tree.leaves_below(path)}
        return {leaf: leaf in good for leaf in tree.leaves}

    def judge(self, page: Page) -> Focus:
        """Return where a page stands."""
        return self.model.judge(page, self.good)
