"""What elements of HTML mean to who reads a page."""

from __future__ import annotations

SKIPPED = frozenset(["script", "style", "noscript", "template", "svg", "iframe", "noembed", "noframes"])
"""Nothing in them is read."""

HEADLINES = frozenset(["h1", "h2", "h3"])
"""Their words are in the headline section (Lu et al. 2016, section 3.2)."""

HEADINGS = frozenset([*HEADLINES, "h4", "h5", "h6"])

BLOCKS = frozenset([
    *HEADINGS, "address", "article", "aside", "blockquote", "body", "center", "details", "dialog", "dir",
    "div", "dl", "fieldset", "figure", "footer", "form", "header", "hgroup", "main", "menu", "nav", "ol", "p",
    "pre", "search", "section", "table", "td", "th", "tr", "ul",
])  # fmt: skip
"""Content blocks may begin and end with them.

An item of a list is none, so a menu is one block. With `li`, `dt` and `dd` here most links would be alone in
their block, without context, and blocks distinguish relevant links far worse.
"""

BREAKS = frozenset([
    "br", "button", "caption", "dd", "dt", "figcaption", "hr", "img", "input", "label", "legend", "li",
    "option", "select", "summary", "tbody", "textarea", "tfoot", "thead",
])  # fmt: skip
"""They part words, but no blocks."""
