import { BpmnModdle } from 'bpmn-moddle';
import { expect, test } from 'vitest';
import { drawMissing } from './draw-missing.ts';
import { child, list, type Box, type Moddle } from './types.ts';

const START =
  '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:bpmndi="http://www.omg.org/spec/BPMN/20100524/DI" xmlns:dc="http://www.omg.org/spec/DD/20100524/DC" xmlns:di="http://www.omg.org/spec/DD/20100524/DI" targetNamespace="t">';

/** The library, as far as it is used: its declaration knows no `create`. */
const Moddles = BpmnModdle as unknown as new () => {
  fromXML(xml: string): Promise<{
    readonly rootElement: Moddle;
    readonly elementsById: object;
    readonly warnings: readonly unknown[];
  }>;
  toXML(definitions: Moddle): Promise<{ readonly xml: string }>;
  create(type: string, values: object): Moddle;
};

/** A file after its drawing was completed, saved and read again. */
async function completed(xml: string) {
  const moddle = new Moddles();
  const read = await moddle.fromXML(START + xml + '</definitions>');
  const create = (type: string, values: object): Moddle => moddle.create(type, values);
  const laidOut = drawMissing(read.rootElement, create, Object.keys(read.elementsById)).map(({ id }) => id);
  const { xml: saved } = await moddle.toXML(read.rootElement);
  const again = await moddle.fromXML(saved);
  expect(again.warnings).toEqual([]);
  const diagrams = list(again.rootElement, 'diagrams').map((one) => child(one, 'plane'));
  const drawn = diagrams.flatMap((plane) => list(plane, 'planeElement'));
  const ids = drawn.map(({ id }) => id);
  expect(new Set([...ids, ...Object.keys(read.elementsById)]).size).toBe(
    ids.length + Object.keys(read.elementsById).filter((id) => !ids.includes(id)).length,
  );
  const boxes = new Map<string, Box>(
    drawn.flatMap((one) => {
      const bounds = child(one, 'bounds') as unknown as Box | null;
      const { id = '' } = child(one, 'bpmnElement') ?? {};
      return bounds === null ? [] : [[id, bounds] as const];
    }),
  );
  const edges = drawn.flatMap((one) => (list(one, 'waypoint').length > 1 ? [child(one, 'bpmnElement')?.id] : []));
  return { laidOut, boxes, edges, planes: diagrams.map((plane) => child(plane, 'bpmnElement')?.id) };
}

const flow = (id: string, from: string, to: string): string =>
  `<sequenceFlow id="${id}" sourceRef="${from}" targetRef="${to}" />`;
const shape = (id: string, box: string, more = ''): string =>
  `<bpmndi:BPMNShape id="${id}_di" bpmnElement="${id}" ${more}><dc:Bounds ${box} /></bpmndi:BPMNShape>`;
const diagram = (of: string, shapes: string): string =>
  `<bpmndi:BPMNDiagram id="diagram_${of}"><bpmndi:BPMNPlane id="plane_${of}" bpmnElement="${of}">${shapes}</bpmndi:BPMNPlane></bpmndi:BPMNDiagram>`;

const overlap = (a: Box, b: Box): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

