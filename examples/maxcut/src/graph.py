"""A weighted graph, read from the input with errors that name the member."""

from dataclasses import dataclass

MAX_NODES = 2_000
MAX_EDGES = 50_000


@dataclass(frozen=True)
class Graph:
    """Nodes by position; an edge is (node, node, weight)."""

    names: list[str]
    edges: list[tuple[int, int, float]]

    @property
    def total_weight(self) -> float:
        return sum(weight for _, _, weight in self.edges)

    def cut_edges(self, sides: list[int]) -> list[tuple[int, int, float]]:
        """Return the edges between the two sides."""
        return [edge for edge in self.edges if sides[edge[0]] != sides[edge[1]]]

    def cut_value(self, sides: list[int]) -> float:
        """Return the weight of the edges between the two sides."""
        return sum(weight for _, _, weight in self.cut_edges(sides))


def read_graph(data) -> Graph:
    """Read {"nodes": [names], "edges": [{"source", "target", "weight"}]}; "weight" may be left out and is 1 then.

    Several edges between the same nodes count as one with the sum of their weights.
    """
    if not isinstance(data, dict):
        raise ValueError('data must be an object with "nodes" and "edges"')
    names = _names(data.get("nodes"))
    positions = {name: position for position, name in enumerate(names)}
    edges = data.get("edges")
    if not isinstance(edges, list) or not edges:
        raise ValueError('data.edges must be a list with at least one edge {"source": ..., "target": ..., "weight": ...}')
    if len(edges) > MAX_EDGES:
        raise ValueError(f"data.edges has {len(edges)} edges, at most {MAX_EDGES} are supported")
    weights: dict[tuple[int, int], float] = {}
    for index, edge in enumerate(edges):
        source, target, weight = _edge(edge, f"data.edges[{index}]", positions)
        pair = (min(source, target), max(source, target))
        weights[pair] = weights.get(pair, 0) + weight
    return Graph(names, [(source, target, weight) for (source, target), weight in sorted(weights.items())])


def _names(nodes) -> list[str]:
    if not isinstance(nodes, list) or len(nodes) < 2:
        raise ValueError('data.nodes must be a list of at least two names, for example ["A", "B"]')
    if len(nodes) > MAX_NODES:
        raise ValueError(f"data.nodes has {len(nodes)} nodes, at most {MAX_NODES} are supported")
    names: list[str] = []
    seen: set[str] = set()
    for index, node in enumerate(nodes):
        if isinstance(node, bool) or not isinstance(node, (str, int)):
            raise ValueError(f"data.nodes[{index}] must be a name or a whole number, not {node!r}")
        if str(node) in seen:
            raise ValueError(f'data.nodes[{index}]: the node "{node}" is there twice')
        seen.add(str(node))
        names.append(str(node))
    return names


def _edge(edge, where: str, positions: dict[str, int]) -> tuple[int, int, float]:
    if not isinstance(edge, dict):
        raise ValueError(f'{where} must be an object {{"source": ..., "target": ..., "weight": ...}}, not {edge!r:.60}')
    ends = []
    for end in ("source", "target"):
        if end not in edge:
            raise ValueError(f'{where} has no "{end}"')
        position = positions.get(str(edge[end]))
        if position is None:
            raise ValueError(f'{where}.{end}: "{edge[end]}" is not one of data.nodes')
        ends.append(position)
    if ends[0] == ends[1]:
        raise ValueError(f'{where} connects "{edge["source"]}" with itself')
    weight = edge.get("weight", 1)
    if isinstance(weight, bool) or not isinstance(weight, (int, float)) or not 0 < weight < 1e12:
        raise ValueError(f"{where}.weight must be a positive number, not {weight!r}")
    return ends[0], ends[1], weight
