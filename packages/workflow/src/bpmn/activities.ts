import type { Expression } from '../expression.ts';
import type { MultiInstance, Own, Retry } from '../graph.ts';
import { add, parseDuration } from '../time.ts';
import type { ServiceReference } from '../types.ts';
import { child, children, extension, flag, text, type Element } from './element.ts';
import { expressionOf, feelOf } from './expressions.ts';
import { isVariable, whyNoVariable } from './names.ts';
import type { Report } from './report.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const PLATFORM_SERVICE = 'platform-service';
const ownHeaders = new Set(['serviceId', 'applicationId', 'serviceVersion', 'retryBackoff']);

/**
 * The service that a platform service task calls. In the file it is a `bpmn:serviceTask` with
 *
 *     <zeebe:taskDefinition type="platform-service" />
 *     <zeebe:taskHeaders>
 *       <zeebe:header key="serviceId" value="{uuid of the service}" />
 *       <zeebe:header key="applicationId" value="{uuid}" />      optional: the workflow's own application
 *       <zeebe:header key="serviceVersion" value="1.0.0" />      optional: the version that is subscribed
 *     </zeebe:taskHeaders>
 *
 * The specification's envelope names services and applications by `serviceId` and `applicationId` (both uuid). So do
 * these headers, which Camunda's modeler shows as rows that it keeps.
 */
export function serviceOf(report: Report, element: Element): ServiceReference | null {
  const definition = extension(element, 'zeebe:TaskDefinition');
  const type = definition === null ? null : text(definition, 'type');
  if (type !== PLATFORM_SERVICE) {
    const found = type === null ? 'has none' : `has ${type}`;
    const message = `A service task calls a platform service: its task definition has to be of type ${PLATFORM_SERVICE}; it ${found}.`;
    report.add(element, 'SERVICE', message);
    return null;
  }
  const holder = extension(element, 'zeebe:TaskHeaders');
  const headers = new Map<string, string>();
  for (const header of holder === null ? [] : children(holder, 'values')) {
    const key = text(header, 'key') ?? '';
    if (headers.has(key) && ownHeaders.has(key)) {
      report.add(element, 'SERVICE', `The task header ${key} stands there twice. Which one is meant?`);
      return null;
    }
    headers.set(key, (text(header, 'value') ?? '').trim());
  }
  const header = (key: string) => headers.get(key) || null;
  const serviceId = header('serviceId');
  const applicationId = header('applicationId');
  const serviceVersion = header('serviceVersion');
  if (serviceId === null || !uuid.test(serviceId)) {
    report.add(
      element,
      'SERVICE',
      'The task header serviceId has to be the id (a uuid) of the service that is called.',
    );
    return null;
  }
  if (applicationId !== null && !uuid.test(applicationId)) {
    report.add(
      element,
      'SERVICE',
      'The task header applicationId has to be the id (a uuid) of an application, or absent.',
    );
    return null;
  }
  if (serviceVersion !== null && !/^\d{1,9}\.\d{1,9}\.\d{1,9}$/.test(serviceVersion)) {
    report.add(element, 'SERVICE', 'The task header serviceVersion has to be three numbers joined by dots, or absent.');
    return null;
  }
  return { serviceId, applicationId, serviceVersion };
}

const MOST_TRIES = 100;
/** Before the second call, where the task header retryBackoff says nothing. */
const BACKOFF_MS = 1_000;

/** `retries` of the task definition, and the task header `retryBackoff`, a duration in ISO 8601. Null: one call. */
export function retryOf(report: Report, element: Element): Retry | null {
  const definition = extension(element, 'zeebe:TaskDefinition');
  const retries = definition === null ? null : text(definition, 'retries');
  const holder = extension(element, 'zeebe:TaskHeaders');
  const headers = holder === null ? [] : children(holder, 'values');
  const header = headers.find((each) => text(each, 'key') === 'retryBackoff');
  const backoff = header === undefined ? null : (text(header, 'value') ?? '').trim();
  if (retries === null && backoff === null) return null;
  const tries = Number(retries?.trim());
  if (retries !== null && !(Number.isInteger(tries) && tries >= 1 && tries <= MOST_TRIES)) {
    const message = `The retries of the task have to be a number from 1 to ${MOST_TRIES}: how often the service is called before its error is raised.`;
    report.add(element, 'SERVICE', message, retries);
    return null;
  }
  if (retries === null) {
    report.add(element, 'SERVICE', 'The task header retryBackoff needs retries in the task definition.');
    return null;
  }
  const duration = backoff === null ? null : parseDuration(backoff);
  const backoffMs = duration === null ? BACKOFF_MS : add(0, duration);
  if (backoff !== null && (duration === null || backoffMs < 0)) {
    const message = 'The task header retryBackoff has to be a duration in ISO 8601, such as PT10S.';
    report.add(element, 'SERVICE', message, backoff);
    return null;
  }
  return tries === 1 ? null : { tries, backoffMs };
}

