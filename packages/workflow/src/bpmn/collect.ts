import type { Draft, ProcessDraft, ScopeDraft } from './draft.ts';
import { child, children, flag, kindName, type Element } from './element.ts';
import { limits } from './limits.ts';
import { checkId } from './names.ts';
import type { Report } from './report.ts';

const flowNodes = new Set([
  'bpmn:StartEvent',
  'bpmn:EndEvent',
  'bpmn:BoundaryEvent',
  'bpmn:IntermediateCatchEvent',
  'bpmn:IntermediateThrowEvent',
  'bpmn:Task',
  'bpmn:ManualTask',
  'bpmn:ServiceTask',
  'bpmn:ScriptTask',
  'bpmn:ReceiveTask',
  'bpmn:CallActivity',
  'bpmn:SubProcess',
  'bpmn:ParallelGateway',
  'bpmn:ExclusiveGateway',
  'bpmn:InclusiveGateway',
  'bpmn:EventBasedGateway',
]);

/** Elements of BPMN that describe and are not run. */
const descriptions = new Set(['bpmn:DataObject', 'bpmn:DataObjectReference', 'bpmn:DataStoreReference']);

/** All flow nodes of a process and how they are connected; what is not run here is reported. */
export function collect(report: Report, process: Element, id: string): ProcessDraft {
  const nodes = new Map<string, Draft>();
  const scopes = new Map<string, ScopeDraft>();
  let elements = 0;

  function visit(element: Element, scopeId: string, depth: number): void {
    const scope: ScopeDraft = { id: scopeId, element, nodes: [], flows: [] };
    scopes.set(scopeId, scope);
    for (const each of children(element, 'flowElements')) {
      if (descriptions.has(each.$type)) continue;
      elements++;
      const id = each.id ?? null;
      if (!checkId(report, each, id)) continue;
      if (each.$type === 'bpmn:SequenceFlow') scope.flows.push(each);
      else if (flowNodes.has(each.$type)) enter(each, id, scope, depth);
      else
        report.add(
          each,
          'UNSUPPORTED_ELEMENT',
          `A ${kindName(each.$type)} is not run here. Use another element for it.`,
        );
    }
  }

  function enter(element: Element, nodeId: string, scope: ScopeDraft, depth: number): void {
    const node: Draft = { id: nodeId, element, scope: scope.id, incoming: [], outgoing: [], boundaries: [] };
    nodes.set(nodeId, node);
    scope.nodes.push(node);
    if (element.$type !== 'bpmn:SubProcess') return;
    if (depth < limits.scopeDepth) visit(element, nodeId, depth + 1);
    else report.add(element, 'TOO_LARGE', `Sub-processes are nested more than ${limits.scopeDepth} deep.`);
  }

  visit(process, id, 0);
  if (elements > limits.elements) {
    const message = `The process has ${elements} elements, and ${limits.elements} are allowed. Split it, with call activities for its parts.`;
    report.add(process, 'TOO_LARGE', message);
  }
  const draft: ProcessDraft = { report, element: process, id, nodes, scopes };
  for (const scope of scopes.values()) connect(draft, scope);
  return draft;
}

function connect({ report, nodes }: ProcessDraft, scope: ScopeDraft): void {
  for (const flow of scope.flows) {
    const source = nodeIn(nodes, scope, child(flow, 'sourceRef'));
    const target = nodeIn(nodes, scope, child(flow, 'targetRef'));
    if (source === null || target === null) {
      const side = source === null ? 'source' : 'target';
      const message = `The ${side} of this flow is not an element of the same process or sub-process that is run here.`;
      report.add(flow, 'SEQUENCE_FLOW', message);
      continue;
    }
    source.outgoing.push(flow);
    target.incoming.push(flow);
  }
  for (const node of scope.nodes)
    if (node.element.$type === 'bpmn:BoundaryEvent') attach({ report, nodes }, scope, node);
}

const hosts = new Set([
  'bpmn:Task',
  'bpmn:ManualTask',
  'bpmn:ServiceTask',
  'bpmn:ScriptTask',
  'bpmn:ReceiveTask',
  'bpmn:CallActivity',
  'bpmn:SubProcess',
]);

function attach({ report, nodes }: Pick<ProcessDraft, 'report' | 'nodes'>, scope: ScopeDraft, event: Draft): void {
  const host = nodeIn(nodes, scope, child(event.element, 'attachedToRef'));
  if (host === null || !hosts.has(host.element.$type) || flag(host.element, 'triggeredByEvent', false)) {
    report.add(
      event.element,
      'BOUNDARY_EVENT',
      'A boundary event has to be attached to a task, sub-process or call activity.',
    );
    return;
  }
  host.boundaries.push(event);
}

function nodeIn(nodes: ReadonlyMap<string, Draft>, scope: ScopeDraft, element: Element | null): Draft | null {
  const node = element?.id === undefined ? undefined : nodes.get(element.id);
  return node !== undefined && node.scope === scope.id && node.element === element ? node : null;
}
