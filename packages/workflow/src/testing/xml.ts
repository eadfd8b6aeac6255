// Short ways to write workflow files in tests. Elements are unprefixed; a flow is called `source_target`.

export interface FileOptions {
  /** Names of messages with their correlation keys; null for start events. */
  readonly messages?: Readonly<Record<string, string | null>>;
  readonly errors?: readonly string[];
  readonly signals?: readonly string[];
  /** Further processes. */
  readonly processes?: readonly string[];
  readonly id?: string;
}

export function file(
  parts: readonly string[],
  { messages = {}, errors = [], signals = [], processes = [], id = 'process' }: FileOptions = {},
): string {
  const roots = [
    ...Object.entries(messages).map(
      ([name, key]) => `<message id="message_${name}" name="${name}">${subscription(key)}</message>`,
    ),
    ...signals.map((name) => `<signal id="signal_${name}" name="${name}"/>`),
    ...errors.map((code) => `<error id="error_${code}" name="${code}" errorCode="${code}"/>`),
  ];
  return `<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
  xmlns:zeebe="http://camunda.org/schema/zeebe/1.0" xmlns:kethub="urn:kethub:bpmn:1" id="definitions" targetNamespace="urn:test">
${roots.join('\n')}
${process(id, parts)}
${processes.join('\n')}
</definitions>`;
}

export const process = (id: string, parts: readonly string[]): string =>
  `<process id="${id}" isExecutable="true">\n${parts.join('\n')}\n</process>`;

const subscription = (key: string | null): string =>
  key === null ? '' : extension(`<zeebe:subscription correlationKey="${escape(key)}"/>`);

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const extension = (content: string): string =>
  content === '' ? '' : `<extensionElements>${content}</extensionElements>`;

/** Sequence flows from each id to the next. */
export const chain = (...ids: readonly string[]): string =>
  ids
    .slice(1)
    .map((target, index) => flow(ids[index] ?? '', target))
    .join('');

export const flow = (source: string, target: string, condition?: string): string =>
  `<sequenceFlow id="${source}_${target}" sourceRef="${source}" targetRef="${target}">${
    condition === undefined
      ? ''
      : `<conditionExpression xsi:type="tFormalExpression">${escape(condition)}</conditionExpression>`
  }</sequenceFlow>`;

/** Targets of mappings with their sources. */
type Mapped = Readonly<Record<string, string>>;

export interface Activity {
  readonly in?: Mapped;
  readonly out?: Mapped;
  readonly loop?: Loop;
  readonly extensions?: string;
}

export interface Loop {
  readonly over: string;
  readonly as?: string;
  readonly into?: string;
  readonly collect?: string;
  readonly until?: string;
  readonly sequential?: boolean;
}

export function mapping({ in: inputs = {}, out = {} }: Pick<Activity, 'in' | 'out'>): string {
  const parts = (kind: string, mapped: Mapped) =>
    Object.entries(mapped).map(([target, source]) => `<zeebe:${kind} source="${escape(source)}" target="${target}"/>`);
  const all = [...parts('input', inputs), ...parts('output', out)];
  return all.length === 0 ? '' : `<zeebe:ioMapping>${all.join('')}</zeebe:ioMapping>`;
}

function loopOf(loop: Loop | undefined): string {
  if (loop === undefined) return '';
  const attributes = Object.entries({
    inputCollection: loop.over,
    inputElement: loop.as,
    outputCollection: loop.into,
    outputElement: loop.collect,
  }).flatMap(([name, value]) => (value === undefined ? [] : [`${name}="${escape(value)}"`]));
  const until =
    loop.until === undefined
      ? ''
      : `<completionCondition xsi:type="tFormalExpression">${escape(loop.until)}</completionCondition>`;
  return `<multiInstanceLoopCharacteristics isSequential="${loop.sequential ?? false}">${extension(
    `<zeebe:loopCharacteristics ${attributes.join(' ')}/>`,
  )}${until}</multiInstanceLoopCharacteristics>`;
}

const activity = (tag: string, id: string, given: Activity, content = '', attributes = ''): string =>
  `<${tag} id="${id}"${attributes}>${extension((given.extensions ?? '') + mapping(given))}${loopOf(given.loop)}${content}</${tag}>`;

