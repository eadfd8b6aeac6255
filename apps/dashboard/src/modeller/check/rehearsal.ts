import {
  jsonText,
  parse,
  parseExact,
  resultOf,
  rootOf,
  start,
  statusOf,
  step,
  type Effect,
  type Event,
  type JournalEntry,
  type ProcessGraph,
  type State,
  type StepResult,
  type Value,
  type Variables,
} from '@kethub/workflow';
import type { Happening, Noted, Rehearsed, Waiting } from './protocol.ts';

/** An application that nobody has: a rehearsal calls nothing. */
const NO_APPLICATION = '00000000-0000-4000-8000-000000000000';

/**
 * An instance that runs in the browser, by the engine of the platform. Nothing is called: the author says what services
 * answer, and when timers are due.
 */
export class Rehearsal {
  readonly #graph: ProcessGraph;
  #state: State;
  #journal: JournalEntry[] = [];
  #waiting = new Map<string, Waiting>();
  /** Milliseconds since 1970 in the rehearsal; a timer that is let be due moves it on. */
  #now: number;

  private constructor(graph: ProcessGraph, input: Variables, now: number) {
    this.#graph = graph;
    this.#now = now;
    const begun = start(graph, { variables: input, seed: 'rehearsal' }, { now });
    this.#state = begun.state;
    this.#take(begun);
  }

  /** Throws an error that names the first problem of a file which cannot run. */
  static async start(xml: string, input: string): Promise<Rehearsal> {
    const parsed = await parse(xml);
    if ('problems' in parsed) throw new Error(`Mend the problems first: ${parsed.problems[0]?.message ?? ''}`);
    return new Rehearsal(parsed.graph, objectIn(input, 'The input'), Date.now());
  }

  happen(happening: Exclude<Happening, { readonly type: 'start' }>): void {
    if (happening.type === 'retry') {
      const incident = this.#state.incidents.get(happening.incident);
      const variables = objectIn(happening.variables, 'The corrected variables');
      if (incident !== undefined && Object.keys(variables).length > 0)
        this.#step({ type: 'setVariables', scope: incident.element, variables });
    }
    this.#step(this.#eventOf(happening));
  }

  #eventOf(happening: Exclude<Happening, { readonly type: 'start' }>): Event {
    switch (happening.type) {
      case 'succeed':
        return { type: 'jobSucceeded', job: happening.job, result: valueIn(happening.result, 'The result') };
      case 'fail': {
        const response = valueIn(happening.response, 'The answer');
        const open = this.#waiting.get(`job ${happening.job}`);
        const serviceId = open?.kind === 'job' ? open.serviceId : NO_APPLICATION;
        return { type: 'jobFailed', job: happening.job, serviceId, applicationId: NO_APPLICATION, response };
      }
      case 'due': {
        const open = this.#waiting.get(`timer ${happening.timer}`);
        if (open?.kind === 'timer') this.#now = Math.max(this.#now, open.due);
        return { type: 'timerDue', timer: happening.timer };
      }
      case 'receive': {
        const variables = objectIn(happening.variables, 'The variables');
        const { subscription } = happening;
        return happening.kind === 'message'
          ? { type: 'messageCorrelated', subscription, variables }
          : { type: 'signalReceived', subscription, variables };
      }
      default:
        return { type: 'resolveIncident', incident: happening.incident };
    }
  }

  #step(event: Event): void {
    const done = step(this.#graph, this.#state, event, { now: this.#now });
    if (!done.changed) return;
    this.#state = done.state;
    if (event.type === 'jobSucceeded' || event.type === 'jobFailed') this.#waiting.delete(`job ${event.job}`);
    if (event.type === 'messageCorrelated' && !this.#state.subscriptions.has(event.subscription))
      this.#waiting.delete(`subscription ${event.subscription}`);
    this.#take(done);
  }

  #take({ effects, journal }: StepResult): void {
    this.#journal.push(...journal);
    for (const effect of effects) this.#apply(effect);
    for (const [key, one] of this.#waiting) {
      const isGone =
        (one.kind === 'timer' && !this.#state.timers.has(one.id)) ||
        ((one.kind === 'message' || one.kind === 'signal') && !this.#state.subscriptions.has(one.id)) ||
        (one.kind === 'job' && !this.#state.index.jobs.has(one.id));
      if (isGone) this.#waiting.delete(key);
    }
  }

  #apply(effect: Effect): void {
    const { elementId } = effect as { readonly elementId?: string };
    const at = elementId ?? '';
    switch (effect.type) {
      case 'startJob': {
        const { job, input, service } = effect;
        const { serviceId } = service;
        this.#waiting.set(`job ${job}`, { kind: 'job', id: job, elementId: at, input: jsonText(input), serviceId });
        break;
      }
      case 'setTimer':
        this.#waiting.set(`timer ${effect.timer}`, { kind: 'timer', id: effect.timer, elementId: at, due: effect.due });
        break;
      case 'openSubscription':
        this.#wait('message', effect.subscription, at, effect.messageName, effect.correlationKey);
        break;
      case 'openSignalSubscription':
        this.#wait('signal', effect.subscription, at, effect.signalName, '');
        break;
      case 'startChild': {
        const { child, processId } = effect;
        this.#waiting.set(`child ${child}`, { kind: 'child', id: child, elementId: at, processId });
        break;
      }
      default:
    }
  }

  #wait(kind: 'message' | 'signal', id: number, elementId: string, name: string, correlationKey: string): void {
    this.#waiting.set(`subscription ${id}`, { kind, id, elementId, name, correlationKey });
  }

  get snapshot(): Rehearsed {
    const state = this.#state;
    const root = rootOf(state);
    const variables = root === undefined ? {} : (state.elements.get(root)?.variables ?? {});
    const result = resultOf(state);
    return {
      status: statusOf(state),
      journal: this.#journal.map(noted),
      waiting: [...this.#waiting.values()],
      incidents: [...state.incidents.values()].map(({ incident, elementId, error }) => ({
        incident,
        elementId,
        message: error.message,
        code: error.errorCode,
      })),
      variables: jsonText(variables),
      result: result === null ? null : jsonText(result),
    };
  }
}

function noted(entry: JournalEntry): Noted {
  const { seq, at, type } = entry;
  const incident = 'incident' in entry && typeof entry.incident === 'object' ? entry.incident : null;
  const elementId = 'elementId' in entry ? entry.elementId : incident?.elementId;
  return {
    seq,
    at,
    type,
    ...(elementId !== undefined && { elementId }),
    ...('element' in entry && { element: entry.element }),
    ...('flowId' in entry && { flowId: entry.flowId }),
    ...(incident !== null && { incident: incident.incident, message: incident.error.message }),
    ...(entry.type === 'resolved' && { incident: entry.incident }),
  };
}

function valueIn(text: string, what: string): Value {
  try {
    return parseExact(text);
  } catch (error) {
    throw new Error(`${what} is not JSON: ${error instanceof Error ? error.message : ''}`, { cause: error });
  }
}

function objectIn(text: string, what: string): Variables {
  const value = valueIn(text, what);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Variables;
  throw new Error(`${what} has to be a JSON object.`);
}
