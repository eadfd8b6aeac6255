import type { ProcessGraph } from '../graph.ts';
import type { JournalEntry, State } from '../types.ts';
import { start, step } from './step.ts';

/**
 * The state after a journal: its events are applied again, at the times at which they were. All other entries follow from
 * those, and may be missing. Null for a journal without events.
 */
export function rebuild(graph: ProcessGraph, journal: Iterable<JournalEntry>): State | null {
  let state: State | null = null;
  for (const entry of journal) {
    if (entry.type !== 'event') continue;
    const { event, at: now } = entry;
    if (event.type === 'start') state = start(graph, event, { now }).state;
    else if (state !== null) ({ state } = step(graph, state, event, { now }));
  }
  return state;
}
