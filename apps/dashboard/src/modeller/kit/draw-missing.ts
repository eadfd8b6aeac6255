import { flowsOf, layOut, nodesOf, pointsBetween } from './lay-out.ts';
import { child, is, list, type Box, type Moddle } from './types.ts';

type Create = (type: string, values: Readonly<Record<string, unknown>>) => Moddle;

/**
 * Completes the drawing of a file: elements of its processes, or of a collapsed sub-process, that have none get places.
 * A process that is drawn nowhere gets a diagram of its own. Returns those elements. `taken` are the ids of the file.
 * Elements that are missing in a pool or in an open sub-process stay so: there may be no room.
 */
export function drawMissing(definitions: Moddle, create: Create, taken: Iterable<string>): readonly Moddle[] {
  const diagrams = list(definitions, 'diagrams');
  const drawing = new Drawing(diagrams, create, taken);
  const collaboration = list(definitions, 'rootElements').find(({ $type }) => $type === 'bpmn:Collaboration');
  const processes = list(definitions, 'rootElements').filter(({ $type }) => $type === 'bpmn:Process');
  const planes = drawing.planes();
  const isShown = planes.has(collaboration) || processes.some((process) => planes.has(process));
  const full = processes.filter((one) => nodesOf(one).length > 0);
  const first = full.find((one) => one['isExecutable'] === true) ?? full[0] ?? processes[0];
  if (!isShown && first) planes.set(first, drawing.addPlane(first, true));
  const pools = new Set(list(collaboration, 'participants').map((one) => child(one, 'processRef')));
  for (const process of full)
    if (!planes.has(process) && !pools.has(process) && !drawing.shows(nodesOf(process)))
      planes.set(process, drawing.addPlane(process, false));
  for (const process of processes) drawing.complete(process, planes.get(process) ?? null);
  if (drawing.diagrams.length > diagrams.length) setMember(definitions, 'diagrams', drawing.diagrams);
  return [...drawing.laidOut];
}

/** The diagrams of a file, as far as shapes and edges are concerned. */
class Drawing {
  readonly laidOut = new Set<Moddle>();
  readonly diagrams: Moddle[];
  readonly #create: Create;
  readonly #shapes = new Map<Moddle | null, Moddle>();
  readonly #ids: Set<string>;

  constructor(diagrams: readonly Moddle[], create: Create, taken: Iterable<string>) {
    this.#ids = new Set(taken);
    this.diagrams = [...diagrams];
    this.#create = create;
    for (const shape of diagrams.flatMap((one) => list(child(one, 'plane'), 'planeElement')))
      this.#shapes.set(child(shape, 'bpmnElement'), shape);
  }

  /** Planes by the process, collaboration or sub-process that they show. */
  planes(): Map<Moddle | undefined, Moddle> {
    return new Map(
      this.diagrams.flatMap((diagram) => {
        const plane = child(diagram, 'plane');
        return plane === null ? [] : [[child(plane, 'bpmnElement') ?? undefined, plane] as const];
      }),
    );
  }

  /** Returns whether any of these elements has a place. */
  shows(nodes: readonly Moddle[]): boolean {
    return nodes.some((node) => this.#shapes.has(node));
  }

  addPlane(bpmnElement: Moddle, isFirst: boolean): Moddle {
    const plane = this.#make('bpmndi:BPMNPlane', bpmnElement, { bpmnElement, planeElement: [] });
    const diagram = this.#make('bpmndi:BPMNDiagram', bpmnElement, { plane });
    setMember(plane, '$parent', diagram);
    if (isFirst) this.diagrams.unshift(diagram);
    else this.diagrams.push(diagram);
    return plane;
  }

  /** Draws what a scope lacks on its plane; null where it has none of its own. */
  complete(scope: Moddle, plane: Moddle | null): void {
    const nodes = nodesOf(scope);
    const missing = nodes.filter((node) => !this.#shapes.has(node));
    if (plane !== null && missing.length > 0) {
      const below = Math.max(100, ...nodes.flatMap((node) => this.#box(node)).map(({ y, height }) => y + height + 80));
      for (const [node, box] of layOut(scope, missing, { x: 180, y: below }).boxes) this.#addShape(plane, node, box);
    }
    for (const node of nodes.filter((one) => is(one, 'bpmn:SubProcess'))) {
      const shape = this.#shapes.get(node);
      const isCollapsed = shape !== undefined && shape['isExpanded'] !== true;
      const own = this.planes().get(node) ?? null;
      const isEmpty = nodesOf(node).every((one) => !this.#shapes.has(one));
      const isNew = own === null && isCollapsed && isEmpty && nodesOf(node).length > 0;
      this.complete(node, isNew ? this.addPlane(node, false) : own);
    }
    if (plane !== null) this.#addEdges(scope, plane);
  }

  #addEdges(scope: Moddle, plane: Moddle): void {
    for (const flow of flowsOf(scope)) {
      const [from] = this.#box(child(flow, 'sourceRef'));
      const [to] = this.#box(child(flow, 'targetRef'));
      if (this.#shapes.has(flow) || !from || !to) continue;
      const waypoint = pointsBetween(from, to).map((point) => this.#create('dc:Point', { ...point }));
      this.#add(plane, flow, this.#make('bpmndi:BPMNEdge', flow, { bpmnElement: flow, waypoint }));
    }
    // The elements of a sub-process that is laid out stand on the plane of what is around it.
    for (const node of nodesOf(scope))
      if (is(node, 'bpmn:SubProcess') && this.laidOut.has(node)) this.#addEdges(node, plane);
  }

  #addShape(plane: Moddle, node: Moddle, { x, y, width, height }: Box): void {
    const bounds = this.#create('dc:Bounds', { x, y, width, height });
    const isExpanded = is(node, 'bpmn:SubProcess') ? { isExpanded: true } : {};
    const shape = this.#make('bpmndi:BPMNShape', node, { bpmnElement: node, bounds, ...isExpanded });
    setMember(bounds, '$parent', shape);
    this.#add(plane, node, shape);
    this.laidOut.add(node);
  }

  #add(plane: Moddle, element: Moddle, drawn: Moddle): void {
    setMember(drawn, '$parent', plane);
    const present = plane['planeElement'];
    if (Array.isArray(present)) present.push(drawn);
    else setMember(plane, 'planeElement', [drawn]);
    this.#shapes.set(element, drawn);
  }

  /** The place of an element; none where it has no shape. */
  #box(element: Moddle | null): readonly Box[] {
    const bounds = child(this.#shapes.get(element), 'bounds');
    const [x, y, width, height] = ['x', 'y', 'width', 'height'].map((name) => Number(bounds?.[name] ?? 0));
    return bounds === null || element === null
      ? []
      : [{ x: x ?? 0, y: y ?? 0, width: width ?? 0, height: height ?? 0 }];
  }

  #make(type: string, of: Moddle, values: Readonly<Record<string, unknown>>): Moddle {
    const start = `${of.id ?? 'element'}_${type.replace(/^bpmndi:BPMN/, '').toLowerCase()}`;
    let id = start;
    for (let number = 2; this.#ids.has(id); number++) id = `${start}_${number}`;
    this.#ids.add(id);
    return this.#create(type, { id, ...values });
  }
}

function setMember(of: Moddle, name: string, value: unknown): void {
  (of as Record<string, unknown>)[name] = value;
}
