import type { Common, MultiInstance, Node, Own, ScopeContent } from '../graph.ts';
import { calledElementOf, callsService, multiInstanceOf, retryOf, scriptOf, serviceOf } from './activities.ts';
import type { Draft, ProcessDraft } from './draft.ts';
import { child, children, extension, extensions, flag, text, type Element } from './element.ts';
import {
  boundaryEventOf,
  catchEventOf,
  endEventOf,
  endsProcess,
  receiveTaskOf,
  startEventOf,
  throwEventOf,
} from './events.ts';
import { isLink } from './links.ts';
import { mappingsOf, type MappingRules } from './mappings.ts';
import { Report } from './report.ts';
import { throwsMessage, throwsSignal } from './thrown.ts';

interface CompiledNode {
  readonly node: Node;
  /** Names of secrets that it reads. */
  readonly secrets: readonly string[];
}

/** Compiles a flow node; null when a problem of it was reported. */
export function nodeOf(process: ProcessDraft, draft: Draft): CompiledNode | null {
  const { report } = process;
  const { element } = draft;
  // Reported at the boundary event that leads to it, if there is one.
  if (flag(element, 'isForCompensation', false) && !hasCompensation(process)) {
    report.add(element, 'UNSUPPORTED_ELEMENT', 'Compensation is not run here.');
  }
  checkQuantities(report, element);
  checkExtensions(report, element);
  const own = ownOf(process, draft);
  const multiInstance = multiInstanceOf(report, element);
  const mappings = mappingsOf(report, element, rulesFor(process, draft));
  if (own === null || multiInstance === null) return null;
  return { node: { ...commonOf(draft, multiInstance ?? null, mappings), ...own } as Node, secrets: mappings.secrets };
}

const hasCompensation = ({ nodes }: ProcessDraft): boolean =>
  nodes
    .values()
    .some(
      ({ element }) =>
        element.$type === 'bpmn:BoundaryEvent' &&
        children(element, 'eventDefinitions').some(({ $type }) => $type === 'bpmn:CompensateEventDefinition'),
    );

/** An activity takes one token and gives one: other quantities are refused. */
function checkQuantities(report: Report, element: Element): void {
  for (const name of ['startQuantity', 'completionQuantity'] as const) {
    const quantity = element[name];
    if (quantity === undefined || Number(quantity) === 1) continue;
    report.add(
      element,
      'UNSUPPORTED_ELEMENT',
      `${name} is not run here. Remove it, or use a parallel gateway or a loop.`,
    );
  }
}

/** The process itself, as the outermost scope. */
export function processNodeOf(process: ProcessDraft): Node {
  checkExtensions(process.report, process.element);
  const draft = { id: process.id, element: process.element, scope: '', incoming: [], outgoing: [], boundaries: [] };
  return { ...commonOf(draft, null, { inputs: [], outputs: [] }), kind: 'process', ...contentOf(process, process.id) };
}

function commonOf(
  draft: Draft,
  multiInstance: MultiInstance | null,
  mappings: Pick<Common, 'inputs' | 'outputs'>,
): Common {
  const ids = (elements: readonly { readonly id?: string }[]) =>
    elements.flatMap(({ id }) => (id === undefined ? [] : [id]));
  return {
    id: draft.id,
    name: text(draft.element, 'name'),
    scope: draft.scope,
    incoming: ids(draft.incoming),
    outgoing: ids(draft.outgoing),
    inputs: mappings.inputs,
    outputs: mappings.outputs,
    boundaries: ids(draft.boundaries),
    multiInstance,
  };
}

function ownOf(process: ProcessDraft, draft: Draft): Own<Node['kind']> | null {
  const { report } = process;
  const { element } = draft;
  switch (element.$type) {
    case 'bpmn:StartEvent':
      return startEventOf(process, draft);
    case 'bpmn:EndEvent':
      return endEventOf(process, draft);
    case 'bpmn:BoundaryEvent':
      return boundaryEventOf(report, draft);
    case 'bpmn:IntermediateCatchEvent':
      return isLink(element) ? { kind: 'task' } : catchEventOf(report, draft);
    case 'bpmn:ReceiveTask':
      return receiveTaskOf(report, draft);
    case 'bpmn:IntermediateThrowEvent':
      return throwEventOf(report, draft);
    case 'bpmn:ServiceTask': {
      const service = serviceOf(report, element);
      const retry = retryOf(report, element);
      return service === null ? null : { kind: 'service', service, retry, called: null };
    }
    case 'bpmn:ScriptTask':
      return scriptOf(report, element);
    case 'bpmn:CallActivity':
      return calledElementOf(report, element);
    case 'bpmn:SubProcess':
      return flag(element, 'triggeredByEvent', false)
        ? eventSubProcessOf(process, draft)
        : { kind: 'subProcess', ...contentOf(process, draft.id) };
    case 'bpmn:ParallelGateway':
      return { kind: 'parallelGateway' };
    case 'bpmn:ExclusiveGateway':
      return { kind: 'exclusiveGateway', defaultFlow: child(element, 'default')?.id ?? null };
    case 'bpmn:InclusiveGateway':
      return {
        kind: 'inclusiveGateway',
        defaultFlow: child(element, 'default')?.id ?? null,
        canComeAlong: () => new Set(),
      };
    case 'bpmn:EventBasedGateway':
      if (flag(element, 'instantiate', false)) {
        report.add(element, 'UNSUPPORTED_ELEMENT', 'An event-based gateway cannot start a process here.');
      }
      return { kind: 'eventGateway' };
    default:
      return { kind: 'task' };
  }
}

