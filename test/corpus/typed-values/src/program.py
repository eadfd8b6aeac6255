import datetime
import enum
import sys
from dataclasses import dataclass
from decimal import Decimal


class Basis(enum.Enum):
    X = "x"
    Z = "z"


@dataclass
class Amplitude:
    bits: str
    value: complex


def run(qubits: int, basis: Basis, since: datetime.date, shots: list[int] | None = None):
    half = 2 ** (-qubits / 2)
    return {
        "amplitudes": [Amplitude(format(index, f"0{qubits}b"), complex(half, 0)) for index in range(2**qubits)],
        "basis": basis, "year": since.year, "labels": {"b", "a"}, "price": Decimal("0.10"), "shots": shots or (),
        "python": "%d.%d" % sys.version_info[:2],
    }
