import { builtinNames } from '@kethub/feel';
import type { Expression } from '../expression.ts';
import type { Node, Process, ProcessGraph } from '../graph.ts';
import type { Value, WorkflowWarning } from '../types.ts';

const MOST = 100;
const builtins: ReadonlySet<string> = new Set(builtinNames);
const ofLoops = [
  'loopCounter',
  'numberOfInstances',
  'numberOfActiveInstances',
  'numberOfCompletedInstances',
  'numberOfTerminatedInstances',
];

/**
 * Warns of probable mistakes in a workflow that can be deployed: names that nothing defines, errors that nothing
 * throws.
 */
export function warningsOf(graph: ProcessGraph): WorkflowWarning[] {
  const found: WorkflowWarning[] = [];
  for (const process of graph.processes.values()) {
    // Callers can give a process variables of any name.
    const defined = process.id === graph.processId ? definedIn(process) : null;
    for (const [elementId, expression] of expressionsOf(process))
      found.push(...mistakesIn(elementId, expression, defined));
  }
  found.push(...neverThrown(graph));
  return found.slice(0, MOST);
}

function mistakesIn(elementId: string, { source, compiled }: Expression, defined: ReadonlySet<string> | null) {
  if (compiled === null) return [];
  const warning = (code: WorkflowWarning['code'], message: string) => ({
    elementId,
    code,
    message,
    expression: source,
  });
  const names = defined === null ? [] : compiled.needed.filter((name) => !defined.has(name));
  return [
    ...names.map((name) =>
      warning(
        'UNDEFINED_VARIABLE',
        `Nothing in this workflow defines the variable ${name}: neither the Request Schema, nor a mapping, a script or a loop. It is null.`,
      ),
    ),
    ...compiled.calls
      .filter((name) => !builtins.has(name) && name !== 'secret_value')
      .map((name) => warning('UNKNOWN_FUNCTION', `FEEL has no function ${name}. The call is null.`)),
  ];
}

/** Names that variables can have; null: any name. */
function definedIn({ id, nodes }: Process): ReadonlySet<string> | null {
  const names = new Set<string>(ofLoops);
  for (const node of nodes.values()) {
    if (givesAnything(node, id)) return null;
    for (const { target } of [...node.inputs, ...node.outputs]) names.add(target[0] ?? '');
    const { multiInstance } = node;
    for (const name of [multiInstance?.inputElement, multiInstance?.outputCollection])
      if (name != null) names.add(name);
    if (node.kind === 'script') names.add(node.resultVariable);
    if ('trigger' in node && node.trigger.type === 'error') names.add(node.trigger.payloadVariable);
    if (node.kind === 'startEvent') for (const name of propertiesOf(node.requestSchema) ?? []) names.add(name);
  }
  return names;
}

/** Returns whether variables of unknown names come from an element. */
function givesAnything(node: Node, processId: string): boolean {
  if (node.kind === 'startEvent' && node.scope === processId && node.trigger.type === 'none')
    return propertiesOf(node.requestSchema) === null;
  if (node.outputs.length > 0) return false;
  if (node.kind === 'call') return node.allChildVariables;
  return node.kind === 'service' || ('trigger' in node && bringsVariables(node.trigger.type));
}

const bringsVariables = (type: string): boolean => type === 'message' || type === 'signal';

/** The members that a Request Schema describes; null when it allows others as well. */
function propertiesOf(schema: { readonly [keyword: string]: Value } | null): readonly string[] | null {
  const properties = schema?.['properties'];
  const others = ['patternProperties', '$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'dependentSchemas'];
  if (schema == null || typeof properties !== 'object' || properties === null || others.some((each) => each in schema))
    return null;
  return typeof schema['additionalProperties'] === 'object' ? null : Object.keys(properties);
}

/** All expressions but those that see a result of unknown members. */
function* expressionsOf({ nodes, flows }: Process): Generator<readonly [string, Expression]> {
  for (const node of nodes.values()) {
    const { id, multiInstance } = node;
    for (const expression of ownExpressions(node)) yield [id, expression];
    for (const { source, target } of node.inputs) if (target[0] !== '$secrets') yield [id, source];
    if (multiInstance !== null) yield [id, multiInstance.inputCollection];
    if (seesResult(node)) continue;
    for (const { source } of node.outputs) yield [id, source];
    for (const one of [multiInstance?.outputElement, multiInstance?.completionCondition])
      if (one != null) yield [id, one];
  }
  for (const { id, condition } of flows.values()) if (condition !== null) yield [id, condition];
}

const seesResult = (node: Node): boolean =>
  node.kind === 'service' || node.kind === 'call' || ('trigger' in node && node.trigger.type !== 'none');

function ownExpressions(node: Node): readonly Expression[] {
  if (node.kind === 'script') return [node.expression];
  if (node.kind === 'call') return [node.processId];
  if (node.kind === 'errorEndEvent') return node.message === null ? [] : [node.message];
  if (node.kind === 'messageEvent') {
    const { name, correlationKey, timeToLive } = node.message;
    return [name, correlationKey, timeToLive].filter((one) => one !== null);
  }
  if (node.kind === 'signalEvent') return [node.signal.name];
  // The trigger of an event sub-process is that of its start event.
  if (!('trigger' in node) || node.kind === 'eventSubProcess') return [];
  const { trigger } = node;
  if (trigger.type === 'timer') return [trigger.timer.value];
  if (trigger.type === 'signal') return [trigger.signal.name];
  if (trigger.type !== 'message') return [];
  const { name, correlationKey } = trigger.message;
  return correlationKey === null ? [name] : [name, correlationKey];
}

/** Events that catch a code which no error end event of the file throws; not where an expression calls a process. */
function neverThrown({ processes }: ProcessGraph): WorkflowWarning[] {
  const nodes = [...processes.values()].flatMap((process) => [...process.nodes.values()]);
  const thrown = new Set(nodes.flatMap((node) => (node.kind === 'errorEndEvent' ? [node.code] : [])));
  return nodes.flatMap((node) => {
    if (!('trigger' in node) || node.kind === 'eventSubProcess' || node.trigger.type !== 'error') return [];
    const { code } = node.trigger;
    if (code === null || code === 'SERVICE_FAILED' || thrown.has(code)) return [];
    const message = `No error end event of this file throws ${code}, so this event never happens. A failed service is caught by SERVICE_FAILED.`;
    return [{ elementId: node.id, code: 'NEVER_THROWN' as const, message }];
  });
}
