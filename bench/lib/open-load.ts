import { setTimeout as pause } from 'node:timers/promises';
import { Callers } from './callers.ts';

/** Requests that are sent at their times, however long other answers take. */
export interface OpenLoad {
  readonly url: string;
  readonly bearer: string;
  readonly perSecond: number;
  readonly seconds: number;
  /** The body of a request that is sent at this time, in milliseconds since 1970. */
  body(sent: number): string;
}

/** Milliseconds from the time at which each request was due to the end of its answer. Throws when one is not 201. */
export async function latenciesAtRate(load: OpenLoad): Promise<number[]> {
  const callers = callersOf(load);
  const began = performance.now();
  const calls = Array.from({ length: Math.round(load.perSecond * load.seconds) }, async (_value, number) => {
    const due = began + (number * 1000) / load.perSecond;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
    await post(load, callers);
    return performance.now() - due;
  });
  const took = await Promise.all(calls);
  callers.close();
  return took;
}

/** Sends requests at their times until it is stopped, and waits for the last answer. Throws when one is not 201. */
export async function atRate(load: Omit<OpenLoad, 'seconds'>, stopped: AbortSignal): Promise<void> {
  const callers = callersOf(load);
  const began = performance.now();
  const failed = Promise.withResolvers<never>();
  const asked = new Set<Promise<void>>();
  for (let number = 0; !stopped.aborted; number += 1) {
    const due = began + (number * 1000) / load.perSecond;
    await Promise.race([pause(Math.max(0, due - performance.now())), failed.promise]);
    const one = post(load, callers);
    asked.add(one);
    one.then(() => asked.delete(one), failed.reject);
  }
  await Promise.all(asked);
  callers.close();
}

/** Answers per second to so many callers. Each sends its next request after its answer. */
export async function answersPerSecond(load: Omit<OpenLoad, 'perSecond'>, callers: number): Promise<number> {
  const connections = callersOf(load);
  const began = performance.now();
  const end = began + load.seconds * 1000;
  let answers = 0;
  const caller = async (): Promise<void> => {
    while (performance.now() < end) {
      await post(load, connections);
      answers += 1;
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  connections.close();
  return (answers / (performance.now() - began)) * 1000;
}

function callersOf({ url, bearer }: Pick<OpenLoad, 'url' | 'bearer'>): Callers {
  return new Callers(url, {
    authorization: `Bearer ${bearer}`,
    'content-type': 'application/json',
    prefer: 'wait=30',
  });
}

async function post({ url, body }: Pick<OpenLoad, 'url' | 'body'>, callers: Callers): Promise<void> {
  const { status, text } = await callers.post(body(performance.timeOrigin + performance.now()));
  if (status !== 201 || !text.includes('"SUCCEEDED"')) throw new Error(`${url} answered ${status}: ${text}`);
}
