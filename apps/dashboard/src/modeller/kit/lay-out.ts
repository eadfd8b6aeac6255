import { child, is, list, type Box, type Moddle } from './types.ts';

/** Pixels between columns, between rows, and between a sub-process and what is in it. */
const BETWEEN_COLUMNS = 60;
const BETWEEN_ROWS = 40;
const PADDING = 40;

/** Elements that a program has given places to. */
export interface LaidOut {
  readonly boxes: ReadonlyMap<Moddle, Box>;
  readonly width: number;
  readonly height: number;
}

/** Gives places to the flow nodes of a scope, and to what is in its sub-processes: columns in the order of flow. */
export function layOut(
  scope: Moddle,
  nodes: readonly Moddle[],
  at: { readonly x: number; readonly y: number },
): LaidOut {
  const free = nodes.filter(({ $type }) => $type !== 'bpmn:BoundaryEvent');
  const inner = new Map(
    free.flatMap((node) =>
      is(node, 'bpmn:SubProcess') ? [[node, layOut(node, nodesOf(node), { x: PADDING, y: PADDING })] as const] : [],
    ),
  );
  const boxes = new Map<Moddle, Box>();
  let x = at.x;
  let height = 0;
  for (const column of columnsOf(scope, free)) {
    const sizes = column.map((node) => sizeOf(node, inner.get(node)));
    const width = Math.max(...sizes.map((size) => size.width));
    let y = at.y;
    for (const [index, node] of column.entries()) {
      const size = sizes[index] ?? { width: 0, height: 0 };
      const box = { x: x + (width - size.width) / 2, y: y + Math.max(0, 80 - size.height) / 2, ...size };
      boxes.set(node, box);
      for (const [one, { x, y, ...rest }] of inner.get(node)?.boxes ?? [])
        boxes.set(one, { x: box.x + x, y: box.y + y, ...rest });
      y += Math.max(80, size.height) + BETWEEN_ROWS;
    }
    height = Math.max(height, y - BETWEEN_ROWS - at.y);
    x += width + BETWEEN_COLUMNS;
  }
  attach(nodes, boxes);
  return { boxes, width: Math.max(0, x - BETWEEN_COLUMNS - at.x), height };
}

/** The flow nodes that stand directly in a process or sub-process. */
export function nodesOf(scope: Moddle): readonly Moddle[] {
  return list(scope, 'flowElements').filter((one) => is(one, 'bpmn:FlowNode'));
}

/** The sequence flows that stand directly in a process or sub-process. */
export function flowsOf(scope: Moddle): readonly Moddle[] {
  return list(scope, 'flowElements').filter(({ $type }) => $type === 'bpmn:SequenceFlow');
}

/** Points of a flow between two elements: to the right, or below both and back. */
export function pointsBetween(from: Box, to: Box): readonly { readonly x: number; readonly y: number }[] {
  const [fromY, toY] = [from.y + from.height / 2, to.y + to.height / 2];
  const right = from.x + from.width;
  if (right <= to.x) {
    const middle = (right + to.x) / 2;
    const bend =
      fromY === toY
        ? []
        : [
            { x: middle, y: fromY },
            { x: middle, y: toY },
          ];
    return [{ x: right, y: fromY }, ...bend, { x: to.x, y: toY }];
  }
  const [fromX, toX] = [from.x + from.width / 2, to.x + to.width / 2];
  const below = Math.max(from.y + from.height, to.y + to.height) + BETWEEN_ROWS / 2;
  return [
    { x: fromX, y: from.y + from.height },
    { x: fromX, y: below },
    { x: toX, y: below },
    { x: toX, y: to.y + to.height },
  ];
}

/** Events on the border of an activity stand on its lower border, from the right. */
function attach(nodes: readonly Moddle[], boxes: Map<Moddle, Box>): void {
  const present = new Map<Moddle, number>();
  for (const node of nodes) {
    const host = child(node, 'attachedToRef');
    const around = host === null ? undefined : boxes.get(host);
    if (node.$type !== 'bpmn:BoundaryEvent' || host === null || !around) continue;
    const before = present.get(host) ?? 0;
    present.set(host, before + 1);
    const x = Math.max(around.x - 18, around.x + around.width - 54 - 44 * before);
    boxes.set(node, { x, y: around.y + around.height - 18, width: 36, height: 36 });
  }
}

function sizeOf(node: Moddle, inner: LaidOut | undefined): { readonly width: number; readonly height: number } {
  if (inner)
    return { width: Math.max(140, inner.width + 2 * PADDING), height: Math.max(120, inner.height + 2 * PADDING) };
  if (is(node, 'bpmn:Event')) return { width: 36, height: 36 };
  if (is(node, 'bpmn:Gateway')) return { width: 50, height: 50 };
  return { width: 100, height: 80 };
}

/** Nodes by their distance from those that nothing leads to. A node that only a loop reaches stands in the first column. */
function columnsOf(scope: Moddle, nodes: readonly Moddle[]): readonly (readonly Moddle[])[] {
  const known: ReadonlySet<Moddle | null> = new Set(nodes);
  const sourceOf = (flow: Moddle): Moddle | null => {
    const source = child(flow, 'sourceRef');
    return source?.$type === 'bpmn:BoundaryEvent' ? child(source, 'attachedToRef') : source;
  };
  const flows = flowsOf(scope).filter((flow) => known.has(sourceOf(flow)));
  const next = Map.groupBy(flows, sourceOf);
  const reached = new Set(flows.map((flow) => child(flow, 'targetRef')));
  const columnOf = new Map<Moddle, number>();
  let open: readonly Moddle[] = nodes.filter((node) => !reached.has(node));
  for (let column = 0; columnOf.size < nodes.length; column++) {
    if (open.length === 0) open = nodes.filter((node) => !columnOf.has(node)).slice(0, 1);
    for (const node of open) columnOf.set(node, column);
    const targets = open.flatMap((node) => (next.get(node) ?? []).flatMap((flow) => child(flow, 'targetRef') ?? []));
    open = [...new Set(targets)].filter((node) => known.has(node) && !columnOf.has(node));
  }
  return [...Map.groupBy(nodes, (node) => columnOf.get(node) ?? 0)].toSorted(([a], [b]) => a - b).map(([, all]) => all);
}
