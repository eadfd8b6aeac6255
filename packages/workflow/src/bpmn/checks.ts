import type { Flow, Node } from '../graph.ts';
import type { Draft, ProcessDraft, ScopeDraft } from './draft.ts';
import { child, children, flag, text, type Element } from './element.ts';
import { feelOf } from './expressions.ts';

/** Checks the structure of a process, element by element, against the rules of BPMN and of this engine. */
export function checkStructure(process: ProcessDraft): void {
  for (const scope of process.scopes.values()) {
    checkStarts(process, scope);
    checkCatchers(process, scope);
    for (const draft of scope.nodes) checkConnections(process, draft);
  }
}

function checkStarts({ report, id }: ProcessDraft, scope: ScopeDraft): void {
  const starts = scope.nodes.filter(({ element }) => element.$type === 'bpmn:StartEvent');
  const plain = starts.filter(({ element }) => children(element, 'eventDefinitions').length === 0);
  if (flag(scope.element, 'triggeredByEvent', false)) return;
  if (scope.id === id) {
    if (starts.length === 0) report.add(scope.element, 'START_EVENT', 'The process has no start event.');
    for (const { element } of plain.slice(1)) {
      report.add(element, 'START_EVENT', 'A process can have one plain start event only.');
    }
  } else if (plain.length !== 1 || starts.length !== 1) {
    report.add(scope.element, 'START_EVENT', 'A sub-process needs exactly one start event, a plain one.');
  }
}

const caught: Readonly<Record<string, 'error' | 'escalation'>> = {
  'bpmn:ErrorEventDefinition': 'error',
  'bpmn:EscalationEventDefinition': 'escalation',
};

/**
 * Reports two events of one scope or activity that catch the same error or escalation: it is ambiguous which one takes
 * it.
 */
function checkCatchers({ report, scopes }: ProcessDraft, scope: ScopeDraft): void {
  for (const host of scope.nodes) checkUnique(host.boundaries);
  const starts = scope.nodes
    .filter(({ element }) => flag(element, 'triggeredByEvent', false))
    .flatMap(({ id }) => scopes.get(id)?.nodes.filter(({ element }) => element.$type === 'bpmn:StartEvent') ?? []);
  checkUnique(starts);

  function checkUnique(catchers: readonly Draft[]): void {
    const seen = new Set<string>();
    for (const { element } of catchers) {
      const [definition] = children(element, 'eventDefinitions');
      const kind = definition === undefined ? undefined : caught[definition.$type];
      if (definition === undefined || kind === undefined) continue;
      const error = child(definition, `${kind}Ref`);
      const code = (error === null ? null : text(error, `${kind}Code`)) || null;
      const key = JSON.stringify([kind, code]);
      if (seen.has(key)) {
        const what = code === null ? `every ${kind}` : `the ${kind} ${code}`;
        report.add(element, 'DUPLICATE_CATCHER', `Another event catches ${what} in the same place.`);
      }
      seen.add(key);
    }
  }
}

/** A compensation event is connected by an association. */
const compensates = (element: Element): boolean =>
  children(element, 'eventDefinitions').some(({ $type }) => $type === 'bpmn:CompensateEventDefinition');

