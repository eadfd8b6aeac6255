import { together } from './together.ts';
import { child, list, text, type Drawn, type Kit, type Moddle } from './types.ts';

/** The extension element of a type, such as `zeebe:Script`; null where there is none. */
export function extensionOf(moddle: Moddle, type: string): Moddle | null {
  return list(child(moddle, 'extensionElements'), 'values').find(({ $type }) => $type === type) ?? null;
}

/** Sets attributes of the extension element of a type, and makes it where it is missing. null removes it. */
export function setExtension(
  kit: Kit,
  element: Drawn,
  type: string,
  values: Readonly<Record<string, unknown>> | null,
  owner: Moddle = element.businessObject,
): void {
  const modeling = kit.service('modeling');
  const present = extensionOf(owner, type);
  if (present !== null && values !== null) return modeling.updateModdleProperties(element, present, values);
  if (present === null && values === null) return;
  const others = list(child(owner, 'extensionElements'), 'values').filter(({ $type }) => $type !== type);
  const factory = kit.service('bpmnFactory');
  const made = values === null ? [] : [factory.create(type, values)];
  const all = [...others, ...made];
  const extensionElements = factory.create('bpmn:ExtensionElements', { values: all });
  adopt(extensionElements, owner);
  for (const one of all) adopt(one, extensionElements);
  modeling.updateModdleProperties(element, owner, { extensionElements });
}

/** Makes one part of the file the parent of another. */
export function adopt(moddle: Moddle, parent: Moddle): void {
  (moddle as { $parent?: Moddle }).$parent = parent;
}

export interface Mapping {
  readonly source: string;
  readonly target: string;
}

export function mappingsOf(moddle: Moddle, side: 'input' | 'output'): readonly Mapping[] {
  return list(extensionOf(moddle, 'zeebe:IoMapping'), `${side}Parameters`).map((one) => ({
    source: text(one, 'source'),
    target: text(one, 'target'),
  }));
}

/** Replaces all input or all output mappings of an element. */
export function setMappings(kit: Kit, element: Drawn, side: 'input' | 'output', mappings: readonly Mapping[]): void {
  const factory = kit.service('bpmnFactory');
  const type = side === 'input' ? 'zeebe:Input' : 'zeebe:Output';
  const made = mappings.map(({ source, target }) => factory.create(type, { source, target }));
  const other = side === 'input' ? 'outputParameters' : 'inputParameters';
  const others = list(extensionOf(element.businessObject, 'zeebe:IoMapping'), other);
  const isEmpty = made.length === 0 && others.length === 0;
  setExtension(kit, element, 'zeebe:IoMapping', isEmpty ? null : { [`${side}Parameters`]: made });
}

export function headerOf(moddle: Moddle, key: string): string {
  const header = list(extensionOf(moddle, 'zeebe:TaskHeaders'), 'values').find((one) => text(one, 'key') === key);
  return text(header, 'value');
}

/** Sets task headers; an empty text removes one. */
export function setHeaders(kit: Kit, element: Drawn, headers: Readonly<Record<string, string>>): void {
  const factory = kit.service('bpmnFactory');
  const kept = list(extensionOf(element.businessObject, 'zeebe:TaskHeaders'), 'values').filter(
    (one) => !Object.hasOwn(headers, text(one, 'key')),
  );
  const made = Object.entries(headers)
    .filter(([, value]) => value !== '')
    .map(([key, value]) => factory.create('zeebe:Header', { key, value }));
  setExtension(kit, element, 'zeebe:TaskHeaders', { values: [...kept, ...made] });
}

/** Sets a formal expression, such as a condition or the duration of a timer; an empty text removes it. */
export function setExpression(kit: Kit, element: Drawn, owner: Moddle, name: string, body: string): void {
  const made = body === '' ? undefined : kit.service('bpmnFactory').create('bpmn:FormalExpression', { body });
  if (made) adopt(made, owner);
  kit.service('modeling').updateModdleProperties(element, owner, { [name]: made });
}

export function expressionOf(owner: Moddle | null, name: string): string {
  return text(child(owner, name), 'body');
}

const ROOTS = {
  errorRef: { type: 'bpmn:Error', key: 'errorCode' },
  messageRef: { type: 'bpmn:Message', key: 'name' },
  signalRef: { type: 'bpmn:Signal', key: 'name' },
  escalationRef: { type: 'bpmn:Escalation', key: 'escalationCode' },
} as const;
export type Reference = keyof typeof ROOTS;

/** The code or name of what an event refers to. */
export function referenceOf(owner: Moddle | null, reference: Reference): string {
  return text(child(owner, reference), ROOTS[reference].key);
}

/**
 * Has an event refer to the error, message, signal or escalation of this code or name. The file gets one where it has
 * none; an empty text removes the reference.
 */
export function setReference(kit: Kit, element: Drawn, owner: Moddle, reference: Reference, value: string): void {
  const { type, key } = ROOTS[reference];
  const modeling = kit.service('modeling');
  if (value === '') return modeling.updateModdleProperties(element, owner, { [reference]: undefined });
  const definitions = rootOf(element.businessObject);
  const known = list(definitions, 'rootElements').find((one) => one.$type === type && text(one, key) === value);
  if (known) return modeling.updateModdleProperties(element, owner, { [reference]: known });
  const made = kit.service('bpmnFactory').create(type, { name: value, ...(key !== 'name' && { [key]: value }) });
  adopt(made, definitions);
  const rootElements = [...list(definitions, 'rootElements'), made];
  together(kit, () => {
    modeling.updateModdleProperties(element, definitions, { rootElements });
    modeling.updateModdleProperties(element, owner, { [reference]: made });
  });
}

/** The outermost object of the file, `bpmn:Definitions`. */
export function rootOf(moddle: Moddle): Moddle {
  return moddle.$parent === undefined ? moddle : rootOf(moddle.$parent);
}

/** Sets attributes of the element itself, such as its name. */
export function setProperties(kit: Kit, element: Drawn, values: Readonly<Record<string, unknown>>): void {
  kit.service('modeling').updateProperties(element, values);
}

/** Sets attributes of an object within an element. */
export function setValues(kit: Kit, element: Drawn, owner: Moddle, values: Readonly<Record<string, unknown>>): void {
  kit.service('modeling').updateModdleProperties(element, owner, values);
}
