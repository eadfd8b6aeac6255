import type { Draft, ProcessDraft, ScopeDraft } from './draft.ts';
import { child, children, flag, kindName, withArticle, type Element } from './element.ts';
import { limits } from './limits.ts';
import { connectLinks } from './links.ts';
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

/** Replacements for elements that are not supported. */
const INSTEAD: Readonly<Record<string, string>> = {
  'bpmn:UserTask':
    'Nobody works on tasks and forms in this platform. Let the workflow wait for a message (a message event or a receive task), which the application of the person publishes.',
  'bpmn:SendTask':
    'Use an intermediate event that throws the message to this service, or a service task whose service sends it elsewhere.',
  'bpmn:BusinessRuleTask': 'Use a script task, whose FEEL expression decides.',
  'bpmn:AdHocSubProcess':
    'Use an embedded sub-process in which gateways decide what runs, or a parallel multi-instance sub-process.',
  'bpmn:Transaction':
    'Use an embedded sub-process with an error boundary event that leads to the tasks which undo its work.',
  'bpmn:ComplexGateway': 'Use an inclusive or a parallel gateway, with conditions on the sequence flows.',
};

/** Elements of BPMN that only describe. */
const descriptions = new Set(['bpmn:DataObject', 'bpmn:DataObjectReference', 'bpmn:DataStoreReference']);

/** Collects the flow nodes of a process and their connections. Reports unsupported elements. */
export function collect(report: Report, process: Element, id: string): ProcessDraft {
  const nodes = new Map<string, Draft>();
  const scopes = new Map<string, ScopeDraft>();
  const refused = new Set<Element>();
  let elements = 0;

  function visit(element: Element, scopeId: string, depth: number): void {
    const scope: ScopeDraft = { id: scopeId, element, nodes: [], flows: [] };
    scopes.set(scopeId, scope);
    for (const each of children(element, 'flowElements')) {
      if (descriptions.has(each.$type)) continue;
      elements++;
      const id = each.id ?? null;
      const hasId = checkId(report, each, id);
      if (each.$type === 'bpmn:SequenceFlow') scope.flows.push(each);
      else if (hasId && flowNodes.has(each.$type)) enter(each, id, scope, depth);
      else {
        refused.add(each);
        if (flowNodes.has(each.$type)) continue;
        const what = withArticle(kindName(each.$type));
        const instead = INSTEAD[each.$type] ?? 'Use another element for it.';
        report.add(each, 'UNSUPPORTED_ELEMENT', `${what} is not run here. ${instead}`);
      }
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
  for (const scope of scopes.values()) {
    connect(draft, scope, refused);
    connectLinks(report, scope);
  }
  return draft;
}

/** Connects flow nodes. A flow to a refused element is not reported: it is correct again once that element is. */
function connect({ report, nodes }: ProcessDraft, scope: ScopeDraft, refused: ReadonlySet<Element>): void {
  for (const flow of scope.flows) {
    const source = end(flow, 'source');
    const target = source === null ? null : end(flow, 'target');
    if (target === null) continue;
    source?.outgoing.push(flow);
    target?.incoming.push(flow);
  }
  for (const node of scope.nodes) {
    if (node.element.$type !== 'bpmn:BoundaryEvent') continue;
    const host = child(node.element, 'attachedToRef');
    if (host === null || !refused.has(host)) attach(report, nodeIn(nodes, scope, host), node);
  }

  /** Undefined when the element at this end is refused, null and a problem of the flow when none is there. */
  function end(flow: Element, side: 'source' | 'target'): Draft | undefined | null {
    const element = child(flow, `${side}Ref`);
    if (element !== null && refused.has(element)) return undefined;
    const node = nodeIn(nodes, scope, element);
    if (node !== null) return node;
    const message = `The ${side} of this flow is not an element of the same process or sub-process that is run here.`;
    report.add(flow, 'SEQUENCE_FLOW', message);
    return null;
  }
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

function attach(report: Report, host: Draft | null, event: Draft): void {
  if (host !== null && hosts.has(host.element.$type) && !flag(host.element, 'triggeredByEvent', false)) {
    host.boundaries.push(event);
    return;
  }
  const message = 'A boundary event has to be attached to a task, sub-process or call activity.';
  report.add(event.element, 'BOUNDARY_EVENT', message);
}

function nodeIn(nodes: ReadonlyMap<string, Draft>, scope: ScopeDraft, element: Element | null): Draft | null {
  const node = element?.id === undefined ? undefined : nodes.get(element.id);
  return node !== undefined && node.scope === scope.id && node.element === element ? node : null;
}
