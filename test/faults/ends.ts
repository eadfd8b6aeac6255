import { fromTimestamp } from '@kethub/contract';
import { member, type Caller } from '@kethub/server/testing/gateway';
import type { Order, Promised } from './load.ts';

/** Milliseconds; null before that. */
export interface Times {
  readonly startedAt: number | null;
  readonly endedAt: number | null;
}

export interface End extends Times {
  readonly status: string;
  /** The status when it was first seen to have ended. OPEN when it was never seen so. */
  readonly before: string;
  /** The content at the address of the result. */
  readonly result: unknown;
  readonly log: readonly string[];
}

/** The ends as the interface reports them now. */
export async function endsOf<O extends Order>(
  app: Caller,
  promised: readonly Promised<O>[],
  followed: ReadonlyMap<string, string>,
): Promise<{ readonly one: Promised<O>; readonly end: End }[]> {
  const ends = [];
  for (const one of promised) ends.push({ one, end: await endOf(app, one.id, followed.get(one.id) ?? 'OPEN') });
  return ends;
}

async function endOf(app: Caller, id: string, before: string): Promise<End> {
  const { status: answered, body: execution } = await app.request('GET', `/${id}`);
  const status = answered === 200 ? member(execution, 'status') : 'LOST';
  if (before === 'OPEN' || status === 'LOST')
    return { status, before, startedAt: null, endedAt: null, result: null, log: [] };
  const { body } = await app.request('GET', `/${id}/result`);
  const { text } = await app.request('GET', `/${id}/log`, { headers: { accept: 'text/plain' } });
  return { status, before, ...timesOf(execution), result: body, log: text.trimEnd().split('\n') };
}

export function timesOf(execution: unknown): Times {
  const time = (name: string): number | null => fromTimestamp(String(Reflect.get(Object(execution), name)));
  return { startedAt: time('startedAt'), endedAt: time('endedAt') };
}
