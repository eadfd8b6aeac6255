import { limits } from '@kethub/contract';
import {
  childErrorsOf,
  errorsOf,
  platformFaultOf,
  resultOf,
  resume,
  Runaway,
  start,
  statusOf,
  step,
  type Effect,
  type Env,
  type Event,
  type ErrorEnvelope,
  type JournalEntry,
  type Outcome,
  type ProcessGraph,
  type State,
  type StepResult,
} from '@kethub/workflow';
import type { Logger } from 'pino';
import type { WorkflowInstanceRow } from '../../../foundation/storage/index.ts';
import { toStore, type ToStore } from '../state.ts';
import type { QueuedEvent } from './events.ts';
import type { Work } from './work.ts';

/** An instance after its steps, to be written. */
export interface Advanced extends Pick<Work, 'row' | 'before'> {
  /** Ids of events that are done and are deleted. */
  readonly events: readonly string[];
  /** Number of ends that are done: the first ones. */
  readonly ends: number;
  /** Events that are set aside until an operator retries the instance, and ends that become such events. */
  readonly aside: readonly string[];
  readonly endsAside: readonly Event[];
  /** True if events that were set aside go back to the queue. */
  readonly isReleased: boolean;
  /** True if some events or ends are left for another batch. */
  readonly isLeft: boolean;
  /** Null when nothing has changed. */
  readonly next: Next | null;
}

type Status = 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';

export interface Next {
  readonly phase: WorkflowInstanceRow['phase'];
  readonly incidents: number;
  /** Open incidents of what its call activities have started, and of what that calls. */
  readonly childIncidents: number;
  /** Null when the instance is given up. */
  readonly live: State | null;
  readonly toStore: Omit<ToStore, 'state'> & { readonly state: string | null };
  /** True if the step is paused. */
  readonly isPaused: boolean;
  readonly effects: readonly Effect[];
  readonly journal: readonly JournalEntry[];
  /** Status of the execution. */
  readonly status: Status;
  readonly statusBefore: Status;
  /** The result of the execution; null before there is one. */
  readonly result: object | null;
  /** True if the instance may have waited for timers, messages or signals, before or after. */
  readonly hasWaited: boolean;
}

/** Leaves all of the work for another batch. */
export function leave({ row, before }: Work): Advanced {
  return { row, before, events: [], ends: 0, ...nothingAside, isLeft: true, next: null };
}

const nothingAside = { aside: [], endsAside: [], isReleased: false } as const;

/**
 * Applies events and ends to an instance until `isOver`; leaves the rest. Pure, except for the log. Throws when the
 * state cannot be read.
 */
export function reduce(
  graph: ProcessGraph | null,
  work: Work,
  now: number,
  log: Logger,
  isOver: (done: number) => boolean = () => false,
): Advanced {
  const { row, before, events, ended, fault } = work;
  if (fault) throw fault;
  const all = allOf(work);
  // Another process may be starting it right now, or its start event comes a moment later.
  if (before === null && events[0]?.event.type !== 'start') return { ...all, events: [] };
  if (row.phase !== 'NEW' && row.phase !== 'RUNNING') return all;
  const state = before?.state ?? null;
  if (!graph) return { ...all, next: broken(row, state, 'The version of the workflow has been deleted.') };
  try {
    const { after, ...taken } = steps(graph, state, work, { now, pauses: isOver });
    const isLeft = taken.events.length + taken.aside.length < events.length || taken.ends < ended.length;
    const done = { ...all, ...taken, isLeft };
    if (!after) return done;
    const stored = toStore(before, row.bytes, after.state);
    if (stored.bytes > limits.workflowStateBytes) {
      const message = `The variables of the workflow need ${stored.bytes} bytes; at most ${limits.workflowStateBytes} are kept. Pass data on by data pools, or map less of what services return.`;
      return { ...all, next: givenUp(graph, row, state, now, message) };
    }
    return { ...done, isReleased: isReleased(state, after.state), next: nextOf(state, after, stored) };
  } catch (error) {
    if (error instanceof Runaway)
      return { ...all, next: givenUp(graph, row, state, now, error.message, error.elementId) };
    log.error({ instance: row.id, err: error }, 'an instance of a workflow could not be advanced');
    const message =
      'The workflow could not be advanced for a reason of the platform. The operator finds it in the log.';
    return suspend(graph, work, now, message);
  }
}

function allOf({ row, before, events, ended }: Work): Advanced {
  const all = { events: events.map(({ id }) => id), ends: ended.length };
  return { row, before, ...all, ...nothingAside, isLeft: false, next: null };
}

/** Ends an instance that cannot go on, without asking the engine. */
export function giveUp(work: Work, cause: string): Advanced {
  const { row, before } = work;
  const all = allOf(work);
  if (row.phase !== 'NEW' && row.phase !== 'RUNNING') return all;
  return { ...all, isReleased: true, next: broken(row, before?.state ?? null, cause) };
}

/**
 * Suspends an instance that cannot go on, with an incident, and sets its events aside until an operator retries. An
 * instance before its first step, or in the middle of a step, is ended.
 */
export function suspend(graph: ProcessGraph | null, work: Work, now: number, cause: string): Advanced {
  const { row, before, events, ended } = work;
  const state = before?.state ?? null;
  const maySuspend = state !== null && state.phase === 'RUNNING' && state.work === null;
  if (!graph || !maySuspend || row.phase !== 'RUNNING') return giveUp(work, cause);
  const { state: after, changed, ...rest } = step(graph, state, { type: 'platformFailed', message: cause }, { now });
  const aside = { aside: events.map(({ id }) => id), endsAside: ended, isReleased: false };
  const all = { ...allOf(work), events: [], ...aside };
  if (!changed) return all;
  return { ...all, next: nextOf(state, { state: after, changed, ...rest }, toStore(before, row.bytes, after)) };
}

