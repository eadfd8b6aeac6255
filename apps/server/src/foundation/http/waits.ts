import { FairSlots } from '@kethub/runtime/slots';
import type { FastifyRequest } from 'fastify';
import type { Platform } from '../platform.ts';
import { preferredWait } from './prefer.ts';

/** How long a request may wait for a change. */
export interface Wait {
  /** 0 when it asks for none, or when as many wait as may: a preference need not be honoured (RFC 7240 §2). */
  readonly seconds: number;
  /** To be called when it waits no more. */
  readonly end: () => void;
}

const NONE: Wait = { seconds: 0, end: () => undefined };
const ofDatabases = new WeakMap<Platform['database'], FairSlots>();

/** Counts a request with `Prefer: wait` among those that wait in this process. `caller` names the person or application. */
export function beginWait(
  { database, configuration }: Pick<Platform, 'database' | 'configuration'>,
  caller: string,
  { headers }: FastifyRequest,
): Wait {
  const seconds = headers.prefer === undefined ? 0 : preferredWait(headers.prefer);
  if (seconds === 0) return NONE;
  let slots = ofDatabases.get(database);
  if (slots === undefined) {
    const { waits, waitsOfCaller } = configuration.readers;
    slots = new FairSlots(waits, waitsOfCaller);
    ofDatabases.set(database, slots);
  }
  const end = slots.take(caller);
  return end === null ? NONE : { seconds, end };
}
