"""A small neural network that says what a few numbers are worth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

LEAK = 0.1  # slope of what is below 0
RATE = 0.001
FIRST, SECOND = 0.9, 0.999  # memory of the steps (Adam; Kingma and Ba 2015)
CLIP = 1.0


class Network:
    """Layers of weights, each with its biases as the last row; leaky rectifiers between them."""

    def __init__(self, sizes: tuple[int, ...], seed: int) -> None:
        chance = np.random.default_rng(seed)
        self.layers: list[Floats] = []
        for inputs, outputs in pairwise(sizes):
            bound = np.sqrt(6.0 / (inputs + outputs))
            layer = chance.uniform(-bound, bound, (inputs + 1, outputs))
            layer[-1] = 0.0
            self.layers.append(layer)
        self._first = [np.zeros_like(layer) for layer in self.layers]
        self._second = [np.zeros_like(layer) for layer in self.layers]
        self._steps = 0

    def worths(self, inputs: NDArray[Any]) -> Floats:
        """Return a number a row, the same to the last bit whatever other rows there are."""
        values = inputs.astype(np.float64)
        for number, layer in enumerate(self.layers):
            values = (_bent(values) if number else values)[:, :, None] * layer[:-1]
            values = values.sum(axis=1) + layer[-1]
        worths: Floats = values[:, 0]
        return worths

    def quick_worths(self, inputs: NDArray[Any]) -> Floats:
        """Return nearly the same, in less time."""
        *_, last = self._through(inputs)
        worths: Floats = last[:, 0]
        return worths

    def _through(self, inputs: NDArray[Any]) -> Iterator[Floats]:
        """Yield what comes into each layer, and what comes out of the last."""
        values = inputs.astype(np.float64)
        for number, layer in enumerate(self.layers):
            values = _bent(values) if number else values
            yield values
            values = values @ layer[:-1] + layer[-1]
        yield values

    def fit(self, inputs: NDArray[Any], aims: NDArray[Any]) -> None:
        """Make one step towards other worths of some rows (mean squared error)."""
        *before, last = self._through(inputs)
        wrong = (2.0 / len(inputs)) * (last - aims[:, None])
        slopes: list[Floats] = []
        for values, layer in zip(reversed(before), reversed(self.layers), strict=True):
            slopes.append(np.concatenate([values.T @ wrong, wrong.sum(axis=0, keepdims=True)]))
            wrong = (wrong @ layer[:-1].T) * np.where(values > 0, 1.0, LEAK)
        self._steps += 1
        rate = RATE * np.sqrt(1.0 - SECOND**self._steps) / (1.0 - FIRST**self._steps)
        for number, slope in enumerate(reversed(slopes)):
            own = np.clip(slope, -CLIP, CLIP)
            self._first[number] += (1.0 - FIRST) * (own - self._first[number])
            self._second[number] += (1.0 - SECOND) * (own**2 - self._second[number])
            self.layers[number] -= rate * self._first[number] / (np.sqrt(self._second[number]) + 1e-7)

    def content(self) -> dict[str, NDArray[Any]]:
        """Return all that there is, an array each; `load` takes it back."""
        found: dict[str, NDArray[Any]] = {"steps": np.array([self._steps], np.int64)}
        for name, arrays in self._arrays():
            found |= {f"{name}{number}": array for number, array in enumerate(arrays)}
        return found

    def load(self, content: Mapping[str, NDArray[Any]]) -> None:
        """Become what `content` says; ValueError for what is none of this network's."""
        (self._steps,) = content["steps"].tolist()
        for name, arrays in self._arrays():
            for number, array in enumerate(arrays):
                array[:] = np.array(content[f"{name}{number}"], np.float64).reshape(array.shape)

    def _arrays(self) -> Iterator[tuple[str, list[Floats]]]:
        yield from (("layer", self.layers), ("first", self._first), ("second", self._second))


def _bent(values: Floats) -> Floats:
    return np.where(values > 0, values, LEAK * values)
