import type { Flow, Node } from '../graph.ts';

/**
 * Finds the elements of a scope from which a token can still arrive along an incoming flow of a joining gateway. The
 * token must not pass the gateway first. Ways lead over sequence flows, and from an activity to its boundary events.
 *
 * Computed when first asked for, and then cached: for all flows of a large process it would be too much.
 */
export function reachability(
  gateway: Node,
  nodes: ReadonlyMap<string, Node>,
  flows: ReadonlyMap<string, Flow>,
): (flow: string) => ReadonlySet<string> {
  const known = new Map<string, ReadonlySet<string>>();
  return (flow) => {
    const before = known.get(flow);
    if (before !== undefined) return before;
    const found = elementsBefore(gateway, flow, nodes, flows);
    known.set(flow, found);
    return found;
  };
}

function elementsBefore(
  gateway: Node,
  incoming: string,
  nodes: ReadonlyMap<string, Node>,
  flows: ReadonlyMap<string, Flow>,
): ReadonlySet<string> {
  const found = new Set<string>();
  const open = [flows.get(incoming)?.source];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    const node = nodes.get(id);
    if (node === undefined || id === gateway.id || found.has(id)) continue;
    found.add(id);
    if (node.kind === 'boundaryEvent') open.push(node.host);
    for (const flow of node.incoming) {
      const source = flows.get(flow)?.source;
      if (source !== undefined) open.push(source);
    }
  }
  return found;
}
