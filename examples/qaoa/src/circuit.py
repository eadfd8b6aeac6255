"""The circuit of QAOA on a state vector, with the exact gradient of its expectation.

E. Farhi, J. Goldstone, S. Gutmann: A Quantum Approximate Optimization Algorithm (2014), arXiv:1411.4028.
"""

import numpy as np


class Circuit:
    """Layers of exp(-i gamma C) and exp(-i beta sum X) on the uniform superposition. C is diagonal."""

    def __init__(self, costs: np.ndarray) -> None:
        self.costs = costs
        self.qubits = len(costs).bit_length() - 1
        # Angles then have the same scale for every graph.
        self.phases = costs / np.abs(costs).max()

    def state(self, gammas: np.ndarray, betas: np.ndarray) -> np.ndarray:
        """Return the amplitudes after all layers."""
        state = np.full(len(self.costs), 1 / np.sqrt(len(self.costs)), dtype=complex)
        for gamma, beta in zip(gammas, betas):
            state *= np.exp(-1j * gamma * self.phases)
            self._mix(state, beta)
        return state

    def expectation(self, state: np.ndarray) -> float:
        return float(np.abs(state) ** 2 @ self.costs)

    def gradient(self, gammas: np.ndarray, betas: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
        """Return (expectation, its derivative by every gamma, by every beta).

        Adjoint differentiation: the layers are undone one after the other on the state and on C times the state, so
        that all derivatives cost as much as three runs of the circuit.
        """
        ket = self.state(gammas, betas)
        bra = self.costs * ket
        expectation = float(np.vdot(ket, bra).real)
        by_gamma, by_beta = np.zeros_like(gammas), np.zeros_like(betas)
        for layer in reversed(range(len(gammas))):
            by_beta[layer] = 2 * np.vdot(bra, self._sum_of_flips(ket)).imag
            self._mix(ket, -betas[layer])
            self._mix(bra, -betas[layer])
            by_gamma[layer] = 2 * np.vdot(bra, self.phases * ket).imag
            undo = np.exp(1j * gammas[layer] * self.phases)
            ket *= undo
            bra *= undo
        return expectation, by_gamma, by_beta

    def _mix(self, state: np.ndarray, beta: float) -> None:
        cos, sin = np.cos(beta), -1j * np.sin(beta)
        for qubit in range(self.qubits):
            pairs = state.reshape(-1, 2, 2**qubit)
            zero = pairs[:, 0].copy()
            pairs[:, 0] = cos * zero + sin * pairs[:, 1]
            pairs[:, 1] = sin * zero + cos * pairs[:, 1]

    def _sum_of_flips(self, state: np.ndarray) -> np.ndarray:
        flipped = np.zeros_like(state)
        for qubit in range(self.qubits):
            flipped += state.reshape(-1, 2, 2**qubit)[:, ::-1].reshape(-1)
        return flipped
