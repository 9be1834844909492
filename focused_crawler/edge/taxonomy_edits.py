"""The edits of `scrapy taxonomy`, by name: what each takes, and what it does."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from focused_crawler.classify.taxonomy.editing import TaxonomyEditor
from focused_crawler.safety.formats import first_upper
from focused_crawler.safety.printable import place, say

Edited = Callable[[TaxonomyEditor, list[str], argparse.Namespace], str]

EDITS: Mapping[str, tuple[Edited, int, int]] = {
    "create": (lambda editor, args, opts: editor.create(_path(args[0]), opts.title), 1, 1),
    "rename": (lambda editor, args, opts: editor.rename(_path(args[0]), args[1], opts.title), 2, 2),
    "move": (lambda editor, args, _: editor.move(_path(args[0]), _path(args[1])), 2, 2),
    "merge": (lambda editor, args, _: editor.merge(_path(args[0]), _path(args[1])), 2, 2),
    "delete": (lambda editor, args, _: editor.delete(_path(args[0])), 1, 1),
    "add": (lambda editor, args, opts: editor.add(_path(args[0]), args[1:], _source(opts)), 2, sys.maxsize),
    "take": (lambda editor, args, _: editor.remove(_path(args[0]), args[1:]), 2, sys.maxsize),
    "undo": (lambda editor, *_: f"took back: {editor.undo()}", 0, 0),
}


def edit(folder: Path, action: str, args: list[str], opts: argparse.Namespace) -> None:
    """Do an edit and say what was done, and how to go on; raises TopicError."""
    say(f"{first_upper(EDITS[action][0](TaxonomyEditor(folder), args, opts))}.")
    if action != "undo":
        say(f"To take that back: scrapy taxonomy undo{of_tree(opts)}")
    say(f"Next: scrapy taxonomy train{of_tree(opts)}")


def of_tree(opts: argparse.Namespace) -> str:
    """Return what the next command has to say of its tree: what this one did."""
    return f" --taxonomy {shlex.quote(place(opts.taxonomy))}" if opts.taxonomy else ""


def _source(opts: argparse.Namespace) -> str | None:
    return None if opts.source is None else _path(opts.source)


def _path(text: str) -> str:
    return text.strip("/")
