"""Max-Cut by the quantum approximate optimization algorithm (QAOA), simulated on a state vector."""

import logging
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from src.circuit import Circuit
from src.graph import Graph, check, cut_values
from src.optimize import optimize
from src.picture import draw_distribution

log = logging.getLogger(__name__)

OUTPUT = Path("/var/runtime/output")


@dataclass
class Params:
    """`layers` of the circuit, `steps` of the optimizer for each, `shots` measured at the end."""

    layers: int = 4
    steps: int = 60
    shots: int = 2_000
    seed: int | None = None


def run(data: Graph, params: Params) -> dict:
    """Return the best cut that was measured; the distribution of all of them is the file distribution.svg."""
    check(data)
    for name, most in (("layers", 20), ("steps", 1_000), ("shots", 1_000_000)):
        if not 1 <= getattr(params, name) <= most:
            raise ValueError(f"params.{name} must be 1 to {most:,}, not {getattr(params, name)}")
    began = time.perf_counter()
    values = cut_values(data)
    circuit = Circuit(values)
    log.info("%d qubits, %d edges, total weight %g", circuit.qubits, len(data.edges), data.total_weight)

    gammas, betas, trace = optimize(
        circuit,
        params.layers,
        params.steps,
        lambda depth, reached: log.info("Layer %d of %d: expected cut %.2f", depth, params.layers, reached),
    )
    state = circuit.state(gammas, betas)
    probabilities = np.abs(state) ** 2
    probabilities /= probabilities.sum()
    expectation = float(probabilities @ values)

    shots = np.random.default_rng(params.seed).choice(len(values), params.shots, p=probabilities)
    measured, counts = np.unique(shots, return_counts=True)
    order = np.lexsort((-counts, -values[measured]))
    best = int(measured[order[0]])
    log.info("The best of %d shots cuts %g; %d different cuts were measured", params.shots, values[best], len(measured))
    (OUTPUT / "distribution.svg").write_text(draw_distribution(values, probabilities, expectation), encoding="utf-8")
    return {
        "cutValue": float(values[best]),
        "totalWeight": data.total_weight,
        "partition": {
            "left": [name for bit, name in enumerate(data.nodes) if not best >> bit & 1],
            "right": [name for bit, name in enumerate(data.nodes) if best >> bit & 1],
        },
        "expectation": expectation,
        "angles": {"gammas": gammas.tolist(), "betas": betas.tolist()},
        "measured": [
            {"bits": format(int(cut), f"0{circuit.qubits}b"), "cutValue": float(values[cut]), "count": int(count)}
            for cut, count in zip(measured[order[:10]], counts[order[:10]])
        ],
        "trace": trace,
        "seconds": round(time.perf_counter() - began, 3),
    }
