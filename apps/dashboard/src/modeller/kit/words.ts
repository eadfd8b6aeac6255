import { child, definitionOf, is, text, type Kit, type Moddle } from './types.ts';

/** Characters of a name that are shown; the form of an element has all of it. */
export const LONGEST_NAME = 300;

/** The beginning of a text that is too long to be shown whole. */
export function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** The name of an element for people: its own, else its type. */
export function nameOf(moddle: Moddle): string {
  return shortened(text(moddle, 'name').trim(), LONGEST_NAME) || typeInWords(moddle);
}

/** The name of a process, else its id: several processes of a file have the same type. */
function processName(process: Moddle): string {
  return shortened(text(process, 'name').trim() || (process.id ?? ''), LONGEST_NAME) || typeInWords(process);
}

/** The name of an element for a list of many: an unnamed flow is told by what it connects, a process by its id. */
export function titleOf(moddle: Moddle): string {
  const [from, to] = [child(moddle, 'sourceRef'), child(moddle, 'targetRef')];
  if (text(moddle, 'name').trim() === '' && from !== null && to !== null) return `${nameOf(from)} to ${nameOf(to)}`;
  return is(moddle, 'bpmn:Process') ? processName(moddle) : nameOf(moddle);
}

/** The same of an element by its id, which may not be drawn. */
export function titleAt(kit: Kit, elementId: string): string {
  const drawn = kit.service('elementRegistry').get(elementId);
  return drawn ? titleOf(drawn.businessObject) : shortened(elementId, LONGEST_NAME);
}

/** The type of an element in words, such as `Timer boundary event`. */
export function typeInWords(moddle: Moddle): string {
  const plain = moddle.$type
    .replace('bpmn:', '')
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();
  const kind = definitionOf(moddle)?.$type.replace('bpmn:', '').replace('EventDefinition', '').toLowerCase();
  const words = moddle['triggeredByEvent'] === true ? 'event sub-process' : plain.replace('sub process', 'sub-process');
  const whole = kind === undefined ? words : `${kind} ${words}`;
  return whole.charAt(0).toUpperCase() + whole.slice(1);
}

/** Returns whether a drawn element is part of the flow of a process. */
export function isFlowNode(moddle: Moddle): boolean {
  return is(moddle, 'bpmn:FlowNode');
}
