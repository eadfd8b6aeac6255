"""Draws how likely the circuit is to measure a cut of every weight, before and after the angles were found."""

import numpy as np

WIDTH, HEIGHT = 960, 480
LEFT, RIGHT, TOP, BOTTOM = 70, 930, 110, 420
SURFACE, INK, MUTED = "#fbfaf8", "#1c1917", "#78716c"
FOUND, UNIFORM = "#4338ca", "#d6d3d1"
BARS = 40


def draw_distribution(values: np.ndarray, probabilities: np.ndarray, expectation: float) -> str:
    """Return an SVG: two histograms over the weight of the cut, and the expectation."""
    best = float(values.max())
    edges = np.linspace(0, best, BARS + 1)
    found = np.histogram(values, edges, weights=probabilities)[0]
    uniform = np.histogram(values, edges)[0] / len(values)
    highest = max(found.max(), uniform.max())
    scale = (BOTTOM - TOP) / highest
    width = (RIGHT - LEFT) / BARS

    def bars(shares: np.ndarray, colour: str, inset: float) -> str:
        return "".join(
            f'<rect x="{LEFT + index * width + inset:.1f}" y="{BOTTOM - share * scale:.1f}" width="{width - 2 * inset:.1f}"'
            f' height="{share * scale:.1f}" rx="2" fill="{colour}"/>'
            for index, share in enumerate(shares)
            if share > 0
        )

    x = LEFT + expectation / best * (RIGHT - LEFT)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" font-family="system-ui, sans-serif">',
        f"<title>Distribution of cuts, expectation {expectation:.1f} of {best:g}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" rx="20" fill="{SURFACE}"/>',
        f'<text x="40" y="52" font-size="26" font-weight="650" fill="{INK}">Expected cut {expectation:.1f} of {best:g}</text>',
        f'<text x="40" y="78" font-size="15" fill="{MUTED}">Probability of measuring a cut of a weight: ',
        f'<tspan fill="{FOUND}" font-weight="600">QAOA</tspan>, and every cut alike</text>',
        bars(uniform, UNIFORM, 1),
        bars(found, FOUND, 4),
        f'<line x1="{x:.1f}" y1="{TOP - 8}" x2="{x:.1f}" y2="{BOTTOM}" stroke="{INK}" stroke-dasharray="4 4"/>',
        f'<line x1="{LEFT}" y1="{BOTTOM}" x2="{RIGHT}" y2="{BOTTOM}" stroke="{MUTED}"/>',
        f'<text x="{LEFT}" y="{BOTTOM + 26}" font-size="14" fill="{MUTED}">0</text>',
        f'<text x="{RIGHT}" y="{BOTTOM + 26}" font-size="14" fill="{MUTED}" text-anchor="end">{best:g}</text>',
        "</svg>",
    ]
    return "\n".join(lines) + "\n"
