import {
  jsonText,
  parse,
  parseExact,
  type Event,
  type ProcessGraph,
  type Value,
  type Variables,
} from '@kethub/workflow';
import type { Happening, Rehearsed } from './protocol.ts';
import { World } from './world.ts';

/** An application that nobody has: a rehearsal calls nothing. */
const NO_APPLICATION = '00000000-0000-4000-8000-000000000000';
/** Steps that can be taken back. The oldest ones are forgotten. */
const MOST_STEPS = 1_000;
/**
 * Bytes of a service's result that a workflow keeps, as in the limits of the contract. These are not imported: they would
 * bring its schemas along.
 */
export const LARGEST_RESULT = 12 * 1024 * 1024;
/** Most bytes of one character of a text. */
const MOST_BYTES = 3;
/** Members of an input that the platform reads itself, and that are no variables. */
const OWN_MEMBERS = new Set(['$secrets', '$tags']);

type Step = Exclude<Happening, { readonly type: 'start' } | { readonly type: 'back' } | { readonly type: 'forward' }>;

/**
 * An instance that runs in the browser, by the engine of the platform, with the processes of the file that it calls.
 * Nothing is called outside: the author says what services answer, and when timers are due. Every step can be taken back.
 */
export class Rehearsal {
  #world: World;
  #before: World[] = [];
  #after: World[] = [];

  private constructor(graph: ProcessGraph, input: Variables) {
    const secrets = input['$secrets'];
    const names = typeof secrets === 'object' && secrets !== null ? Object.keys(secrets) : [];
    const variables = Object.fromEntries(Object.entries(input).filter(([name]) => !OWN_MEMBERS.has(name)));
    this.#world = World.begin(graph, variables, names, Date.now());
  }

  /** Throws an error that names the first problem of a file which cannot run. */
  static async start(xml: string, input: string): Promise<Rehearsal> {
    const parsed = await parse(xml);
    if ('problems' in parsed) throw new Error(`Mend the problems first: ${parsed.problems[0]?.message ?? ''}`);
    return new Rehearsal(parsed.graph, objectIn(input, 'The input'));
  }

  happen(happening: Exclude<Happening, { readonly type: 'start' }>): void {
    if (happening.type === 'back') return this.#move(this.#before, this.#after);
    if (happening.type === 'forward') return this.#move(this.#after, this.#before);
    const next = this.#world.copy();
    apply(next, happening);
    this.#before.push(this.#world);
    if (this.#before.length > MOST_STEPS) this.#before.shift();
    this.#world = next;
    this.#after = [];
  }

  #move(from: World[], to: World[]): void {
    const world = from.pop();
    if (world === undefined) return;
    to.push(this.#world);
    this.#world = world;
  }

  get snapshot(): Rehearsed {
    return { ...this.#world.snapshot, steps: this.#before.length, later: this.#after.length };
  }
}

function apply(world: World, happening: Step): void {
  if (happening.type === 'retry') {
    const variables = objectIn(happening.variables, 'The corrected variables');
    return world.retry(happening.key, variables);
  }
  const waiting = world.waitingAt(happening.key);
  // A late click: the instance does not wait for this any more.
  if (waiting === undefined) return;
  if (happening.type === 'due') return world.due(happening.key);
  world.happen(happening.key, eventOf(happening, waiting.id, 'serviceId' in waiting ? waiting.serviceId : ''));
}

function eventOf(happening: Extract<Step, { readonly text: string }>, id: number, serviceId: string): Event {
  switch (happening.type) {
    case 'succeed':
      return resultEvent(happening.text, id, serviceId);
    case 'fail': {
      const response = valueIn(happening.text, 'The answer');
      return { type: 'jobFailed', job: id, serviceId, applicationId: NO_APPLICATION, response };
    }
    default: {
      const variables = objectIn(happening.text, 'The variables');
      return happening.kind === 'message'
        ? { type: 'messageCorrelated', subscription: id, variables }
        : { type: 'signalReceived', subscription: id, variables };
    }
  }
}

/** The result of a service; a larger one than the platform keeps is a failure, as there. */
function resultEvent(text: string, job: number, serviceId: string): Event {
  const result = valueIn(text, 'The result');
  if (text.length * MOST_BYTES <= LARGEST_RESULT || new TextEncoder().encode(jsonText(result)).length <= LARGEST_RESULT)
    return { type: 'jobSucceeded', job, result };
  const detail = `The service returned more than the ${LARGEST_RESULT} bytes that a workflow can keep. Have it write a file, or return less.`;
  const response = { type: 'about:blank', title: 'Result too large', detail };
  return { type: 'jobFailed', job, serviceId, applicationId: NO_APPLICATION, response };
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
