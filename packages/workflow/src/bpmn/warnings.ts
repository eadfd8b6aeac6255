import type { ModdleElement, ModdleWarning } from 'bpmn-moddle';
import type { Problem } from '../types.ts';
import { flag, idOf, type Element } from './element.ts';
import { invalidId } from './names.ts';
import { SourceIndex, type Tag } from './source-index.ts';

/** The text of a file, and the elements that the parser has read. */
export interface Source {
  readonly xml: string;
  readonly definitions: ModdleElement;
  readonly elementsById: Readonly<Record<string, ModdleElement>>;
}

/** References that change what a process does. All others only describe. */
const meant: ReadonlySet<string> = new Set([
  'default',
  'attachedToRef',
  'errorRef',
  'escalationRef',
  'messageRef',
  'eventDefinitionRef',
]);
const ofFlows: ReadonlySet<string> = new Set(['sourceRef', 'targetRef']);

/** Reports warnings of the parser as problems when they change what a process does: not in diagrams and other pools. */
export function problemsOf(source: Source, warnings: readonly ModdleWarning[]): Problem[] {
  let known: SourceIndex | null = null;
  const index = (): SourceIndex => (known ??= new SourceIndex(source.xml));
  const tagOf = (message: string): Tag | null => {
    const [, line, column] = /line: (\d+)\s+column: (\d+)/.exec(message) ?? [];
    return line === undefined ? null : index().tagAt(Number(line), Number(column));
  };
  return warnings.flatMap((warning) => {
    const { message } = warning;
    if (message.startsWith('unsupported document encoding')) return [];
    if (message.startsWith('unresolved reference')) return dangling(source, warning);
    if (message.startsWith('unknown attribute')) return unknownAttribute(warning, index);
    return unreadable(source, warning, tagOf(message));
  });
}

function dangling(source: Source, { element, property = '', value }: ModdleWarning): Problem[] {
  const name = property.slice(property.indexOf(':') + 1);
  const counts = meant.has(name) || (ofFlows.has(name) && element?.$type === 'bpmn:SequenceFlow');
  if (element === undefined || !counts || isPicture(element)) return [];
  const target = resolved(source, String(value));
  if (target !== undefined && name !== 'eventDefinitionRef') {
    element.set(property, target);
    return [];
  }
  const message = `${property} names ${String(value)}, which is not in the file.`;
  return [{ elementId: idOf(element), code: 'DANGLING_REFERENCE', message }];
}

/** References are names with a prefix, where the prefix stands for the namespace that the file itself defines. */
function resolved({ definitions, elementsById }: Source, name: string): ModdleElement | undefined {
  const [prefix, local, more] = name.split(':');
  if (prefix === undefined || local === undefined || more !== undefined) return undefined;
  const namespace = definitions.$attrs[`xmlns:${prefix}`];
  return namespace !== undefined && namespace === definitions['targetNamespace'] ? elementsById[local] : undefined;
}

/**
 * Attributes of other vendors are ignored like their elements. The parser takes a vendor's prefix away where the
 * vendor's namespace is the file's standard one, so the text shows whether an attribute has one.
 */
function unknownAttribute({ element, property = '' }: ModdleWarning, index: () => SourceIndex): Problem[] {
  if (element === undefined || isPicture(element)) return [];
  if (typeof element.id === 'string' && index().isOfVendor(element.id, property)) return [];
  const message = `The attribute ${property} is not known here. Correct its name or remove it.`;
  return [{ elementId: idOf(element), code: 'UNKNOWN_CONTENT', message }];
}

function unreadable(source: Source, { message, element, error }: ModdleWarning, tag: Tag | null): Problem[] {
  const around = element ?? (tag?.around == null ? undefined : source.elementsById[tag.around]);
  if (around !== undefined && isPicture(around)) return [];
  // Documentation changes nothing, wherever a tool has put it.
  if (tag !== null && /^<(?:[\w.-]+:)?documentation[\s/>]?/.test(tag.text)) return [];
  const reason = error?.message ?? message;
  const duplicate = /duplicate ID <([^>]*)>/.exec(reason)?.[1];
  if (duplicate !== undefined) {
    // Only diagrams use ids of shapes.
    if (/^unparsable content <(?:[\w.-]+:)?BPMN[A-Z]/.test(message)) return [];
    return [{ elementId: duplicate, code: 'DUPLICATE_ID', message: `More than one element has the id ${duplicate}.` }];
  }
  const illegal = /illegal ID <([^>]*)>/.exec(reason)?.[1];
  if (illegal !== undefined) return [invalidId(illegal)];
  const line = lineOf(message);
  const elementId = idOf(element) ?? (tag?.id || tag?.around) ?? null;
  const text = `A part of the file cannot be read: ${firstLine(reason)}`;
  return [{ elementId, code: 'UNKNOWN_CONTENT', message: text, ...(line === null ? {} : { line }) }];
}

/** Returns whether an element is in a process that is not run, in a collaboration, or in a diagram. */
function isPicture(element: Element): boolean {
  for (let at: Element | undefined = element; at !== undefined; at = at.$parent) {
    if (at.$type === 'bpmn:Process') return !flag(at, 'isExecutable', false);
    if (/^(?:bpmndi|dc|di):|^bpmn:(?:Collaboration|Choreography|GlobalConversation|Category)$/.test(at.$type))
      return true;
  }
  return false;
}

/** The parser counts lines from 0. */
export function lineOf(message: string): number | null {
  const line = /line: (\d+)/.exec(message)?.[1];
  return line === undefined ? null : Number(line) + 1;
}

export const firstLine = (message: string): string => (message.split('\n')[0] ?? '').trim();
