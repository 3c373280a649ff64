"""Fitting: ordinary and logistic regression with the covariance of their coefficients.

Logistic regression by Newton's method. A ridge of a millionth of the rows keeps a column that the
others tell, and classes that a column separates, from breaking it; it does not move a coefficient
that the data determine.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.arrays import Floats

RIDGE = 1e-6
ROUNDS = 25
STILL = 1e-10  # of the likelihood: columns that hardly matter may wander on


@dataclass(frozen=True)
class Fit:
    """Coefficients, the first of them for the column of ones; and their covariance."""

    coefficients: Floats
    covariance: Floats


def ordinary(matrix: Floats, outcome: Floats, weights: Floats) -> Fit:
    """Fit a linear regression by least squares."""
    inverse = _inverse(matrix.T @ (weights[:, None] * matrix), weights)
    coefficients = inverse @ (matrix.T @ (weights * outcome))
    freedom = max(float(weights.sum()) - matrix.shape[1], 1.0)
    left = float(weights @ (outcome - matrix @ coefficients) ** 2) / freedom
    return Fit(coefficients, left * inverse)


def logistic(matrix: Floats, outcome: Floats, weights: Floats) -> Fit:
    """Fit a logistic regression of an outcome of zeros and ones by maximum likelihood."""
    coefficients = np.zeros(matrix.shape[1])
    total = float(weights.sum())
    for _ in range(ROUNDS):
        chance = chances(matrix, coefficients)
        inverse = _inverse(
            matrix.T @ ((weights * chance * (1 - chance))[:, None] * matrix), weights
        )
        slope = matrix.T @ (weights * (outcome - chance)) - RIDGE * total * coefficients
        step = inverse @ slope
        coefficients = coefficients + step * min(1.0, 5.0 / max(float(np.abs(step).max()), 1e-12))
        if slope @ step < STILL * total:  # what the step may still gain
            break
    return Fit(coefficients, inverse)


def chances(matrix: Floats, coefficients: Floats) -> Floats:
    """Compute the chance that a logistic regression gives each row."""
    return np.asarray(1 / (1 + np.exp(-np.clip(matrix @ coefficients, -30, 30))), np.float64)


def _inverse(information: Floats, weights: Floats) -> Floats:
    return np.asarray(
        np.linalg.inv(information + RIDGE * weights.sum() * np.eye(len(information))), np.float64
    )
