"""Where to draw the nodes: by forces (Fruchterman, Reingold 1991), one side of the cut to the left, one to the right."""

import math
from random import Random

from src.graph import Graph

STEPS = 400
# Beyond this the forces, quadratic in the nodes, take longer than the annealing.
MAX_BY_FORCES = 60


def lay_out(graph: Graph, sides: list[int]) -> list[tuple[float, float]]:
    """Return a point between (0, 0) and (1, 1) for every node; the same for the same graph and sides."""
    points = _circles(sides) if len(graph.names) > MAX_BY_FORCES else _forces(graph, sides)
    lowest = [min(point[axis] for point in points) for axis in (0, 1)]
    extent = [max(point[axis] for point in points) - lowest[axis] or 1.0 for axis in (0, 1)]
    return [tuple((point[axis] - lowest[axis]) / extent[axis] for axis in (0, 1)) for point in points]


def _circles(sides: list[int]) -> list[tuple[float, float]]:
    counts = [max(1, sides.count(side)) for side in (0, 1)]
    placed = [0, 0]
    points = []
    for side in sides:
        angle = 2 * math.pi * placed[side] / counts[side]
        placed[side] += 1
        points.append((2.6 * side + math.cos(angle), math.sin(angle)))
    return points


def _forces(graph: Graph, sides: list[int]) -> list[tuple[float, float]]:
    random = Random(1)
    count = len(sides)
    ideal = 1 / math.sqrt(count)
    heaviest = max(weight for _, _, weight in graph.edges)
    points = [[0.3 + 0.4 * side + 0.2 * random.random(), random.random()] for side in sides]
    for step in range(STEPS):
        moves = [[0.0, 0.0] for _ in points]
        for a in range(count):
            for b in range(a):
                push = 1.3 * ideal**2
                _add(moves, points, a, b, lambda distance: push / distance)
        for a, b, weight in graph.edges:
            pull = 0.35 + 0.35 * weight / heaviest
            _add(moves, points, a, b, lambda distance: -pull * distance**2 / ideal)
        for node, side in enumerate(sides):
            moves[node][0] += 0.9 * ((0.12 if side == 0 else 0.88) - points[node][0])
            moves[node][1] += 0.25 * (0.5 - points[node][1])
        limit = 0.08 * (1 - step / STEPS) + 0.001
        for point, move in zip(points, moves):
            length = math.hypot(*move) or 1.0
            for axis in (0, 1):
                point[axis] += move[axis] / length * min(length, limit)
    return [(x, y) for x, y in points]


def _add(moves, points, a: int, b: int, force) -> None:
    dx, dy = points[a][0] - points[b][0], points[a][1] - points[b][1]
    distance = max(math.hypot(dx, dy), 1e-4)
    strength = force(distance) / distance
    moves[a][0] += dx * strength
    moves[a][1] += dy * strength
    moves[b][0] -= dx * strength
    moves[b][1] -= dy * strength
