/** Nodes of a graph that is drawn; a larger one is shown as a tree. */
const MOST_NODES = 120;
const MOST_EDGES = 2_000;

/** A graph with its nodes on a circle. Positions are parts of 100. */
export interface Graph {
  readonly nodes: readonly { readonly label: string; readonly x: number; readonly y: number }[];
  /** Indexes of the two nodes of each edge, and its text, if it has one. */
  readonly edges: readonly (readonly [from: number, to: number, text: string])[];
}

type Members = Readonly<Record<string, unknown>>;

/**
 * The graph in `{nodes, edges}`. A node is an id or an object with `id`. An edge is a pair of ids, with or without a
 * weight behind them, or an object with `source` and `target`. Null for anything else.
 */
export function graphOf(value: Members): Graph | null {
  const { nodes, edges } = value;
  const others = Object.keys(value).length;
  if (!Array.isArray(nodes) || !Array.isArray(edges) || others > 4) return null;
  if (nodes.length === 0 || nodes.length > MOST_NODES || edges.length > MOST_EDGES) return null;
  const indexes = new Map<string, number>();
  const labels: string[] = [];
  for (const node of nodes as readonly unknown[]) {
    const id = idOf(isMembers(node) ? node['id'] : node);
    if (id === null || indexes.has(id)) return null;
    indexes.set(id, labels.length);
    labels.push(isMembers(node) && typeof node['label'] === 'string' ? node['label'] : id);
  }
  const drawn: [number, number, string][] = [];
  for (const edge of edges as readonly unknown[]) {
    const [from, to, weight] = endsOf(edge);
    const [a, b] = [indexes.get(idOf(from) ?? ''), indexes.get(idOf(to) ?? '')];
    if (a === undefined || b === undefined) return null;
    drawn.push([a, b, idOf(weight) ?? '']);
  }
  return { nodes: labels.map((label, index) => ({ label, ...positionOf(index, labels.length) })), edges: drawn };
}

function endsOf(edge: unknown): readonly unknown[] {
  if (Array.isArray(edge)) return edge.length <= 3 ? edge : [];
  if (!isMembers(edge)) return [];
  return [edge['source'] ?? edge['from'], edge['target'] ?? edge['to'], edge['weight']];
}

function positionOf(index: number, count: number): { readonly x: number; readonly y: number } {
  const angle = (2 * Math.PI * index) / count - Math.PI / 2;
  return { x: 50 + 40 * Math.cos(angle), y: 50 + 40 * Math.sin(angle) };
}

function idOf(value: unknown): string | null {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