const hasPlatformFault = (state: State | null): boolean => state !== null && platformFaultOf(state) !== null;

/** Returns whether an instance that was suspended goes on or has ended. */
function isReleased(before: State | null, after: State): boolean {
  return hasPlatformFault(before) && !(after.phase === 'RUNNING' && hasPlatformFault(after));
}

/** Events that are applied to an instance that is suspended. */
const repairs: ReadonlySet<QueuedEvent['type']> = new Set(['cancel', 'resolveIncident', 'setVariables', 'resume']);

interface Steps extends Pick<Advanced, 'events' | 'ends' | 'aside' | 'endsAside'> {
  /** Null when nothing has changed. */
  readonly after: StepResult | null;
}

/** Applies events in order. A paused step is finished before any other event, except a cancellation. */
function steps(graph: ProcessGraph, before: State | null, { events, ended }: Work, env: Env): Steps {
  let state = before;
  let changed = false;
  const effects: Effect[] = [];
  const journal: JournalEntry[] = [];
  const take = (result: StepResult): void => {
    ({ state } = result);
    changed ||= result.changed;
    // As spread arguments, the effects of a long step would not fit on the stack.
    for (const effect of result.effects) effects.push(effect);
    for (const entry of result.journal) journal.push(entry);
  };
  const isOver = (): boolean => changed && env.pauses?.(0, 0) === true;
  // Finishes the paused step, unless it is paused again by `isOver`.
  const finish = (): void => {
    if (state !== null && state.work !== null && !isOver()) take(resume(graph, state, env));
  };
  const all: QueuedEvent[] = [...events.map(({ event }) => event), ...ended];
  const hadPlatformFault = hasPlatformFault(before);
  const aside = new Set<number>();
  let done = 0;
  for (const event of all) {
    if (hadPlatformFault) {
      // Events that were set aside are older than those that follow: the next batch takes them in order.
      if (!hasPlatformFault(state)) break;
      if (!repairs.has(event.type)) {
        aside.add(done);
        done += 1;
        continue;
      }
    }
    const isCancel = event.type === 'cancel';
    // The event is done even when the step is paused again, which writes another one.
    if (event.type === 'resume') done += 1;
    if (!isCancel) finish();
    if (isOver() || (state !== null && state.work !== null && !isCancel)) break;
    if (event.type === 'resume') continue;
    done += 1;
    if (state !== null) take(step(graph, state, event, env));
    else if (event.type === 'start') take(start(graph, event, env));
  }
  finish();
  const [taken, left] = [false, true].map((is) => events.slice(0, done).filter((_event, at) => aside.has(at) === is));
  const ends = Math.max(0, done - events.length);
  return {
    after: state && changed ? { state, effects, journal, changed } : null,
    events: (taken ?? []).map(({ id }) => id),
    aside: (left ?? []).map(({ id }) => id),
    ends,
    endsAside: ended.slice(0, ends).filter((_event, at) => aside.has(events.length + at)),
  };
}

function nextOf(before: State | null, { state, effects, journal }: StepResult, stored: ToStore): Next {
  const status = statusOf(state);
  return {
    phase: state.phase,
    incidents: state.incidents.size,
    childIncidents: childErrorsOf(state).length,
    live: state,
    toStore: stored,
    isPaused: state.work !== null,
    effects,
    journal,
    status,
    statusBefore: before ? statusOf(before) : 'RUNNING',
    // Computed only when it is written: with many incidents it is long.
    get result() {
      return resultOf(state);
    },
    hasWaited: hasWaits(before) || effects.some(({ type }) => waits.has(type)),
  };
}

const waits: ReadonlySet<Effect['type']> = new Set(['setTimer', 'openSubscription', 'openSignalSubscription']);

function hasWaits(state: State | null): boolean {
  return state !== null && state.timers.size + state.subscriptions.size > 0;
}

/** The instance cannot be stored or advanced: its jobs are cancelled, and the result says why. */
function givenUp(
  graph: ProcessGraph,
  row: WorkflowInstanceRow,
  before: State | null,
  now: number,
  message: string,
  elementId?: string,
): Next {
  const ended = before && step(graph, before, { type: 'cancel' }, { now });
  const failed = broken(row, before, message, elementId);
  if (!ended?.changed) return failed;
  const effects = ended.effects.filter(({ type }) => type !== 'finished');
  return {
    ...failed,
    toStore: { ...toStore(null, 0, ended.state), parts: 'NONE' },
    effects: [...effects, ...failed.effects],
    journal: ended.journal,
  };
}

/** Ends an instance without the engine. */
function broken(row: WorkflowInstanceRow, before: State | null, message: string, elementId?: string): Next {
  const failedElement = elementId ?? before?.processId ?? row.process_id ?? 'process';
  const errors: ErrorEnvelope[] = [
    ...(before ? errorsOf(before) : []),
    { errorCode: 'WORKFLOW_ERROR', failedElement, message },
  ];
  const outcome: Outcome = { type: 'notStarted', message };
  return {
    phase: 'ERROR',
    incidents: 0,
    childIncidents: 0,
    live: null,
    // The parts of the state are kept for inspection.
    toStore: { state: row.state, bytes: row.bytes, parts: new Map() },
    isPaused: false,
    effects: [{ type: 'finished', outcome }],
    journal: [],
    status: 'FAILED',
    statusBefore: before ? statusOf(before) : 'RUNNING',
    result: { errors },
    hasWaited: true,
  };
}
