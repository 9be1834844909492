"""What of a page is prose: its words, and its sentences as a reader counts them.

`python -m tests.docs.prose` prints both of each page that is no research, the longest first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from statistics import mean

from sentencex import segment

from tests.project import ROOT

DOCS = ROOT / "docs"
_FRONT = re.compile(r"\A---\nkind: ([\w-]+)\n---\n")
_FENCED = re.compile(r"^( *)```.*?^\1```$", re.MULTILINE | re.DOTALL)


def pages() -> list[Path]:
    """Return all pages that a user may have to read: research is for those who want to know more."""
    return sorted(path for path in DOCS.rglob("*.md") if DOCS / "research" not in path.parents)


def kind(page: Path) -> str:
    """Return the kind that a page says it is; empty: none."""
    found = _FRONT.match(page.read_text())
    return found[1] if found else ""


def words(text: str) -> int:
    """Return how many words a page has, code and tables included."""
    return len(_FRONT.sub("", text).split())


def sentences(text: str) -> Iterator[list[str]]:
    """Return the words of each sentence: of paragraphs and lists, not of headings, tables and code."""
    text = _FENCED.sub("", _FRONT.sub("", text))
    for block in re.split(r"\n(?:[ \t]*\n)+|\n(?=[ \t]*(?:[-*]|\d+\.) )", text):
        if block.startswith("    ") or re.match(r"\s*[#|<!]", block):
            continue
        plain = re.sub(r"\]\([^)]*\)|[`*\[]|^\s*(?:[-*]|\d+\.) ", "", block)
        for sentence in segment("en", " ".join(plain.split())):
            found = [word for word in sentence.split() if re.search(r"\w", word)]
            if len(found) > 1:
                yield found


def mean_sentence(texts: list[str]) -> float:
    """Return the mean number of words a sentence of all these texts."""
    return mean(len(found) for text in texts for found in sentences(text))


if __name__ == "__main__":
    all_pages = [
        (words(text), mean_sentence([text]) if any(sentences(text)) else 0.0, page)
        for page in pages()
        for text in [page.read_text()]
    ]
    for count, length, page in sorted(all_pages, reverse=True):
        print(f"{count:6} {length:5.1f}  {page.relative_to(ROOT)}")
    print(sum(row[0] for row in all_pages), f"{mean_sentence([row[2].read_text() for row in all_pages]):.2f}")
