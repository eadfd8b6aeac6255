"""Splits the nodes of a weighted graph into two sides so that the edges between them weigh as much as possible."""

import logging
import math
import time
from dataclasses import dataclass
from pathlib import Path
from random import Random

from src.annealing import anneal, temperatures
from src.graph import read_graph
from src.picture import draw_cut

log = logging.getLogger(__name__)

OUTPUT = Path("/var/runtime/output")
MAX_WORK = 2_000_000_000


@dataclass
class Params:
    """`restarts` runs of `sweeps` sweeps each; temperatures that are left out are chosen for the graph."""

    sweeps: int = 2_000
    restarts: int = 12
    seed: int | None = None
    startTemperature: float | None = None
    endTemperature: float | None = None


def run(data: dict, params: Params) -> dict:
    """Return the best cut that was found; its picture is the file cut.svg."""
    graph = read_graph(data)
    check(params)
    if params.sweeps * params.restarts * len(graph.names) > MAX_WORK:
        raise ValueError(f"params: sweeps x restarts x nodes is more than {MAX_WORK:,}. Lower params.sweeps or params.restarts.")
    start, end = temperatures(graph)
    start, end = params.startTemperature or start, params.endTemperature or end
    if end > start:
        raise ValueError(f"params.endTemperature must not be above the start temperature: {end:g} > {start:g}")

    random = Random(params.seed)
    log.info("%d nodes, %d edges, total weight %g", len(graph.names), len(graph.edges), graph.total_weight)
    log.info("Annealing %d times, %d sweeps each, from temperature %g to %g", params.restarts, params.sweeps, start, end)
    began = time.perf_counter()
    best, values = None, []
    for restart in range(1, params.restarts + 1):
        annealed = anneal(graph, params.sweeps, start, end, random)
        values.append(annealed.value)
        if best is None or annealed.value > best.value:
            best = annealed
        log.info("Restart %d of %d: cut %g, best %g", restart, params.restarts, annealed.value, best.value)

    cut = graph.cut_edges(best.sides)
    names = [[name for name, side in zip(graph.names, best.sides) if side == wanted] for wanted in (0, 1)]
    (OUTPUT / "cut.svg").write_text(draw_cut(graph, best.sides), encoding="utf-8")
    log.info("The best cut weighs %g of %g and has %d edges", best.value, graph.total_weight, len(cut))
    return {
        "cutValue": best.value,
        "totalWeight": graph.total_weight,
        "partition": {"left": names[0], "right": names[1]},
        "cutEdges": [{"source": graph.names[a], "target": graph.names[b], "weight": weight} for a, b, weight in cut],
        "restarts": {"values": values, "reachedBest": values.count(best.value)},
        "trace": best.trace,
        "seconds": round(time.perf_counter() - began, 3),
    }


def check(params: Params) -> None:
    for name in ("sweeps", "restarts"):
        value = getattr(params, name)
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise ValueError(f"params.{name} must be a whole number of at least 1, not {value!r}")
    for name in ("startTemperature", "endTemperature"):
        value = getattr(params, name)
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not (value > 0 and math.isfinite(value)):
            raise ValueError(f"params.{name} must be a positive number, not {value!r}")
    if params.seed is not None and (isinstance(params.seed, bool) or not isinstance(params.seed, int)):
        raise ValueError(f"params.seed must be a whole number, not {params.seed!r}")
