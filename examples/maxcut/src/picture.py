"""Draws a cut as SVG."""

from html import escape

from src.graph import Graph
from src.layout import lay_out

WIDTH, HEIGHT = 960, 640
LEFT, TOP, RIGHT, BOTTOM = 80, 112, 880, 548
COLOURS = ("#0f766e", "#ea580c")
SURFACE, INK, MUTED, FAINT = "#fbfaf8", "#1c1917", "#78716c", "#d6d3d1"
FONT = "font-family=\"Inter, 'Segoe UI', system-ui, sans-serif\""


def draw_cut(graph: Graph, sides: list[int]) -> str:
    """Return an SVG: nodes in the colours of their sides, edges of the cut bold from one colour to the other."""
    places = [(LEFT + x * (RIGHT - LEFT), TOP + y * (BOTTOM - TOP)) for x, y in lay_out(graph, sides)]
    cut = graph.cut_edges(sides)
    value = sum(weight for _, _, weight in cut)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" {FONT} role="img" aria-labelledby="title">',
        f'<title id="title">Cut of weight {value:g} out of {graph.total_weight:g}</title>',
        _gradients(graph, sides, places),
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="20" fill="{SURFACE}"/>',
        _heading(value, graph, len(cut)),
        _edges(graph, sides, places),
        _nodes(graph, sides, places),
        _legend(graph, sides),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _gradients(graph: Graph, sides: list[int], places) -> str:
    """One per edge of the cut: from the colour of its one end to that of the other."""
    lines = ["<defs>"]
    for index, (a, b, _) in enumerate(graph.edges):
        if sides[a] == sides[b]:
            continue
        (ax, ay), (bx, by) = places[a], places[b]
        stops = "".join(f'<stop offset="{at}" stop-color="{COLOURS[sides[end]]}"/>' for at, end in ((0.15, a), (0.85, b)))
        ends = f'x1="{ax:.1f}" y1="{ay:.1f}" x2="{bx:.1f}" y2="{by:.1f}"'
        lines.append(f'<linearGradient id="e{index}" gradientUnits="userSpaceOnUse" {ends}>{stops}</linearGradient>')
    return "\n".join([*lines, "</defs>"])


def _heading(value: float, graph: Graph, cut_edges: int) -> str:
    share = 100 * value / graph.total_weight
    detail = f"{cut_edges} of {len(graph.edges)} edges, {share:.0f} % of the weight {graph.total_weight:g}"
    return (
        f'<text x="40" y="58" font-size="28" font-weight="650" fill="{INK}">Cut of weight {value:g}</text>\n'
        f'<text x="40" y="84" font-size="15" fill="{MUTED}">{detail}</text>'
    )


def _edges(graph: Graph, sides: list[int], places) -> str:
    heaviest = max(weight for _, _, weight in graph.edges)
    labelled = len(graph.edges) <= 80
    inside, across, labels = [], [], []
    for index, (a, b, weight) in enumerate(graph.edges):
        (ax, ay), (bx, by) = places[a], places[b]
        ends = f'x1="{ax:.1f}" y1="{ay:.1f}" x2="{bx:.1f}" y2="{by:.1f}"'
        crosses = sides[a] != sides[b]
        if crosses:
            across.append(f'<line {ends} stroke="url(#e{index})" stroke-width="{1.5 + 5.5 * weight / heaviest:.1f}"/>')
        else:
            inside.append(f'<line {ends} stroke="{FAINT}" stroke-width="{1 + 1.5 * weight / heaviest:.1f}" stroke-dasharray="5 5"/>')
        if labelled:
            labels.append(
                f'<text x="{(ax + bx) / 2:.1f}" y="{(ay + by) / 2 + 4:.1f}" fill="{INK if crosses else MUTED}">{weight:g}</text>'
            )
    # An edge that runs exactly level has a box without height, on which some programs draw no gradient: keep both ends round.
    return "\n".join(
        [
            *inside,
            '<g stroke-linecap="round">',
            *across,
            "</g>",
            f'<g font-size="12" font-weight="600" text-anchor="middle" stroke="{SURFACE}" stroke-width="4" paint-order="stroke">',
            *labels,
            "</g>",
        ]
    )


def _nodes(graph: Graph, sides: list[int], places) -> str:
    radius = 20 if len(places) <= 40 else max(4, 400 / len(places))
    lines = []
    for name, side, (x, y) in zip(graph.names, sides, places):
        circle = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}" fill="{COLOURS[side]}" stroke="{SURFACE}" stroke-width="3"/>'
        title = f"<title>{escape(name)}</title>"
        label = ""
        if radius == 20:
            size = 15 if len(name) <= 2 else 11 if len(name) <= 5 else 8
            shown = escape(name if len(name) <= 8 else name[:7] + "…")
            label = f'<text x="{x:.1f}" y="{y + size / 3:.1f}" font-size="{size}" font-weight="650" text-anchor="middle" fill="#fff">{shown}</text>'
        lines.append(f"<g>{title}{circle}{label}</g>")
    return "\n".join(lines)


def _legend(graph: Graph, sides: list[int]) -> str:
    y = HEIGHT - 34
    text = f'font-size="14" fill="{MUTED}"'
    return "\n".join(
        [
            f'<linearGradient id="key" gradientUnits="userSpaceOnUse" x1="434" y1="{y}" x2="474" y2="{y}">'
            f'<stop offset="0" stop-color="{COLOURS[0]}"/><stop offset="1" stop-color="{COLOURS[1]}"/></linearGradient>',
            f'<circle cx="50" cy="{y}" r="9" fill="{COLOURS[0]}"/>',
            f'<text x="68" y="{y + 5}" {text}>left, {_nodes_of(sides, 0)}</text>',
            f'<circle cx="220" cy="{y}" r="9" fill="{COLOURS[1]}"/>',
            f'<text x="238" y="{y + 5}" {text}>right, {_nodes_of(sides, 1)}</text>',
            f'<rect x="434" y="{y - 3}" width="40" height="6" rx="3" fill="url(#key)"/>',
            f'<text x="484" y="{y + 5}" {text}>in the cut, as wide as heavy</text>',
            f'<line x1="712" y1="{y}" x2="752" y2="{y}" stroke="{FAINT}" stroke-width="2.5" stroke-dasharray="5 5"/>',
            f'<text x="762" y="{y + 5}" {text}>not in the cut</text>',
        ]
    )


def _nodes_of(sides: list[int], side: int) -> str:
    count = sides.count(side)
    return f"{count} {'node' if count == 1 else 'nodes'}"
