import type { ProcessGraph } from '../graph.ts';
import type { State } from '../state/state.ts';
import type { JournalEntry } from '../types.ts';
import { start, step } from './step.ts';

/**
 * Rebuilds the state from a journal: applies its events again, at their times. All other entries follow from them, and
 * may be missing.
 *
 * Null for a journal without events. A step that was paused at the end of the journal is finished.
 */
export function rebuild(graph: ProcessGraph, journal: Iterable<JournalEntry>): State | null {
  let state: State | null = null;
  const events = [...journal].filter((entry) => entry.type === 'event');
  for (const [place, { event, at: now }] of events.entries()) {
    const next = events[place + 1]?.event;
    const cancelledAfter = next?.type === 'cancel' ? next.after : undefined;
    const env = { now, pauses: (done: number) => cancelledAfter !== undefined && done >= cancelledAfter };
    if (event.type === 'start') state = start(graph, event, env).state;
    else if (state !== null) state = step(graph, state, event, env).state;
  }
  return state;
}
