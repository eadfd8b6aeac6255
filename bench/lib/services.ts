/** The same work as a service and as a line for `python3 -c`. */
interface Workload {
  readonly files: Readonly<Record<string, string>>;
  readonly line: string;
}

export const trivial: Workload = {
  files: { 'src/__init__.py': '', 'src/program.py': 'def run(data=None):\n    return {"sum": sum(range(1000))}\n' },
  line: 'import json; print(json.dumps({"sum": sum(range(1000))}))',
};

export const numpy: Workload = {
  files: {
    'src/__init__.py': '',
    'src/program.py': 'import numpy\n\n\ndef run(data=None):\n    return {"sum": int(numpy.arange(1000).sum())}\n',
    'requirements.txt': 'numpy==2.2.6\n',
  },
  line: 'import json, numpy; print(json.dumps({"sum": int(numpy.arange(1000).sum())}))',
};

/** Imports of scientific services, which take 0.1 to 1 s of a cold start. */
export const scientific: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  numpy: numpy.files,
  scipy: {
    'src/__init__.py': '',
    'src/program.py':
      'from scipy import optimize, sparse\n\n\ndef run(data=None):\n    return {"root": float(optimize.brentq(lambda x: x * x - 2, 0, 2)), "sum": int(sparse.eye(100).sum())}\n',
    'requirements.txt': 'scipy==1.15.3\nnumpy==2.2.6\n',
  },
  qiskit: {
    'src/__init__.py': '',
    'src/program.py':
      'from qiskit import QuantumCircuit\nfrom qiskit.quantum_info import Statevector\n\n\ndef run(data=None):\n    circuit = QuantumCircuit(2)\n    circuit.h(0)\n    circuit.cx(0, 1)\n    return {name: float(share) for name, share in Statevector(circuit).probabilities_dict().items()}\n',
    'requirements.txt': 'qiskit==2.1.1\nnumpy==2.2.6\nscipy==1.15.3\n',
  },
};
