import { parseExact } from '../../data/exact-json.ts';
import { extensionOf, headerOf, mappingsOf } from '../kit/edit.ts';
import { exampleOf } from '../kit/request-schema.ts';
import type { CallableService } from '../kit/services.ts';
import { child, definitionOf, is, list, text, type Moddle } from '../kit/types.ts';
import { joined, membersOfSchema, membersOfValue, type Member } from './members.ts';

/** Fields in which an expression stands: output mappings see the result of the element as well. */
export type Side = 'input' | 'output';

/** Members of an error that an event has caught. */
const ERROR: readonly Member[] = [
  ...['errorCode', 'failedElement', 'message', 'serviceId', 'applicationId'].map((name): Member => ({
    name,
    type: 'string',
    members: [],
  })),
  { name: 'response', type: '', members: [] },
];

/**
 * Variables that an expression of an element can read, with their members as far as they are known. They come from the
 * request, results, scripts, mappings, loops and errors, in the process and in the sub-processes around the element.
 */
export function variablesFor(element: Moddle, services: readonly CallableService[], side: Side): readonly Member[] {
  const scopes = scopesAround(element);
  let seen: readonly Member[] = [];
  for (const scope of scopes) seen = joined(seen, [...localsOf(scope, seen), ...producedIn(scope, seen, services)]);
  const own = [...loopVariables(element), ...mapped(mappingsOf(element, 'input'), seen)];
  // A local variable hides one of its name further out.
  const visible = joined(own, seen);
  return side === 'input' ? visible : joined(resultOf(element, services), visible);
}

/** The process and the sub-processes around an element, the outermost first; for a process, itself. */
function scopesAround(element: Moddle): readonly Moddle[] {
  const scopes: Moddle[] = element.$type === 'bpmn:Process' ? [element] : [];
  for (let at = element.$parent; at !== undefined && at.$type !== 'bpmn:Definitions'; at = at.$parent)
    if (is(at, 'bpmn:FlowElementsContainer')) scopes.unshift(at);
  return scopes;
}

/** Variables of a sub-process itself: its input mappings and its loop. */
function localsOf(scope: Moddle, seen: readonly Member[]): readonly Member[] {
  return [...loopVariables(scope), ...mapped(mappingsOf(scope, 'input'), seen)];
}

/** Variables that the elements directly in a scope give to it. */
function producedIn(
  scope: Moddle,
  outside: readonly Member[],
  services: readonly CallableService[],
): readonly Member[] {
  let seen: readonly Member[] = [];
  for (const node of list(scope, 'flowElements')) {
    if (node.$type === 'bpmn:EndEvent' || !is(node, 'bpmn:FlowNode')) continue;
    seen = joined(seen, producedBy(node, joined(seen, outside), services));
  }
  return seen;
}

function producedBy(node: Moddle, seen: readonly Member[], services: readonly CallableService[]): readonly Member[] {
  const outputs = mappingsOf(node, 'output');
  const result = resultOf(node, services);
  if (is(child(node, 'loopCharacteristics') ?? undefined, 'bpmn:MultiInstanceLoopCharacteristics'))
    return collectedBy(node, joined(result, seen));
  return outputs.length > 0 ? mapped(outputs, joined(result, seen)) : result;
}

/** The list that a loop collects. */
function collectedBy(node: Moddle, seen: readonly Member[]): readonly Member[] {
  const loop = child(node, 'loopCharacteristics');
  const zeebe = loop === null ? null : extensionOf(loop, 'zeebe:LoopCharacteristics');
  const name = text(zeebe, 'outputCollection');
  if (name === '') return [];
  const inner = joined(mapped(mappingsOf(node, 'output'), seen), seen);
  return [{ name, type: 'array', members: resolve(text(zeebe, 'outputElement'), inner).members }];
}

/** Variables that an element makes before its output mappings: the result, the script's, the payload of an error. */
function resultOf(node: Moddle, services: readonly CallableService[]): readonly Member[] {
  if (node.$type === 'bpmn:ServiceTask') {
    const serviceId = headerOf(node, 'serviceId');
    return services.find(({ id }) => id === serviceId)?.result ?? [];
  }
  if (node.$type === 'bpmn:ScriptTask') {
    const name = text(extensionOf(node, 'zeebe:Script'), 'resultVariable');
    return name === '' ? [] : [{ name, type: '', members: [] }];
  }
  if (node.$type === 'bpmn:StartEvent') return requestOf(node);
  if (definitionOf(node)?.$type === 'bpmn:ErrorEventDefinition' && node.$type !== 'bpmn:EndEvent') {
    const host = (child(node, 'attachedToRef') ?? node.$parent)?.id ?? '';
    const name = text(extensionOf(node, 'kethub:Payload'), 'variable') || `${host}_serviceError`;
    return [{ name, type: 'object', members: ERROR }];
  }
  return [];
}

