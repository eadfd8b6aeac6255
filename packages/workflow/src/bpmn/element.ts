import type { ModdleElement } from 'bpmn-moddle';

export type Element = ModdleElement;

/** Reads a property of a parsed element; absent or malformed, it is null or an empty list. */
export function text(element: Element, property: string): string | null {
  const value = element[property];
  return typeof value === 'string' ? value : null;
}

/** Reads a boolean; `standard` is the default of BPMN. */
export function flag(element: Element, property: string, standard: boolean): boolean {
  const value = element[property];
  return typeof value === 'boolean' ? value : standard;
}

export function child(element: Element, property: string): Element | null {
  const value = element[property];
  return isElement(value) ? value : null;
}

export function children(element: Element, property: string): readonly Element[] {
  const value = element[property];
  return Array.isArray(value) ? value.filter(isElement) : [];
}

/** Extension elements of a type, such as `zeebe:IoMapping`. */
export function extensions(element: Element, type?: string): readonly Element[] {
  const holder = child(element, 'extensionElements');
  if (holder === null) return [];
  const all = children(holder, 'values');
  return type === undefined ? all : all.filter((each) => each.$type === type);
}

export const extension = (element: Element, type: string): Element | null => extensions(element, type)[0] ?? null;

/** The id of an element or of the nearest one around it that has one. */
export function idOf(element: Element | undefined): string | null {
  for (let at = element; at !== undefined; at = at.$parent) if (typeof at.id === 'string') return at.id;
  return null;
}

function isElement(value: unknown): value is Element {
  return typeof value === 'object' && value !== null && '$type' in value;
}

/** `exclusive gateway` for `bpmn:ExclusiveGateway`: how messages name a kind of element. */
export function kindName(type: string): string {
  const local = type.slice(type.indexOf(':') + 1);
  return local
    .replaceAll(/([a-z])([A-Z])/g, (_, before: string, after: string) => `${before} ${after.toLowerCase()}`)
    .toLowerCase();
}

export const withArticle = (noun: string): string => `${/^(?!user)[aeiou]/.test(noun) ? 'An' : 'A'} ${noun}`;