function contentOf(process: ProcessDraft, id: string): ScopeContent {
  const nodes = process.scopes.get(id)?.nodes ?? [];
  const start = nodes.find(
    ({ element }) => element.$type === 'bpmn:StartEvent' && children(element, 'eventDefinitions').length === 0,
  );
  const eventSubProcesses = nodes
    .filter(({ element }) => flag(element, 'triggeredByEvent', false))
    .map((node) => node.id);
  return { start: start?.id ?? null, eventSubProcesses };
}

function eventSubProcessOf(process: ProcessDraft, draft: Draft): Own<'eventSubProcess'> | null {
  const starts = (process.scopes.get(draft.id)?.nodes ?? []).filter(
    ({ element }) => element.$type === 'bpmn:StartEvent',
  );
  const [start] = starts;
  if (start === undefined || starts.length > 1) {
    process.report.add(draft.element, 'EVENT_SUB_PROCESS', 'An event sub-process needs exactly one start event.');
    return null;
  }
  // Its problems are reported where it is compiled itself.
  const compiled = startEventOf({ ...process, report: new Report() }, start);
  if (compiled === null || compiled.trigger.type === 'none') return null;
  const { trigger, interrupting } = compiled;
  return {
    kind: 'eventSubProcess',
    trigger,
    startEvent: start.id,
    interrupting,
    ...contentOf(process, draft.id),
    start: null,
  };
}

const mapsInputs = new Set([
  'bpmn:ServiceTask',
  'bpmn:ScriptTask',
  'bpmn:CallActivity',
  'bpmn:SubProcess',
  'bpmn:Task',
  'bpmn:ManualTask',
  'bpmn:ReceiveTask',
  'bpmn:IntermediateThrowEvent',
]);

function rulesFor(process: ProcessDraft, draft: Draft): MappingRules {
  const { element } = draft;
  const type = element.$type;
  const eventSubProcess = flag(element, 'triggeredByEvent', false);
  const [definition] = children(element, 'eventDefinitions');
  const isEnd = type === 'bpmn:EndEvent' && definition?.$type !== 'bpmn:ErrorEventDefinition';
  const isEvent = type === 'bpmn:BoundaryEvent' || type === 'bpmn:IntermediateCatchEvent' || type === 'bpmn:StartEvent';
  return {
    inputs: (mapsInputs.has(type) || throwsMessage(element) || throwsSignal(element)) && !eventSubProcess,
    outputs: (mapsInputs.has(type) || isEnd || isEvent) && !eventSubProcess,
    secrets: type === 'bpmn:ServiceTask' || callsService(element),
    result: isEnd && endsProcess(process, draft),
  };
}

const understood: Readonly<Record<string, readonly string[]>> = {
  'bpmn:ServiceTask': ['zeebe:TaskDefinition', 'zeebe:TaskHeaders'],
  'bpmn:ScriptTask': ['zeebe:Script'],
  'bpmn:CallActivity': ['zeebe:CalledElement'],
};
const understoodAnywhere = new Set(['zeebe:IoMapping', 'zeebe:Properties', 'zeebe:VersionTag', 'zeebe:UserTaskForm']);

/**
 * Refuses extensions of Zeebe that are not supported, because they change what is done. Those of other vendors are kept
 * and ignored.
 */
function checkExtensions(report: Report, element: Element): void {
  for (const { $type } of extensions(element)) {
    if (!$type.startsWith('zeebe:') || understoodAnywhere.has($type)) continue;
    if (understood[element.$type]?.includes($type) === true) continue;
    report.add(element, 'UNSUPPORTED_EXTENSION', `${$type} is not understood at this element. Remove it.`);
  }
  if (extensions(element, 'zeebe:IoMapping').length > 1)
    report.add(element, 'MAPPING', 'An element can have one zeebe:ioMapping only.');
  if (extension(element, 'kethub:Payload') !== null && !catchesErrors(element)) {
    report.add(element, 'PAYLOAD_VARIABLE', 'Only events that catch errors have a payload variable.');
  }
  if (extension(element, 'kethub:Publish') !== null && !throwsMessage(element))
    report.add(element, 'MESSAGE', 'Only events that throw a message say how it is published.');
}

const catchesErrors = (element: Element): boolean =>
  children(element, 'eventDefinitions').some(({ $type }) => $type === 'bpmn:ErrorEventDefinition');
