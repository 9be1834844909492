"""Where the core can be mutated: its comparisons, operators and connectives, each with another instead."""

from __future__ import annotations

import ast
import re
import tokenize
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from itertools import accumulate, pairwise
from pathlib import Path
from random import Random
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "focused_crawler"
SWAPS = {
    "<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"),
    "==": ("!=",), "!=": ("==",), "is": ("is not",), "is not": ("is",), "in": ("not in",), "not in": ("in",),
    "and": ("or",), "or": ("and",), "not": ("",),
    "+": ("-",), "-": ("+",), "*": ("/",), "/": ("*",), "//": ("*",), "%": ("//",), "**": ("*",),
    "<<": (">>",), ">>": ("<<",), "|": ("&",), "&": ("|",), "^": ("&",),
}  # fmt: skip
IN_PLACE = ("+", "-", "*", "/", "//", "%", "**", "<<", ">>", "|", "&", "^")
SWAPS |= {f"{word}=": (f"{SWAPS[word][0]}=",) for word in IN_PLACE}
TYPE = re.compile(r"\b(None|bool|bytes|dict|float|int|list|set|str|tuple|[A-Z]+[a-z]\w*)\b(?![(.])")


@dataclass(frozen=True)
class Mutant:
    """One change: the bytes of a file from `start` to `end`, `old`, become `new`."""

    path: str
    line: int
    start: int
    end: int
    old: str
    new: str
    source: str  # the line it is on
    name: str  # stays when other lines come or go

    def apply(self, code: bytes) -> bytes:
        return code[: self.start] + self.new.encode() + code[self.end :]


def gaps(node: ast.AST) -> Iterator[tuple[int, int, int, int]]:
    """Yield where the operators below a node stand: line and column of begin and end.

    Left out: annotations and types, what errors say, and f-strings, whose parts Python 3.11 cannot locate.
    """
    pairs: list[Any] = []
    match node:
        case ast.Compare(left=left, comparators=right):
            pairs = list(pairwise([left, *right]))
        case ast.BoolOp(values=values):
            pairs = list(pairwise(values))
        case ast.AugAssign(target=left, value=right):
            pairs = [(left, right)]
        case ast.BinOp(left=left, op=op, right=right):
            is_type = isinstance(op, ast.BitOr) and TYPE.search(ast.unparse(node))
            pairs = [] if is_type else [(left, right)]
        case ast.UnaryOp(operand=right):
            yield node.lineno, node.col_offset, right.lineno, right.col_offset
        case ast.JoinedStr():
            return
        case ast.If(test=test) if re.search(r"\b(TYPE_CHECKING|__name__)\b", ast.unparse(test)):
            return
    for left, right in pairs:
        yield left.end_lineno, left.end_col_offset, right.lineno, right.col_offset
    for field, value in ast.iter_fields(node):
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, ast.AST) and field not in {"annotation", "returns", "exc"}:
                yield from gaps(part)


def mutants(path: str, code: bytes, seed: int) -> Iterator[Mutant]:
    """Yield one mutant for each operator of a file.

    >>> code = b"a = b if not c else d+1"
    >>> [mutant.apply(code) for mutant in mutants("a.py", code, 1)]
    [b'a = b if c else d+1', b'a = b if not c else d-1']
    >>> list(mutants("a.py", b"def f(x: int | None): raise E(f'{a + b}' + c)", 1))
    []
    """
    lines = code.splitlines(keepends=True)
    begins = list(accumulate(map(len, lines), initial=0))
    tokens = [
        (begins[row - 1] + len(lines[row - 1].decode()[:column].encode()), text)
        for kind, text, (row, column), *_ in tokenize.tokenize(BytesIO(code).readline)
        if kind in {tokenize.OP, tokenize.NAME} and text not in {"(", ")"}
    ]
    alike: Counter[str] = Counter()
    for first, left, last, right in gaps(ast.parse(code)):
        low, high = begins[first - 1] + left, begins[last - 1] + right
        found = [(at, text) for at, text in tokens if low <= at < high]
        old = " ".join(text for _, text in found)
        if old not in SWAPS:
            continue  # "~" and "@", of which there is no other
        start, end = found[0][0], found[-1][0] + len(found[-1][1])
        end += old == "not" and code[end : end + 1] == b" "
        line = bisect_right(begins, start)
        source = lines[line - 1].strip().decode()
        name = f"{path}|{source}|{code[begins[line - 1] : start].decode().lstrip()}"
        alike[name] += 1
        name += f"|{alike[name]}"
        new = Random(f"{seed} new {name}").choice(SWAPS[old])
        yield Mutant(path, line, start, end, old, new, source, name)


def imports(top: str) -> dict[str, set[str]]:
    """Return what each file below a folder imports, at whatever place, as dotted names."""
    found: dict[str, set[str]] = {}
    for path in sorted((ROOT / top).rglob("*.py")):
        names = found[path.relative_to(ROOT).as_posix()] = set()
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def dotted(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def core() -> list[str]:
    """Return the files that are no part of the edge: they reach neither Scrapy nor Twisted."""
    left = {path: it for path, it in imports(PACKAGE).items() if not path.startswith(f"{PACKAGE}/edge/")}
    names, edge = {"scrapy", "twisted"}, {""}
    while edge:
        edge = {path for path in left if any(n in names or n.split(".")[0] in names for n in left[path])}
        names |= {dotted(path) for path in edge}
        left = {path: left[path] for path in left.keys() - edge}
    return sorted(left)
