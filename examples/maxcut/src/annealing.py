"""Simulated annealing for Max-Cut (Kirkpatrick, Gelatt, Vecchi 1983)."""

import math
from dataclasses import dataclass, field
from random import Random

from src.graph import Graph

TRACE_POINTS = 100


@dataclass
class Annealed:
    """What one run came to: the best sides it saw, and its way there."""

    sides: list[int]
    value: float
    accepted: int
    trace: list[dict] = field(default_factory=list)


def temperatures(graph: Graph) -> tuple[float, float]:
    """Return a start at which every move is likely to be accepted, and an end at which hardly any bad one is."""
    strength = [0.0] * len(graph.names)
    for source, target, weight in graph.edges:
        strength[source] += weight
        strength[target] += weight
    return max(strength), min(weight for _, _, weight in graph.edges) / 10


def anneal(graph: Graph, sweeps: int, start: float, end: float, random: Random) -> Annealed:
    """Move one node at a time to the other side, while it cools from `start` to `end` geometrically.

    `gains[node]` is what moving the node would add to the cut; a move changes only the gains of its neighbours.
    """
    count = len(graph.names)
    neighbours: list[list[tuple[int, float]]] = [[] for _ in range(count)]
    for source, target, weight in graph.edges:
        neighbours[source].append((target, weight))
        neighbours[target].append((source, weight))
    sides = [random.getrandbits(1) for _ in range(count)]
    gains = [
        sum(weight if sides[other] == sides[node] else -weight for other, weight in neighbours[node]) for node in range(count)
    ]
    value = graph.cut_value(sides)
    best = Annealed(sides.copy(), value, 0)
    cooling = (end / start) ** (1 / max(1, sweeps - 1))
    every = max(1, sweeps // TRACE_POINTS)
    temperature = start
    for sweep in range(sweeps):
        for node in range(count):
            gain = gains[node]
            if gain < 0 and random.random() >= math.exp(gain / temperature):
                continue
            best.accepted += 1
            side = sides[node] = 1 - sides[node]
            value += gain
            gains[node] = -gain
            for other, weight in neighbours[node]:
                gains[other] += 2 * weight if sides[other] == side else -2 * weight
            if value > best.value:
                best.value, best.sides = value, sides.copy()
        if sweep % every == 0 or sweep == sweeps - 1:
            best.trace.append({"sweep": sweep, "temperature": round(temperature, 6), "cut": value, "best": best.value})
        temperature *= cooling
    best.value = graph.cut_value(best.sides)
    return best
