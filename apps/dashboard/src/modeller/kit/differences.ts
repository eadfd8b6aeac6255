import type { Difference } from '../../forms/conflict.tsx';

/** Differences between two files, by the names of elements. */
export function differencesOf(mine: string, theirs: string): readonly Difference[] {
  const [own, other] = [elementsOf(mine), elementsOf(theirs)];
  const added = [...own.keys()].filter((id) => !other.has(id));
  const gone = [...other.keys()].filter((id) => !own.has(id));
  const changed = [...own].filter(([id, text]) => other.has(id) && other.get(id) !== text).map(([id]) => id);
  return [
    { label: 'Only here', mine: added.join(', '), theirs: gone.join(', ') },
    {
      label: 'Different',
      mine: changed.join(', '),
      theirs: changed.length === 0 ? '' : 'the same elements, otherwise',
    },
  ];
}

/** The text of each element of the flow, by its id; places in the diagram do not count. */
function elementsOf(xml: string): Map<string, string> {
  const document = new DOMParser().parseFromString(xml, 'application/xml');
  const elements = [...document.querySelectorAll('process [id]')];
  return new Map(elements.map((element) => [element.id, ownText(element)]));
}

/** The element without the elements in it that have an id of their own. */
function ownText(element: Element): string {
  const copy = element.cloneNode(true) as Element;
  for (const inner of copy.querySelectorAll('[id]')) inner.remove();
  return copy.outerHTML.replaceAll(/\s+/g, ' ');
}
