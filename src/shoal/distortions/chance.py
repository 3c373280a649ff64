"""Chance: the source of random numbers.

Noise that protects comes from the operating system, and can't be repeated.

`repeatable` exists for experiments: whoever knows or guesses its seed takes all noise off again.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from shoal.arrays import Floats, Longs

CHUNK = 2**20  # numbers at a time


@dataclass(frozen=True)
class Chance:
    """Random 64-bit words, and what is made of them."""

    words: Callable[[int], np.ndarray]
    repeatable: bool = False

    @classmethod
    def secret(cls) -> Chance:
        """Draw from the operating system's own generator."""
        return cls(lambda count: np.frombuffer(os.urandom(8 * count), np.uint64))

    @classmethod
    def seeded(cls, seed: int) -> Chance:
        """Draw from a seed, for experiments: the numbers are equal in every run."""
        rng = np.random.Generator(np.random.PCG64(seed))
        return cls(lambda count: rng.integers(0, 2**64, count, np.uint64), repeatable=True)

    def uniform(self, *shape: int) -> Floats:
        """Draw numbers strictly between 0 and 1."""
        out = np.empty(int(np.prod(shape)))
        for first in range(0, len(out), CHUNK):
            words = self.words(min(CHUNK, len(out) - first)) >> np.uint64(12)
            out[first : first + CHUNK] = (words + 0.5) * 2.0**-52
        return out.reshape(shape)

    def arcsine(self, *shape: int) -> Floats:
        """Draw numbers between -0.5 and 0.5, mostly near the ends, as in a chaotic orbit.

        The variance is 1/8.
        """
        return np.asarray(np.cos(np.pi * self.uniform(*shape)) / 2, np.float64)

    def normal(self, *shape: int) -> Floats:
        """Draw standard normal numbers, in pairs along the last axis (Box & Muller 1958)."""
        # Drawn row by row, so that parts of a table get the numbers that the whole would get.
        pairs = self.uniform(*shape[:-1], -(-shape[-1] // 2), 2)
        radius = np.sqrt(-2.0 * np.log(pairs[..., 0]))
        angle = 2.0 * np.pi * pairs[..., 1]
        np.multiply(radius, np.cos(angle), out=pairs[..., 0])
        np.multiply(radius, np.sin(angle), out=pairs[..., 1])
        return pairs.reshape(*shape[:-1], -1)[..., : shape[-1]]

    def order(self, count: int) -> Longs:
        """Draw an order of `count` things."""
        return np.argsort(self.words(count), kind="stable").astype(np.int64)
