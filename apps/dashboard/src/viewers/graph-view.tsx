import type { Graph } from './graph.ts';

/** Longest label that is drawn; the whole one is its title. */
const LABEL = 14;

/** A graph on a circle. A list of the edges beside it serves those who do not see the picture. */
export function GraphView({ graph: { nodes, edges } }: { readonly graph: Graph }) {
  return (
    <div>
      <svg
        className="graph"
        viewBox="0 0 100 100"
        role="img"
        aria-label={`Graph of ${nodes.length} nodes and ${edges.length} edges`}
      >
        {edges.map(([from, to, text], index) => {
          const [a, b] = [nodes[from], nodes[to]];
          return (
            a &&
            b && (
              <line key={index} x1={a.x} y1={a.y} x2={b.x} y2={b.y}>
                {text !== '' && <title>{text}</title>}
              </line>
            )
          );
        })}
        {nodes.map(({ label, x, y }, index) => (
          <g key={index}>
            <circle cx={x} cy={y} r={nodes.length > 40 ? 1 : 2.2} />
            <text x={x} y={y < 50 ? y - 3.5 : y + 6}>
              {label.length > LABEL ? `${label.slice(0, LABEL - 1)}…` : label}
              <title>{label}</title>
            </text>
          </g>
        ))}
      </svg>
      <details>
        <summary className="small quiet">Edges as a list</summary>
        <ul className="small">
          {edges.map(([from, to, text], index) => (
            <li key={index}>
              {nodes[from]?.label} – {nodes[to]?.label}
              {text !== '' && `: ${text}`}
            </li>
          ))}
        </ul>
      </details>
    </div>
  );
}
