import { child, is, list, type Moddle } from '../kit/types.ts';
import { nameOf, titleOf, typeInWords } from '../kit/words.ts';

/** A row of the outline. */
export interface Row {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  /** 1 for what stands directly in a process. */
  readonly level: number;
}

/** The process or the collaboration of an object, also of one in a collapsed sub-process. */
export function wholeOf(moddle: Moddle): Moddle {
  let whole = moddle;
  while (whole.$parent !== undefined && whole.$parent.$type !== 'bpmn:Definitions') whole = whole.$parent;
  return whole;
}

/**
 * The elements of processes, or of the pools of a collaboration, in the order of flow. Below an element stand what is in
 * it, the events on its border, and the paths of a gateway with several. Several processes have a row each.
 */
export function rowsOf(wholes: readonly Moddle[]): readonly Row[] {
  const processes = wholes.flatMap((whole) => {
    const pools = list(whole, 'participants');
    return pools.length === 0
      ? [{ row: whole, process: whole }]
      : pools.flatMap((row) => {
          const process = child(row, 'processRef');
          return process === null ? [] : [{ row, process }];
        });
  });
  return processes.length === 1
    ? processes.flatMap(({ process }) => rowsIn(process, 1))
    : processes.flatMap(({ row, process }) => [rowOf(row, 1), ...rowsIn(process, 2)]);
}

function rowsIn(scope: Moddle, level: number): Row[] {
  const elements = list(scope, 'flowElements');
  const nodes = elements.filter((one) => is(one, 'bpmn:FlowNode') && one.$type !== 'bpmn:BoundaryEvent');
  const boundaries = elements.filter(({ $type }) => $type === 'bpmn:BoundaryEvent');
  // Files of other programs may leave out the lists of incoming and outgoing flows of an element.
  const flows = Map.groupBy(
    elements.filter(({ $type }) => $type === 'bpmn:SequenceFlow'),
    (flow) => child(flow, 'sourceRef'),
  );
  return inOrderOfFlow(nodes, boundaries, flows).flatMap((node) => [
    rowOf(node, level),
    ...pathsOf(node, flows).map((flow) => ({ ...rowOf(flow, level + 1), name: pathName(flow) })),
    ...rowsIn(node, level + 1),
    ...boundaries.filter((event) => child(event, 'attachedToRef') === node).map((event) => rowOf(event, level + 1)),
  ]);
}

type Flows = ReadonlyMap<Moddle | null, readonly Moddle[]>;

const rowOf = (moddle: Moddle, level: number): Row => ({
  id: moddle.id ?? '',
  name: titleOf(moddle),
  type: typeInWords(moddle),
  level,
});

function pathsOf(node: Moddle, flows: Flows): readonly Moddle[] {
  const outgoing = flows.get(node) ?? [];
  const decides = node.$type === 'bpmn:ExclusiveGateway' || node.$type === 'bpmn:InclusiveGateway';
  return decides && outgoing.length > 1 ? outgoing : [];
}

function pathName(flow: Moddle): string {
  const target = child(flow, 'targetRef');
  const name = typeof flow['name'] === 'string' ? flow['name'] : 'Path';
  return target === null ? name : `${name} to ${nameOf(target)}`;
}

/** Depth first from what nothing leads to; what cannot be reached stands at the end. */
function inOrderOfFlow(nodes: readonly Moddle[], boundaries: readonly Moddle[], flows: Flows): readonly Moddle[] {
  const known = new Set(nodes);
  const ordered = new Set<Moddle>();
  const targets = new Set([...flows.values()].flat().map((flow) => child(flow, 'targetRef')));
  const starts = nodes.filter((node) => !targets.has(node));
  const open = starts.toReversed();
  const visit = (): void => {
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      if (ordered.has(node) || !known.has(node)) continue;
      ordered.add(node);
      const at = node;
      const attached = boundaries.filter((event) => child(event, 'attachedToRef') === at);
      const leaving = [node, ...attached].flatMap((one) => flows.get(one) ?? []);
      open.push(...leaving.flatMap((flow) => child(flow, 'targetRef') ?? []).toReversed());
    }
  };
  visit();
  for (const node of nodes) {
    open.push(node);
    visit();
  }
  return [...ordered];
}
