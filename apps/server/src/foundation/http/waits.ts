import { FairSlots } from '@kethub/runtime/slots';
import type { FastifyRequest } from 'fastify';
import type { Platform } from '../platform.ts';
import { preferredWait } from '@kethub/service-api';

/** The time for which a request waits for a change. */
export interface Wait {
  /** 0 if the request asks for no wait, or if all slots are taken: a preference may be ignored (RFC 7240 §2). */
  readonly seconds: number;
  /** Frees the slot; to be called when the wait is over. */
  readonly end: () => void;
}

/** A wait that a request asks for with `Prefer: wait`. */
export interface WantedWait {
  /** 0 if it asks for none. */
  readonly seconds: number;
  /** Calls `stop` if the caller disconnects or the server closes, until the returned function is called. */
  readonly whenGone: (stop: () => void) => () => void;
}

/** The wait that a request asks for. */
export function wantedWait({ headers, raw: { socket }, server }: FastifyRequest): WantedWait {
  return {
    seconds: headers.prefer === undefined ? 0 : preferredWait(headers.prefer),
    whenGone(stop) {
      if (socket.destroyed) stop();
      socket.once('close', stop);
      const stay = server.drain.whenClosing(stop);
      // The connection serves many requests: it would collect a listener from each.
      return () => {
        socket.off('close', stop);
        stay();
      };
    },
  };
}

/** The header that says how long a request may have waited. */
export function waited(seconds: number): Record<string, string> {
  return seconds > 0 ? { 'preference-applied': `wait=${seconds}` } : {};
}

const NONE: Wait = { seconds: 0, end: () => undefined };
const ofDatabases = new WeakMap<Platform['database'], FairSlots>();

/** Takes a slot for a wait, bounded in this process in total and by `caller` (person or application). */
export function beginWait(
  { database, configuration }: Pick<Platform, 'database' | 'configuration'>,
  caller: string,
  { seconds }: WantedWait,
): Wait {
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