export const serviceId = '01890000-0000-7000-8000-000000000001';
const headers = `<zeebe:taskDefinition type="platform-service"/><zeebe:taskHeaders><zeebe:header key="serviceId" value="${serviceId}"/></zeebe:taskHeaders>`;

export const service = (id: string, given: Activity = {}): string =>
  activity('serviceTask', id, { ...given, extensions: given.extensions ?? headers });
export const task = (id: string, given: Activity = {}): string => activity('task', id, given);
export const script = (id: string, variable: string, expression: string, given: Activity = {}): string =>
  activity('scriptTask', id, {
    ...given,
    extensions: `<zeebe:script expression="${escape(expression)}" resultVariable="${variable}"/>`,
  });
export const call = (id: string, processId: string, given: Activity & { propagate?: boolean } = {}): string =>
  activity('callActivity', id, {
    ...given,
    extensions: `<zeebe:calledElement processId="${escape(processId)}" propagateAllChildVariables="${given.propagate ?? false}"/>`,
  });
export const subProcess = (id: string, parts: readonly string[], given: Activity = {}): string =>
  activity('subProcess', id, given, parts.join(''));
export const eventSubProcess = (id: string, parts: readonly string[]): string =>
  activity('subProcess', id, {}, parts.join(''), ' triggeredByEvent="true"');

export interface Event {
  readonly out?: Mapped;
  readonly interrupting?: boolean;
  readonly extensions?: string;
}

const event = (
  tag: string,
  id: string,
  definition: string,
  { out = {}, extensions = '' }: Event,
  attributes = '',
): string => `<${tag} id="${id}"${attributes}>${extension(extensions + mapping({ out }))}${definition}</${tag}>`;

export const start = (id: string, definition = '', given: Event = {}): string =>
  event('startEvent', id, definition, given, given.interrupting === false ? ' isInterrupting="false"' : '');
export const end = (id: string, out: Mapped = {}): string => event('endEvent', id, '', { out });
export const terminateEnd = (id: string): string => event('endEvent', id, '<terminateEventDefinition/>', {});
export const errorEnd = (id: string, code: string, message?: string): string =>
  event('endEvent', id, error(code), {
    extensions: message === undefined ? '' : `<kethub:errorMessage expression="${escape(message)}"/>`,
  });
/** An event that throws a message: `publish` are the attributes of kethub:publish. */
export const throwMessage = (
  id: string,
  name: string,
  given: Activity & { readonly publish?: Mapped; readonly ends?: boolean } = {},
): string => {
  const attributes = Object.entries(given.publish ?? {}).map(([key, value]) => ` ${key}="${escape(value)}"`);
  const extensions = given.publish === undefined ? '' : `<kethub:publish${attributes.join('')}/>`;
  const tag = given.ends === true ? 'endEvent' : 'intermediateThrowEvent';
  return activity(tag, id, { ...given, extensions }, message(name));
};
/** An event that broadcasts a signal. */
export const throwSignal = (id: string, name: string, given: Activity & { readonly ends?: boolean } = {}): string =>
  activity(given.ends === true ? 'endEvent' : 'intermediateThrowEvent', id, given, signal(name));
export const catchEvent = (id: string, definition: string, given: Event = {}): string =>
  event('intermediateCatchEvent', id, definition, given);
export const boundary = (id: string, host: string, definition: string, given: Event = {}): string =>
  event(
    'boundaryEvent',
    id,
    definition,
    given,
    ` attachedToRef="${host}" cancelActivity="${given.interrupting ?? true}"`,
  );

const timers = { date: 'timeDate', duration: 'timeDuration', cycle: 'timeCycle' };
export const timer = (kind: keyof typeof timers, value: string): string =>
  `<timerEventDefinition><${timers[kind]} xsi:type="tFormalExpression">${escape(value)}</${timers[kind]}></timerEventDefinition>`;
export const message = (name: string): string => `<messageEventDefinition messageRef="message_${name}"/>`;
export const signal = (name: string): string => `<signalEventDefinition signalRef="signal_${name}"/>`;
export const error = (code?: string): string =>
  code === undefined ? '<errorEventDefinition/>' : `<errorEventDefinition errorRef="error_${code}"/>`;

export const gateway = (
  kind: 'parallel' | 'exclusive' | 'inclusive' | 'eventBased',
  id: string,
  standard?: string,
): string => `<${kind}Gateway id="${id}"${standard === undefined ? '' : ` default="${id}_${standard}"`}/>`;
