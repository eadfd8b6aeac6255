import sys
from typing import Any, Dict

from qiskit import QuantumCircuit, transpile
from qiskit.quantum_info import Statevector


def run(data: Dict[str, Any], params: Dict[str, Any]) -> Dict[str, Any]:
    circuit = QuantumCircuit(data["qubits"])
    circuit.h(0)
    for target in range(1, data["qubits"]):
        circuit.cx(0, target)
    circuit = transpile(circuit, basis_gates=["rz", "sx", "cx"], optimization_level=1)
    state = Statevector(circuit)
    state.seed(params["seed"])
    return {"counts": dict(state.sample_counts(params["shots"])), "depth": circuit.depth(), "python": "%d.%d" % sys.version_info[:2]}