function checkConnections({ report, nodes }: ProcessDraft, { element, incoming, outgoing }: Draft): void {
  const isEventSubProcess = flag(element, 'triggeredByEvent', false);
  if (element.$type === 'bpmn:StartEvent' && incoming.length > 0) {
    report.add(element, 'START_EVENT', 'No sequence flow can lead to a start event.');
  }
  if (element.$type === 'bpmn:EndEvent' && outgoing.length > 0) {
    report.add(element, 'END_EVENT', 'No sequence flow can leave an end event.');
  }
  if (element.$type === 'bpmn:BoundaryEvent') {
    if (incoming.length > 0) report.add(element, 'BOUNDARY_EVENT', 'No sequence flow can lead to a boundary event.');
    if (outgoing.length === 0 && !compensates(element))
      report.add(element, 'BOUNDARY_EVENT', 'A boundary event needs an outgoing sequence flow.');
  }
  if (isEventSubProcess && incoming.length + outgoing.length > 0) {
    report.add(element, 'EVENT_SUB_PROCESS', 'No sequence flow can lead to or leave an event sub-process.');
  }
  if (element.$type === 'bpmn:EventBasedGateway') checkEventGateway();
  else if (element.$type.endsWith('Gateway') && outgoing.length === 0) {
    report.add(element, 'GATEWAY', 'A gateway needs an outgoing sequence flow.');
  }

  function checkEventGateway(): void {
    if (outgoing.length < 2)
      report.add(element, 'GATEWAY', 'An event-based gateway needs two outgoing sequence flows or more.');
    for (const flow of outgoing) {
      const target = nodes.get(child(flow, 'targetRef')?.id ?? '');
      if (target?.element.$type === 'bpmn:IntermediateCatchEvent' && target.incoming.length === 1) continue;
      report.add(
        flow,
        'GATEWAY',
        'An event-based gateway leads only to timer, message and signal events that nothing else leads to.',
      );
    }
  }
}

/** Sequence flows with their conditions, which only those behind exclusive and inclusive gateways have. */
export function flowsOf({ report, nodes }: ProcessDraft): Map<string, Flow> {
  const flows = new Map<string, Flow>();
  for (const draft of nodes.values()) {
    const decides = draft.element.$type === 'bpmn:ExclusiveGateway' || draft.element.$type === 'bpmn:InclusiveGateway';
    const standard = decides ? child(draft.element, 'default') : null;
    if (standard !== null && !draft.outgoing.includes(standard)) {
      report.add(draft.element, 'GATEWAY', 'The default flow of this gateway does not leave it.');
    }
    for (const flow of draft.outgoing) {
      const condition = conditionOf(draft, flow, decides, flow === standard);
      const target = child(flow, 'targetRef')?.id;
      if (flow.id === undefined || target === undefined) continue;
      flows.set(flow.id, { id: flow.id, source: draft.id, target, condition });
    }
  }
  return flows;

  function conditionOf(draft: Draft, flow: Element, decides: boolean, standard: boolean): Flow['condition'] {
    const condition = child(flow, 'conditionExpression');
    const source = condition === null ? null : (text(condition, 'body') ?? '').trim();
    if (!decides) {
      if (source !== null) {
        report.add(flow, 'CONDITION', 'Only flows that leave an exclusive or inclusive gateway can have a condition.');
      }
      return null;
    }
    if (standard) return null;
    if (source === null && draft.outgoing.length === 1) return null;
    return feelOf(report, flow, 'CONDITION', 'The condition of this flow', source);
  }
}

/** Returns whether a node waits or changes something, so that a loop through it can end. */
function hasEffect(node: Node): boolean {
  if (node.outputs.length > 0 || node.multiInstance !== null || node.boundaries.length > 0) return true;
  const passes = ['task', 'parallelGateway', 'exclusiveGateway', 'inclusiveGateway'];
  return !passes.includes(node.kind);
}

/** Finds a loop in which nothing waits and nothing changes: it would run for ever, or never. */
export function straightThroughLoop(nodes: ReadonlyMap<string, Node>, flows: ReadonlyMap<string, Flow>): string[] {
  const done = new Set<string>();
  const found: string[] = [];
  for (const start of nodes.keys()) {
    // Depth first without recursion; `open` is the path from `start`.
    const open = new Set<string>();
    const stack: { id: string; leaving?: true }[] = [{ id: start }];
    for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
      const node = nodes.get(top.id);
      if (top.leaving === true) {
        open.delete(top.id);
        done.add(top.id);
      } else if (open.has(top.id)) found.push(top.id);
      else if (node !== undefined && !done.has(top.id) && !hasEffect(node)) {
        open.add(top.id);
        stack.push({ id: top.id, leaving: true });
        for (const flow of node.outgoing) {
          const target = flows.get(flow)?.target;
          if (target !== undefined) stack.push({ id: target });
        }
      }
    }
  }
  return [...new Set(found)];
}
