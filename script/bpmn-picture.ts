import { readFileSync, writeFileSync } from 'node:fs';
import { BpmnModdle, type ModdleElement } from 'bpmn-moddle';

// Draws the diagrams of BPMN files as SVG, next to them: node script/bpmn-picture.ts FILE… Needs no browser.

const MARGIN = 20;
/** Pixels for names beside events. */
const SIDE = 60;
const FONT = 'font-family="sans-serif" font-size="11"';

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The picture of the first diagram in a file. */
export async function pictureOf(xml: string): Promise<string> {
  const { rootElement } = await new BpmnModdle({}).fromXML(xml);
  const [diagram] = all(rootElement, 'diagrams');
  const plane = diagram && (Reflect.get(diagram, 'plane') as ModdleElement);
  const parts = plane ? all(plane, 'planeElement') : [];
  const shapes = parts.filter(({ $type }) => $type === 'bpmndi:BPMNShape');
  const edges = parts.filter(({ $type }) => $type === 'bpmndi:BPMNEdge');
  const boxes = shapes.map((shape) => ({ element: elementOf(shape), box: boxOf(shape) }));
  const left = Math.min(...boxes.map(({ box }) => box.x)) - SIDE;
  const top = Math.min(...boxes.map(({ box }) => box.y)) - MARGIN;
  const width = Math.max(...boxes.map(({ box }) => box.x + box.width)) + SIDE - left;
  const height = Math.max(...boxes.map(({ box }) => box.y + box.height)) + 2 * MARGIN - top;
  // Containers are drawn below their contents.
  const ordered = boxes.toSorted((a, b) => b.box.width * b.box.height - a.box.width * a.box.height);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${left} ${top} ${width} ${height}" width="${width}" height="${height}">`,
    '<defs><marker id="arrow" viewBox="0 0 10 10" refX="10" refY="5" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0 10 5 0 10z"/></marker></defs>',
    `<rect x="${left}" y="${top}" width="${width}" height="${height}" fill="#fff"/>`,
    ...ordered.map(({ element, box }) => shapeOf(element, box)),
    ...edges.map((edge) => edgeOf(elementOf(edge), all(edge, 'waypoint'))),
    '</svg>\n',
  ].join('\n');
}

function shapeOf(element: ModdleElement, box: Box): string {
  const kind = element.$type.replace('bpmn:', '');
  const name = nameOf(element);
  const { x, y, width, height } = box;
  const [cx, cy] = [x + width / 2, y + height / 2];
  if (kind.endsWith('Event')) {
    const strong = kind === 'EndEvent' ? 3 : 1.5;
    const ring = `<circle cx="${cx}" cy="${cy}" r="${width / 2}" fill="#fff" stroke="#000" stroke-width="${strong}"/>`;
    const inner =
      kind === 'BoundaryEvent' ? `<circle cx="${cx}" cy="${cy}" r="${width / 2 - 3}" fill="none" stroke="#000"/>` : '';
    const mark = all(element, 'eventDefinitions').length > 0 ? errorMark(cx, cy) : '';
    return ring + inner + mark + label(name, cx, y + height + 14);
  }
  if (kind.endsWith('Gateway')) {
    const sign = kind === 'ParallelGateway' ? '+' : kind === 'ExclusiveGateway' ? '×' : '○';
    return `<path d="M${cx} ${y} ${x + width} ${cy} ${cx} ${y + height} ${x} ${cy}z" fill="#fff" stroke="#000" stroke-width="1.5"/><text x="${cx}" y="${cy + 8}" text-anchor="middle" font-family="sans-serif" font-size="24">${sign}</text>${label(name, cx, y - 8)}`;
  }
  const rectangle = `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="10" fill="#fff" stroke="#000" stroke-width="1.5"/>`;
  const loop = Reflect.get(element, 'loopCharacteristics') as ModdleElement | undefined;
  const marker = loop ? loopMark(cx, y + height - 14, Reflect.get(loop, 'isSequential') === true) : '';
  return rectangle + marker + (kind === 'SubProcess' ? label(name, cx, y + 18) : label(name, cx, cy + 4));
}

/** Three bars: upright for parallel instances, level for sequential ones. */
function loopMark(x: number, y: number, sequential: boolean): string {
  const bars = [-4, 0, 4].map((by) => (sequential ? `M${x - 6} ${y + by}h12` : `M${x + by} ${y - 6}v12`));
  return `<path d="${bars.join('')}" stroke="#000" stroke-width="2"/>`;
}

function errorMark(x: number, y: number): string {
  return `<path d="M${x - 7} ${y + 7}l4-12 5 7 5-9-3 12-6-7z" fill="#000"/>`;
}

function edgeOf(element: ModdleElement, points: readonly ModdleElement[]): string {
  const path = points.map((one) => `${number(one, 'x')} ${number(one, 'y')}`);
  const [first, second] = points;
  const name = nameOf(element);
  const at =
    first && second
      ? [(number(first, 'x') + number(second, 'x')) / 2, (number(first, 'y') + number(second, 'y')) / 2]
      : [0, 0];
  const text = name === '' ? '' : label(name, (at[0] ?? 0) + 10, (at[1] ?? 0) - 6);
  return `<path d="M${path.join(' ')}" fill="none" stroke="#000" stroke-width="1.5" marker-end="url(#arrow)"/>${text}`;
}

function label(text: string, x: number, y: number): string {
  return text === '' ? '' : `<text x="${x}" y="${y}" text-anchor="middle" ${FONT}>${escaped(text)}</text>`;
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const nameOf = ({ name }: ModdleElement): string => (typeof name === 'string' ? name : '');
const number = (element: ModdleElement, name: string): number => Number(Reflect.get(element, name));
const elementOf = (shape: ModdleElement): ModdleElement => Reflect.get(shape, 'bpmnElement') as ModdleElement;
const all = (element: ModdleElement, name: string): ModdleElement[] =>
  (Reflect.get(element, name) as ModdleElement[] | undefined) ?? [];

function boxOf(shape: ModdleElement): Box {
  const bounds = Reflect.get(shape, 'bounds') as ModdleElement;
  return {
    x: number(bounds, 'x'),
    y: number(bounds, 'y'),
    width: number(bounds, 'width'),
    height: number(bounds, 'height'),
  };
}

if (import.meta.main)
  for (const file of process.argv.slice(2))
    writeFileSync(file.replace(/\.bpmn$/, '.svg'), await pictureOf(readFileSync(file, 'utf8')));