test('a file without a diagram is laid out: loops, what nothing reaches, sub-processes and borders', async () => {
  // An element has the id that the shape of another one would get.
  const { laidOut, boxes, edges, planes } = await completed(`<process id="p" isExecutable="true">
    <startEvent id="a" /><task id="a_shape" /><exclusiveGateway id="g" /><endEvent id="z" />
    <subProcess id="s"><startEvent id="s1" /><task id="s2" />${flow('s12', 's1', 's2')}</subProcess>
    <boundaryEvent id="b" attachedToRef="s" /><boundaryEvent id="b2" attachedToRef="s" /><task id="alone" />
    <task id="l1" /><task id="l2" />${flow('l12', 'l1', 'l2')}${flow('l21', 'l2', 'l1')}
    ${flow('f1', 'a', 'a_shape')}${flow('f2', 'a_shape', 'g')}${flow('f3', 'g', 'a_shape')}${flow('f4', 'g', 's')}
    ${flow('f5', 's', 'z')}${flow('f6', 'b', 'z')}</process>`);
  expect(planes).toEqual(['p']);
  const every = ['a', 'a_shape', 'alone', 'b', 'b2', 'g', 'l1', 'l2', 's', 's1', 's2', 'z'];
  expect(new Set(laidOut)).toEqual(new Set(every));
  expect(new Set(edges)).toEqual(new Set(['f1', 'f2', 'f3', 'f4', 'f5', 'f6', 'l12', 'l21', 's12']));
  const outer = ['a', 'a_shape', 'alone', 'g', 'l1', 'l2', 's', 'z'].map((id) => boxes.get(id) as Box);
  for (const [at, one] of outer.entries())
    for (const other of outer.slice(at + 1)) expect(overlap(one, other)).toBe(false);
  const around = boxes.get('s') as Box;
  for (const id of ['s1', 's2']) {
    const { x, y, width, height } = boxes.get(id) as Box;
    expect(x > around.x && y > around.y).toBe(true);
    expect(x + width < around.x + around.width && y + height < around.y + around.height).toBe(true);
  }
  for (const id of ['b', 'b2']) expect(overlap(boxes.get(id) as Box, around)).toBe(true);
  expect(overlap(boxes.get('b') as Box, boxes.get('b2') as Box)).toBe(false);
});

test('what is drawn stays where it is, and what is missing stands below', async () => {
  const { laidOut, boxes, edges } = await completed(
    `<process id="p"><startEvent id="a" /><task id="t" /><task id="u" />${flow('f', 'a', 't')}</process>` +
      diagram('p', shape('a', 'x="10" y="500" width="36" height="36"')),
  );
  expect(laidOut).toEqual(['t', 'u']);
  expect(boxes.get('a')).toMatchObject({ x: 10, y: 500 });
  expect(boxes.get('t')?.y).toBeGreaterThan(536);
  expect(edges).toEqual(['f']);
});

test('a collapsed sub-process gets a diagram of its own; the file shows its process first', async () => {
  const process = '<process id="p"><subProcess id="s"><task id="t" /></subProcess></process>';
  const collapsed = await completed(process + diagram('p', shape('s', 'x="10" y="10" width="100" height="80"')));
  expect(collapsed).toMatchObject({ laidOut: ['t'], planes: ['p', 's'] });
  const inner = await completed(process + diagram('s', ''));
  expect(inner).toMatchObject({ planes: ['p', 's'] });
  expect(inner.laidOut).toContain('s');
});

test('what is missing in a pool or in an open sub-process stays so', async () => {
  const pool = await completed(
    `<collaboration id="c"><participant id="pool" processRef="p" /></collaboration><process id="p"><task id="t" /></process>` +
      diagram('c', shape('pool', 'x="10" y="10" width="400" height="100"')),
  );
  expect(pool.laidOut).toEqual([]);
  const open = await completed(
    '<process id="p"><subProcess id="s"><task id="t" /></subProcess></process>' +
      diagram('p', shape('s', 'x="10" y="10" width="100" height="80"', 'isExpanded="true"')),
  );
  expect(open.laidOut).toEqual([]);
});

test('a process that is drawn nowhere gets a diagram of its own, behind the others', async () => {
  const called =
    '<process id="called"><startEvent id="c1" /><task id="c2" /><sequenceFlow id="cf" sourceRef="c1" targetRef="c2" /></process>';
  const drawn = diagram('p', shape('a', 'x="10" y="10" width="36" height="36"'));
  const beside = await completed(
    `<process id="p"><startEvent id="a" /></process>${called}<process id="none" />${drawn}`,
  );
  expect(beside).toMatchObject({ laidOut: ['c1', 'c2'], planes: ['p', 'called'], edges: ['cf'] });
  const neither = await completed(`<process id="p" isExecutable="true"><startEvent id="a" /></process>${called}`);
  expect(neither).toMatchObject({ laidOut: ['a', 'c1', 'c2'], planes: ['p', 'called'] });
  const pool = await completed(
    `<collaboration id="co"><participant id="pool" processRef="p" /></collaboration><process id="p"><task id="t" /></process>${called}` +
      diagram('co', shape('pool', 'x="10" y="10" width="400" height="100"')),
  );
  expect(pool).toMatchObject({ laidOut: ['c1', 'c2'], planes: ['co', 'called'] });
});
