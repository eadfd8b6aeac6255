/** Differences of one element between two files. */
export type Change = 'added' | 'removed' | 'changed' | 'moved';

export interface ElementChange {
  readonly id: string;
  readonly name: string;
  readonly change: Change;
}

/**
 * Differences from one file to another, by the ids of elements. They are elements that only one of them has, that say
 * something else, or that are drawn elsewhere.
 */
export function differencesOf(before: string, after: string): readonly ElementChange[] {
  const [old, present] = [contentOf(before), contentOf(after)];
  const all = new Map([...old, ...present]);
  return [...all].flatMap(([id, { name }]): ElementChange[] => {
    const [one, other] = [old.get(id), present.get(id)];
    if (!one || !other) return [{ id, name, change: one ? 'removed' : 'added' }];
    if (one.text !== other.text) return [{ id, name, change: 'changed' }];
    return one.position === other.position ? [] : [{ id, name, change: 'moved' }];
  });
}

interface Content {
  readonly name: string;
  readonly text: string;
  readonly position: string;
}

/** Elements of the flow with what they say and where they are drawn. */
function contentOf(xml: string): Map<string, Content> {
  const document = new DOMParser().parseFromString(xml, 'application/xml');
  // The plane of a process holds all shapes: it is no position of the process.
  const shapes = [...document.querySelectorAll('[bpmnElement]')].filter(({ localName }) => localName !== 'BPMNPlane');
  const positions = new Map(shapes.map((shape) => [shape.getAttribute('bpmnElement') ?? '', ownText(shape, '')]));
  const elements = [...document.querySelectorAll('process[id], process [id]')];
  const names = new Map(elements.map((element) => [element.id, element.getAttribute('name') ?? '']));
  return new Map(
    elements.map((element) => [
      element.id,
      { name: nameOf(element, names), text: ownText(element, '[id]'), position: positions.get(element.id) ?? '' },
    ]),
  );
}

/** Its own name; of a path without one, those of its ends. */
function nameOf(element: Element, names: ReadonlyMap<string, string>): string {
  const own = element.getAttribute('name') ?? '';
  if (own !== '' || element.localName !== 'sequenceFlow') return own || element.id;
  const [from, to] = ['sourceRef', 'targetRef'].map((end) => {
    const id = element.getAttribute(end) ?? '';
    return names.get(id) || id;
  });
  return `${from} → ${to}`;
}

/** The element without those in it that `inner` selects, and without the lists of flows, which stand at the flows. */
function ownText(element: Element, inner: string): string {
  const copy = element.cloneNode(true) as Element;
  if (inner !== '') for (const one of copy.querySelectorAll(inner)) one.remove();
  for (const one of copy.querySelectorAll(':scope > *'))
    if (['incoming', 'outgoing'].includes(one.localName)) one.remove();
  return copy.outerHTML
    .replaceAll(/\s+/g, ' ')
    .replaceAll('> <', '><')
    .replaceAll(/><\/[\w:.-]+>/g, '/>');
}