/** Members of the request, by the Request Schema of a start event and by its example. */
function requestOf(start: Moddle): readonly Member[] {
  const body = text(extensionOf(start, 'kethub:RequestSchema'), 'body');
  try {
    const schema: unknown = parseExact(body);
    if (typeof schema !== 'object' || schema === null) return [];
    const example = exampleOf(schema as Readonly<Record<string, unknown>>);
    return joined(membersOfSchema(schema, schema), example === '' ? [] : membersOfValue(parseExact(example)));
  } catch {
    // The problem stands at the schema.
    return [];
  }
}

function loopVariables(element: Moddle): readonly Member[] {
  const loop = child(element, 'loopCharacteristics');
  if (loop?.$type !== 'bpmn:MultiInstanceLoopCharacteristics') return [];
  const item = text(extensionOf(loop, 'zeebe:LoopCharacteristics'), 'inputElement');
  return [
    ...(item === '' ? [] : [{ name: item, type: '', members: [] }]),
    { name: 'loopCounter', type: 'integer', members: [] },
  ];
}

/** Variables that mappings make; `a.b` is the member b of an object a. */
function mapped(
  mappings: readonly { readonly source: string; readonly target: string }[],
  seen: readonly Member[],
): readonly Member[] {
  let made: readonly Member[] = [];
  for (const { source, target } of mappings) {
    const [name = '', ...inner] = target.split('.');
    if (name === '' || name.startsWith('$')) continue;
    const value = resolve(source, joined(made, seen));
    made = joined(made, [{ name, ...wrapped(inner, value) }]);
  }
  return made;
}

function wrapped(path: readonly string[], value: Omit<Member, 'name'>): Omit<Member, 'name'> {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  return { type: 'object', members: [{ name, ...wrapped(rest, value) }] };
}

/** The type and the members of an expression that is a path or a context of such; unknown for any other. */
function resolve(source: string, seen: readonly Member[]): Omit<Member, 'name'> {
  const expression = source.replace(/^=/, '').trim();
  if (/^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/.test(expression)) {
    const found = memberAt(expression.split('.'), seen);
    return found ? { type: found.type, members: found.members } : { type: '', members: [] };
  }
  if (/^-?\d+(?:\.\d+)?$/.test(expression)) return { type: 'number', members: [] };
  if (/^"[^"]*"$/.test(expression) || !source.startsWith('=')) return { type: 'string', members: [] };
  if (!expression.startsWith('{') || !expression.endsWith('}')) return { type: '', members: [] };
  const members = entriesOf(expression.slice(1, -1)).flatMap((entry) => {
    const [, name, value] = /^\s*"?([A-Za-z_]\w*)"?\s*:([^]*)$/.exec(entry) ?? [];
    return name === undefined || value === undefined ? [] : [{ name, ...resolve(`=${value}`, seen) }];
  });
  return { type: 'object', members };
}

/** The entries of a context, between the commas that stand in no brackets and in no text. */
function entriesOf(content: string): readonly string[] {
  const entries: string[] = [];
  let depth = 0;
  let isText = false;
  let from = 0;
  for (let at = 0; at < content.length; at++) {
    const sign = content[at] ?? '';
    if (sign === '"' && content[at - 1] !== '\\') isText = !isText;
    if (isText) continue;
    if ('([{'.includes(sign)) depth++;
    if (')]}'.includes(sign)) depth--;
    if (sign === ',' && depth === 0) {
      entries.push(content.slice(from, at));
      from = at + 1;
    }
  }
  return [...entries, content.slice(from)];
}

export function memberAt(path: readonly string[], among: readonly Member[]): Member | null {
  const [name, ...rest] = path;
  const found = among.find((member) => member.name === name);
  if (!found) return null;
  return rest.length === 0 ? found : memberAt(rest, found.members);
}
