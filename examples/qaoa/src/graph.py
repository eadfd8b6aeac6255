"""The weighted graph that comes as `data`. The platform makes it from JSON and names what does not fit."""

from dataclasses import dataclass

import numpy as np

# A state vector of 18 qubits has 4 MB, and every layer goes through all of it 18 times.
MAX_NODES = 18


@dataclass
class Edge:
    source: str
    target: str
    weight: float = 1.0


@dataclass
class Graph:
    nodes: list[str]
    edges: list[Edge]

    @property
    def total_weight(self) -> float:
        return sum(edge.weight for edge in self.edges)


def check(graph: Graph) -> None:
    """Raise ValueError for what is no graph, or too large to be simulated."""
    if not 2 <= len(graph.nodes) <= MAX_NODES:
        raise ValueError(f"data.nodes must have 2 to {MAX_NODES} names, not {len(graph.nodes)}: every node is a qubit")
    if len(set(graph.nodes)) < len(graph.nodes):
        raise ValueError("data.nodes holds a name twice")
    if not graph.edges:
        raise ValueError("data.edges must hold at least one edge")
    for index, edge in enumerate(graph.edges):
        for end in (edge.source, edge.target):
            if end not in graph.nodes:
                raise ValueError(f'data.edges[{index}]: "{end}" is not one of data.nodes')
        if edge.source == edge.target:
            raise ValueError(f'data.edges[{index}] connects "{edge.source}" with itself')
        if not 0 < edge.weight < 1e12:
            raise ValueError(f"data.edges[{index}].weight must be a positive number, not {edge.weight}")


def cut_values(graph: Graph) -> np.ndarray:
    """Return the weight of the cut of every basis state: bit i of its number is the side of node i."""
    states = np.arange(2 ** len(graph.nodes))
    values = np.zeros(len(states))
    for edge in graph.edges:
        a, b = graph.nodes.index(edge.source), graph.nodes.index(edge.target)
        values += edge.weight * ((states >> a ^ states >> b) & 1)
    return values
