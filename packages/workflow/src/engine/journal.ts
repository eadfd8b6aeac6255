import type { ProcessGraph } from '../graph.ts';
import type { State } from '../state/state.ts';
import type { JournalEntry } from '../types.ts';
import { Replay } from './replay.ts';

/**
 * Rebuilds the state from a journal: applies its events again, at their times. All other entries follow from them, and
 * may be missing.
 *
 * Null for a journal without events. A step that was paused at the end of the journal is finished.
 */
export function rebuild(graph: ProcessGraph, journal: Iterable<JournalEntry>): State | null {
  const replay = new Replay(graph, Infinity, () => false);
  const events = [...journal].filter((entry) => entry.type === 'event');
  for (const [at, entry] of events.entries()) replay.apply(entry, events[at + 1]);
  return replay.state;
}
