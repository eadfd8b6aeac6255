import { limits } from '@kethub/contract';
import {
  errorsOf,
  resultOf,
  Runaway,
  start,
  statusOf,
  step,
  type Effect,
  type ErrorEnvelope,
  type JournalEntry,
  type Outcome,
  type ProcessGraph,
  type State,
  type StepResult,
} from '@kethub/workflow';
import type { Logger } from 'pino';
import type { WorkflowInstanceRow } from '../../storage/index.ts';
import { readState, writeState } from '../state.ts';
import type { Work } from './work.ts';

/** What an instance has become, to be written. */
export interface Advanced {
  readonly row: WorkflowInstanceRow;
  /** Events that are taken into account and go. */
  readonly events: readonly string[];
  /** Null when nothing was changed. */
  readonly next: Next | null;
}

type Status = 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED';

export interface Next {
  readonly phase: WorkflowInstanceRow['phase'];
  readonly incidents: number;
  /** JSON. */
  readonly state: string | null;
  readonly bytes: number;
  readonly effects: readonly Effect[];
  readonly journal: readonly JournalEntry[];
  /** Of the execution. */
  readonly status: Status;
  readonly statusBefore: Status;
  /** What the result shows, null before there is one. */
  readonly result: object | null;
  /** Whether timers or messages may have been waited for, before or since. */
  readonly hasWaited: boolean;
}

/** Takes the events of an instance into account. Pure but for the log; never throws. */
export function reduce(graph: ProcessGraph | null, work: Work, now: number, log: Logger): Advanced {
  const { row, events } = work;
  const ids = events.map(({ id }) => id);
  // It has begun in another process that is not done yet, or its start comes a moment later.
  if (row.state === null && events[0]?.event.type !== 'start') return { row, events: [], next: null };
  if (row.phase !== 'NEW' && row.phase !== 'RUNNING') return { row, events: ids, next: null };
  const before = row.state === null ? null : readState(row.state);
  if (!graph) return { row, events: ids, next: broken(row, before, 'The version of the workflow has been deleted.') };
  try {
    const after = steps(graph, before, work, now);
    if (!after) return { row, events: ids, next: null };
    const state = writeState(after.state);
    const bytes = Buffer.byteLength(state);
    if (bytes > limits.workflowStateBytes) {
      const message = `The variables of the workflow need ${bytes} bytes; at most ${limits.workflowStateBytes} are kept. Pass data on by data pools, or map less of what services return.`;
      return { row, events: ids, next: givenUp(graph, row, before, now, message) };
    }
    return { row, events: ids, next: nextOf(before, after, state, bytes) };
  } catch (error) {
    if (error instanceof Runaway)
      return { row, events: ids, next: givenUp(graph, row, before, now, error.message, error.elementId) };
    log.error({ instance: row.id, err: error }, 'an instance of a workflow could not be advanced');
    const message =
      'The workflow could not be advanced for a reason of the platform. The operator finds it in the log.';
    return { row, events: ids, next: broken(row, before, message) };
  }
}

/** Ends an instance that cannot be taken further, whatever the engine makes of its events. */
export function giveUp({ row, events }: Work, cause: string): Advanced {
  const ids = events.map(({ id }) => id);
  if (row.phase !== 'NEW' && row.phase !== 'RUNNING') return { row, events: ids, next: null };
  return { row, events: ids, next: broken(row, legible(row.state), cause) };
}

/** Null also for a state that cannot be read: it may be why the instance is given up. */
function legible(state: string | null): State | null {
  try {
    return state === null ? null : readState(state);
  } catch {
    return null;
  }
}

function steps(graph: ProcessGraph, before: State | null, { events, ended }: Work, now: number): StepResult | null {
  let state = before;
  let changed = false;
  const effects: Effect[] = [];
  const journal: JournalEntry[] = [];
  for (const event of [...events.map(({ event }) => event), ...ended]) {
    const result =
      state === null
        ? event.type === 'start'
          ? start(graph, event, { now })
          : null
        : step(graph, state, event, { now });
    if (!result) continue;
    state = result.state;
    changed ||= result.changed;
    // Spread as arguments, those of a long step would not fit on the stack.
    for (const effect of result.effects) effects.push(effect);
    for (const entry of result.journal) journal.push(entry);
  }
  return state && changed ? { state, effects, journal, changed } : null;
}

function nextOf(before: State | null, { state, effects, journal }: StepResult, text: string, bytes: number): Next {
  const status = statusOf(state);
  return {
    phase: state.phase,
    incidents: state.incidents.size,
    state: text,
    bytes,
    effects,
    journal,
    status,
    statusBefore: before ? statusOf(before) : 'RUNNING',
    result: resultOf(state),
    hasWaited: hasWaits(before) || effects.some(({ type }) => type === 'setTimer' || type === 'openSubscription'),
  };
}

function hasWaits(state: State | null): boolean {
  return state !== null && state.timers.size + state.subscriptions.size > 0;
}

/** It cannot be kept or taken further: what runs is cancelled, and the result says why. */
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
  const state = writeState(ended.state);
  return {
    ...failed,
    state,
    bytes: Buffer.byteLength(state),
    effects: [...effects, ...failed.effects],
    journal: ended.journal,
  };
}

/** An end that the engine knows nothing of. */
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
    state: row.state,
    bytes: row.bytes,
    effects: [{ type: 'finished', outcome }],
    journal: [],
    status: 'FAILED',
    statusBefore: before ? statusOf(before) : 'RUNNING',
    result: { errors },
    hasWaited: true,
  };
}
