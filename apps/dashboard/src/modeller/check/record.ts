import {
  jsonText,
  parse,
  parseExact,
  start,
  step,
  type Effect,
  type Event,
  type ProcessGraph,
  type State,
} from '@kethub/workflow';
import { parseTime } from '../../look/time.ts';
import type { InstanceRecord, Recorded } from './protocol.ts';

/** Answers of one instance that are kept. Later ones are left out. */
const MOST_ANSWERS = 2_000;

/**
 * The answers that services gave to a real instance, and the messages and signals that came. The engine goes through the
 * events of its journal with the file of its version once more, which says to which element each answer belongs.
 */
export async function recall(xml: string, journal: string): Promise<InstanceRecord> {
  const parsed = await parse(xml);
  if ('problems' in parsed) throw new Error('The file of this instance cannot be read any more.');
  const entries = parseExact(journal);
  const events = Array.isArray(entries) ? entries.flatMap(eventIn) : [];
  const [first] = events;
  return {
    input: first?.event.type === 'start' ? jsonText(first.event.variables) : null,
    answers: answersIn(parsed.graph, events),
  };
}

interface Happened {
  readonly event: Event;
  readonly now: number;
}

/** The event of an entry of a journal as the platform shows it, whose time is a text. */
function eventIn(entry: unknown): Happened[] {
  const { event, at } = entry as { readonly event?: Event; readonly at?: string };
  return event !== undefined && at !== undefined ? [{ event, now: parseTime(at) }] : [];
}

function answersIn(graph: ProcessGraph, events: readonly Happened[]): readonly Recorded[] {
  const recorded: Recorded[] = [];
  const requests = new Map<string, { readonly elementId: string; readonly input: string }>();
  const note = (effects: readonly Effect[]): void => {
    for (const effect of effects) {
      if (effect.type === 'startJob')
        requests.set(`job ${effect.job}`, { elementId: effect.elementId, input: jsonText(effect.input) });
      if (effect.type === 'setTimer') requests.set(`timer ${effect.timer}`, { elementId: effect.elementId, input: '' });
      if (effect.type === 'openSubscription' || effect.type === 'openSignalSubscription')
        requests.set(`subscription ${effect.subscription}`, { elementId: effect.elementId, input: '' });
    }
  };
  let state: State | null = null;
  for (const { event, now } of events) {
    if (recorded.length >= MOST_ANSWERS) break;
    const answer = answerIn(event);
    const request = answer && requests.get(answer.key);
    if (answer && request) recorded.push({ ...request, kind: answer.kind, text: answer.text });
    if (event.type === 'start') ({ state } = noted(start(graph, event, { now })));
    else if (state !== null) ({ state } = noted(step(graph, state, event, { now })));
  }
  return recorded;

  function noted<Done extends { readonly state: State; readonly effects: readonly Effect[] }>(done: Done): Done {
    note(done.effects);
    return done;
  }
}

function answerIn(
  event: Event,
): { readonly key: string; readonly kind: Recorded['kind']; readonly text: string } | null {
  switch (event.type) {
    case 'jobSucceeded':
      return { key: `job ${event.job}`, kind: 'succeed', text: jsonText(event.result) };
    case 'jobFailed':
      return { key: `job ${event.job}`, kind: 'fail', text: jsonText(event.response) };
    case 'messageCorrelated':
    case 'signalReceived':
      return { key: `subscription ${event.subscription}`, kind: 'receive', text: jsonText(event.variables) };
    case 'timerDue':
      return { key: `timer ${event.timer}`, kind: 'due', text: '' };
    default:
      return null;
  }
}
