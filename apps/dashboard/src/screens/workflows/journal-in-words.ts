import type { JournalEntry } from '../../data/workflow-queries.ts';

const EVENTS: Readonly<Record<string, string>> = {
  start: 'started',
  jobSucceeded: 'a service has answered',
  jobFailed: 'a service has failed',
  jobDelayed: 'a call waits',
  timerDue: 'a timer is due',
  messageCorrelated: 'a message has come',
  signalReceived: 'a signal has come',
  childEnded: 'what was called has ended',
  childIncidents: 'what was called stands still or goes on',
  setVariables: 'variables were corrected',
  resolveIncident: 'is tried again',
  cancel: 'was cancelled',
};

const ENTRIES: Readonly<Record<string, string>> = {
  activated: 'begun',
  completed: 'done',
  terminated: 'ended before its time',
  taken: 'path taken',
  delayed: 'waits',
  abandoned: 'given up',
  warned: 'probably not meant',
  incident: 'stands still',
  resolved: 'tried again',
  errorCaught: 'error caught',
  finished: 'ended',
};

/** An entry of a journal as words for a person, and the element or path that it is about. */
export function entryInWords(entry: JournalEntry): { readonly what: string; readonly where: string } {
  const event = memberOf(entry['event'], 'type');
  const what = event === '' ? (ENTRIES[entry.type] ?? entry.type) : (EVENTS[event] ?? event);
  const phase = typeof entry['phase'] === 'string' ? `: ${entry['phase'].toLowerCase()}` : '';
  const where = text(entry['elementId']) || text(entry['flowId']) || memberOf(entry['incident'], 'elementId');
  return { what: what + (entry.type === 'finished' ? phase : ''), where };
}

function memberOf(value: unknown, name: string): string {
  return typeof value === 'object' && value !== null ? text((value as Readonly<Record<string, unknown>>)[name]) : '';
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
