import http from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

/** Requests that are made at their times, however long the answers to others take. */
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
  const agent = new http.Agent({ keepAlive: true, maxSockets: 256 });
  const began = performance.now();
  const calls = Array.from({ length: Math.round(load.perSecond * load.seconds) }, async (_value, number) => {
    const due = began + (number * 1000) / load.perSecond;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, due - performance.now())));
    await post(load, agent);
    return performance.now() - due;
  });
  const took = await Promise.all(calls);
  agent.destroy();
  return took;
}

/** Makes requests at their times until it is stopped, and waits for the last answer. Throws when one is not 201. */
export async function atRate(load: Omit<OpenLoad, 'seconds'>, stopped: AbortSignal): Promise<void> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 256 });
  const began = performance.now();
  const failed = Promise.withResolvers<never>();
  const asked = new Set<Promise<void>>();
  for (let number = 0; !stopped.aborted; number += 1) {
    const due = began + (number * 1000) / load.perSecond;
    await Promise.race([pause(Math.max(0, due - performance.now())), failed.promise]);
    const one = post(load, agent);
    asked.add(one);
    one.then(() => asked.delete(one), failed.reject);
  }
  await Promise.all(asked);
  agent.destroy();
}

/** Answers a second to so many callers, each of whom asks again when it was answered. */
export async function answersPerSecond(load: Omit<OpenLoad, 'perSecond'>, callers: number): Promise<number> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: callers });
  const began = performance.now();
  const end = began + load.seconds * 1000;
  let answers = 0;
  const caller = async (): Promise<void> => {
    while (performance.now() < end) {
      await post(load, agent);
      answers += 1;
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  agent.destroy();
  return (answers / (performance.now() - began)) * 1000;
}

function post({ url, bearer, body }: Pick<OpenLoad, 'url' | 'bearer' | 'body'>, agent: http.Agent): Promise<void> {
  const text = body(performance.timeOrigin + performance.now());
  const headers = {
    authorization: `Bearer ${bearer}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    prefer: 'wait=30',
  };
  return new Promise((resolve, reject) => {
    const request = http.request(url, { method: 'POST', agent, headers }, (response) => {
      let answer = '';
      response.on('data', (chunk: Buffer) => (answer += chunk.toString()));
      response.on('end', () => {
        if (response.statusCode === 201 && answer.includes('"SUCCEEDED"')) resolve();
        else reject(new Error(`${url} answered ${response.statusCode}: ${answer}`));
      });
    });
    request.on('error', reject);
    request.end(text);
  });
}
