"""Measures a GHZ state |0...0> + |1...1> on a register whose readout is noisy."""

import csv
import logging
import random
from collections import Counter
from pathlib import Path

log = logging.getLogger(__name__)

# Files written here can be downloaded with the result.
OUTPUT = Path("/var/runtime/output")


def run(data, params):
    """Called once per execution. What it returns is the result; what it raises is the cause of the failure."""
    qubits = int(data["qubits"])
    shots = int(params.get("shots", 1000))
    noise = float(params.get("readoutError", 0.0))
    if not 1 <= qubits <= 64:
        raise ValueError(f"data.qubits must be 1 to 64, not {qubits}")

    generator = random.Random(params.get("seed"))
    log.info("Measuring a GHZ state of %d qubits, %d shots", qubits, shots)
    counts = Counter(measure(qubits, noise, generator) for _ in range(shots))

    with open(OUTPUT / "counts.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["state", "count"])
        writer.writerows(counts.most_common())

    correlated = counts["0" * qubits] + counts["1" * qubits]
    return {"counts": dict(counts.most_common()), "fidelity": correlated / shots}


def measure(qubits, noise, generator):
    bit = generator.getrandbits(1)
    return "".join(str(bit ^ (generator.random() < noise)) for _ in range(qubits))
