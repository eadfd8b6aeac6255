import type { JournalEntry } from '@kethub/workflow';
import type { Noted } from './protocol.ts';

/** Keys of one instance; those of the next begin behind them, so that one journal can hold all instances. */
const KEYS = 1e9;

/** The key of an element or of an incident among all instances of a rehearsal. */
export const keyIn = (instance: number, key: number): number => instance * KEYS + key;

/** An entry of a journal as the page of an instance has it. */
export function notedOf(entry: JournalEntry, instance: number, seq: number): Noted {
  const incident = entry.type === 'incident' ? entry.incident : null;
  const elementId = 'elementId' in entry ? entry.elementId : incident?.elementId;
  return {
    seq,
    at: new Date(entry.at).toISOString(),
    // The end of a called process is not the end of the rehearsal.
    type: entry.type === 'finished' && instance !== 0 ? 'returned' : entry.type,
    ...(elementId !== undefined && { elementId }),
    ...('element' in entry && { element: keyIn(instance, entry.element) }),
    ...('flowId' in entry && { flowId: entry.flowId }),
    ...(entry.type === 'finished' && { phase: entry.phase }),
    ...(entry.type === 'event' && { event: { type: entry.event.type } }),
    ...(incident !== null && {
      incident: { incident: keyIn(instance, incident.incident), elementId: incident.elementId },
      message: incident.error.message,
    }),
    ...(entry.type === 'resolved' && { incident: keyIn(instance, entry.incident) }),
  };
}
