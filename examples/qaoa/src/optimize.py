"""Finds the angles of the circuit, one layer more at a time."""

from collections.abc import Callable

import numpy as np

from src.circuit import Circuit

RATE, FIRST_MOMENT, SECOND_MOMENT = 0.08, 0.9, 0.99


def optimize(circuit: Circuit, layers: int, steps: int, report: Callable[[int, float], None]) -> tuple[np.ndarray, np.ndarray, list[float]]:
    """Return (gammas, betas, expectation after every step).

    A layer is added by stretching the angles found for the circuit before (INTERP; L. Zhou et al., Phys. Rev. X 10,
    021067), then all of them climb the exact gradient (Adam).
    """
    gammas, betas = np.array([0.8]), np.array([0.4])
    trace: list[float] = []
    for depth in range(1, layers + 1):
        if depth > 1:
            gammas, betas = _stretched(gammas), _stretched(betas)
        gammas, betas, reached = _climb(circuit, gammas, betas, steps)
        trace += reached
        report(depth, reached[-1])
    return gammas, betas, trace


def _stretched(angles: np.ndarray) -> np.ndarray:
    layers = len(angles)
    padded = np.concatenate([[0], angles, [0]])
    layer = np.arange(layers + 1)
    return layer / layers * padded[:-1] + (layers - layer) / layers * padded[1:]


def _climb(circuit: Circuit, gammas: np.ndarray, betas: np.ndarray, steps: int) -> tuple[np.ndarray, np.ndarray, list[float]]:
    layers = len(gammas)
    angles = np.concatenate([gammas, betas])
    best, highest = angles, -np.inf
    first, second = np.zeros_like(angles), np.zeros_like(angles)
    trace = []
    for step in range(1, steps + 1):
        expectation, by_gamma, by_beta = circuit.gradient(angles[:layers], angles[layers:])
        trace.append(round(expectation, 6))
        if expectation > highest:
            best, highest = angles, expectation
        slope = np.concatenate([by_gamma, by_beta]) / np.abs(circuit.costs).max()
        first = FIRST_MOMENT * first + (1 - FIRST_MOMENT) * slope
        second = SECOND_MOMENT * second + (1 - SECOND_MOMENT) * slope**2
        stride = first / (1 - FIRST_MOMENT**step) / (np.sqrt(second / (1 - SECOND_MOMENT**step)) + 1e-9)
        angles = angles + RATE * stride
    return best[:layers], best[layers:], trace