export function scriptOf(report: Report, element: Element): Own<'script'> | null {
  const script = extension(element, 'zeebe:Script');
  if (script === null) {
    report.add(
      element,
      'SCRIPT',
      'A script task needs a zeebe:script: a FEEL expression and the variable that takes its value.',
    );
    return null;
  }
  const resultVariable = text(script, 'resultVariable') ?? '';
  const expression = feelOf(report, element, 'SCRIPT', 'The script', text(script, 'expression'));
  if (!isVariable(resultVariable)) {
    report.add(
      element,
      'SCRIPT',
      `The result variable of the script: "${resultVariable}" ${whyNoVariable(resultVariable)}`,
    );
    return null;
  }
  return expression === null ? null : { kind: 'script', expression, resultVariable };
}

/** The id of a workflow service in the place of that of a process, and behind `@` its version. */
const FOREIGN = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:@(\d{1,9}\.\d{1,9}\.\d{1,9}))?$/i;

/** Returns whether a call activity calls a workflow of another file, as a service task would. */
export function callsService(element: Element): boolean {
  const called = element.$type === 'bpmn:CallActivity' ? extension(element, 'zeebe:CalledElement') : null;
  return called !== null && FOREIGN.test((text(called, 'processId') ?? '').trim());
}

export function calledElementOf(report: Report, element: Element): Own<'call'> | Own<'service'> | null {
  const called = extension(element, 'zeebe:CalledElement');
  const source = called === null ? null : text(called, 'processId');
  if (called === null || source === null || source.trim() === '') {
    report.add(
      element,
      'CALLED_ELEMENT',
      'A call activity needs a zeebe:calledElement with the id of the process that it calls.',
    );
    return null;
  }
  const [, serviceId, serviceVersion = null] = FOREIGN.exec(source.trim()) ?? [];
  const propagated = {
    allParentVariables: flag(called, 'propagateAllParentVariables', true),
    allChildVariables: flag(called, 'propagateAllChildVariables', true),
  };
  if (serviceId !== undefined) {
    const service = { serviceId, applicationId: null, serviceVersion };
    return { kind: 'service', service, retry: null, called: propagated };
  }
  const processId: Expression | null = expressionOf(report, element, 'The id of the called process', source);
  if (processId === null) return null;
  return {
    kind: 'call',
    processId,
    ...propagated,
  };
}

/** The loop of an activity. `undefined`: it has none; null: it is wrong, and reported. */
export function multiInstanceOf(report: Report, element: Element): MultiInstance | null | undefined {
  const loop = child(element, 'loopCharacteristics');
  if (loop === null) return undefined;
  if (loop.$type !== 'bpmn:MultiInstanceLoopCharacteristics') {
    report.add(
      element,
      'UNSUPPORTED_ELEMENT',
      'A standard loop is not run here. Use a multi-instance loop, or a gateway and a flow back.',
    );
    return null;
  }
  const zeebe = extension(loop, 'zeebe:LoopCharacteristics');
  const attribute = (name: string) => (zeebe === null ? null : text(zeebe, name) || null);
  const inputCollection = feelOf(
    report,
    element,
    'MULTI_INSTANCE',
    'The input collection',
    attribute('inputCollection'),
  );
  const outputCollection = attribute('outputCollection');
  const outputElement = attribute('outputElement');
  const inputElement = attribute('inputElement');
  if ((outputCollection === null) !== (outputElement === null)) {
    report.add(element, 'MULTI_INSTANCE', 'A loop needs both an output collection and an output element, or neither.');
  }
  for (const name of [inputElement, outputCollection]) {
    const why = name === null ? null : whyNoVariable(name);
    if (why !== null) report.add(element, 'MULTI_INSTANCE', `The loop: "${name}" ${why}`);
  }
  const condition = child(loop, 'completionCondition');
  const conditionSource = condition === null ? null : (text(condition, 'body') ?? '');
  const completionCondition =
    conditionSource === null
      ? null
      : feelOf(report, element, 'MULTI_INSTANCE', 'The completion condition', conditionSource);
  const output =
    outputElement === null ? null : feelOf(report, element, 'MULTI_INSTANCE', 'The output element', outputElement);
  if (inputCollection === null) return null;
  const sequential = flag(loop, 'isSequential', false);
  return { sequential, inputCollection, inputElement, outputCollection, outputElement: output, completionCondition };
}
