"""Make the table of word vectors that ships, `focused_crawler/shipped/vectors/en.npz`, out of WordNet.

    .venv/bin/python benchmarks/word_vectors.py [FILE]

An entry of WordNet is a text: its words, its definition with examples, and the words of the entries that it
points to. Two terms are as near as they stand in the same entries oftener than chance: positive pointwise
mutual information of the terms' products with each other, reduced to its first singular vectors (Levy,
Goldberg and Dagan 2015, "Improving distributional similarity with lessons learned from word embeddings").
Of them the mean of all terms is taken off, as every text has it. It takes a minute. The same WordNet and the
same libraries make the same table, but for a few last digits.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array
from sklearn.utils.extmath import randomized_svd

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from focused_crawler.classify.topic_vector import cold_topic_vector
from focused_crawler.page.text.idf import TermStatistics
from focused_crawler.page.text.tokens import Analyzer
from focused_crawler.page.text.vectors import FOLDER, WordVectors
from focused_crawler.page.text.wordnet import LANGUAGE, Sense, open_wordnet
from focused_crawler.safety.package_folder import package_folder
from focused_crawler.topic.topic import Topic

POINTERS = ("~", "@", "#", "%", ";", "-", "+", "&")
"""Narrower and wider words, parts and wholes, subjects, other parts of speech, likeness: wninput(5WN)."""

GLOSSES = 0.5
"""What a word of a neighbour's definition counts, beside one of its own words."""

COLUMNS = 256
"""Average precision on pages grows up to here; 400 bring nothing (docs/research/judge.md)."""

_FEW = 1e-6


def make(senses: Sequence[Sense], statistics: TermStatistics, columns: int = COLUMNS) -> NDArray[np.float32]:
    """Return a vector for each term of the statistics, zeros where WordNet does not have it."""
    idf = np.array(list(statistics.mapping.values()))
    texts = _texts(senses, statistics)
    together = (texts.T @ texts).tocoo()
    apart = together.row != together.col
    row, column, product = together.row[apart], together.col[apart], together.data[apart]
    total = np.asarray(together.sum(axis=0)).ravel()
    information = np.log(product * total.sum() / (total[row] * total[column]))
    positive = information > 0
    table = csr_array((information[positive], (row[positive], column[positive])), shape=(len(idf), len(idf)))
    vectors, _, _ = randomized_svd(table, columns, n_iter=3, random_state=0)
    known = np.linalg.norm(vectors, axis=1) > _FEW
    often = np.exp(-idf) * idf  # how much a term counts in a page that is like the language
    return ((vectors - often @ vectors / often.sum()) * known[:, None]).astype(np.float32)


def _texts(senses: Sequence[Sense], statistics: TermStatistics) -> csr_array[Any, Any]:
    """Return the entries as texts: a row each of length 1, a column a term of the statistics."""
    column = {term: number for number, term in enumerate(statistics.mapping)}
    analyzer = Analyzer(statistics.language)

    def counted(texts: Iterable[str]) -> csr_array[Any, Any]:
        found = [{column[t] for t in analyzer.terms(text) if t in column} for text in texts]
        rows = np.repeat(np.arange(len(found)), [len(terms) for terms in found])
        columns = np.array([number for terms in found for number in sorted(terms)])
        return csr_array((np.ones(len(columns)), (rows, columns)), shape=(len(found), len(column)))

    words = counted(" ".join(sense.lemmas) for sense in senses)
    glosses = counted(sense.gloss for sense in senses)
    at = {(sense.part, sense.offset): number for number, sense in enumerate(senses)}
    pairs = [
        (number, at[part, offset])
        for number, sense in enumerate(senses)
        for kind, part, offset in sense.pointers
        if kind[0] in POINTERS and (part, offset) in at
    ]
    pointers = csr_array((np.ones(len(pairs)), np.array(pairs).T), shape=(len(senses), len(senses)))
    pointers = pointers + pointers.T
    pointers.data[:] = 1
    degrees = np.asarray(pointers.sum(axis=1)).ravel()
    near = diags_array(1 / np.sqrt(np.maximum(degrees, 1))) @ pointers
    texts = (words + glosses + near @ (words + GLOSSES * glosses)).tocsr()
    texts.data = np.log1p(texts.data)
    texts = texts @ diags_array(np.array(list(statistics.mapping.values())))
    lengths = np.sqrt(np.asarray(texts.multiply(texts).sum(axis=1)).ravel())
    return (diags_array(1 / np.maximum(lengths, _FEW)) @ texts).tocsr()


def common(table: WordVectors) -> NDArray[np.float32]:
    """Return the mean of the categories of the taxonomy that ships, each a topic of length 1."""
    analyzer, found = Analyzer(LANGUAGE), []
    for file in sorted(package_folder("taxonomy").rglob("category.toml")):
        values = tomllib.loads(file.read_text())
        if "title" in values:
            topic = Topic(file.parent.name, file.parent, values["title"], values.get("description", ""))
            vector = table.of(cold_topic_vector(topic, analyzer).weights)
            if vector is not None:
                found.append(vector / np.linalg.norm(vector))
    return np.mean(found, axis=0).astype(np.float32)


def main() -> None:
    """Write the table."""
    folder = package_folder(FOLDER)
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else folder / f"{LANGUAGE}.npz"
    with open_wordnet() as wordnet:
        if wordnet is None:
            raise SystemExit("WordNet is not here; type: python -m focused_crawler.page.text.wordnet_data")
        senses = list(wordnet)
    statistics = TermStatistics.for_language(LANGUAGE)
    vectors = make(senses, statistics)
    known = np.flatnonzero(np.abs(vectors).sum(axis=1))
    listed = list(statistics.mapping)
    terms = [listed[number] for number in known.tolist()]
    rows = vectors[known]
    rows = np.clip(np.round(rows * 127 / np.percentile(np.abs(rows), 99.9)), -127, 127).astype(np.int8)
    table = WordVectors(terms, rows, np.zeros(COLUMNS, np.float32), LANGUAGE)
    text = np.frombuffer("\n".join(terms).encode(), dtype=np.uint8)
    np.savez(file, terms=text, rows=rows, common=common(table))
    print(f"{file}: {len(terms):,} terms, {file.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
