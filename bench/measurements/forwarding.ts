import http from 'node:http';
import type { Measurement } from '../lib/measurement.ts';
import { startServer } from '../lib/process.ts';
import { median, percentile } from '../lib/statistics.ts';
import type { OnPremiseReady } from '../servers/on-premise.ts';

const ROUNDS = 7;
const WARM_UP = 500;
const CALLS = 2_000;
/** Callers. Each waits for its answer before it calls again: about the load of a busy gateway of a lab. */
const CALLERS = 4;
const body = JSON.stringify({ data: { values: Array.from({ length: 100 }, (_value, index) => index) } });

/** A call of an on-premise service through the gateway against the same call made directly, in turns. */
export async function forwarding(): Promise<Measurement[]> {
  const bare = await startServer<{ url: string }>('servers/bare.ts', { body: '{"answer": 42}' }, 1);
  const platform = await startServer<OnPremiseReady>('servers/on-premise.ts', { url: bare.ready.url }, 0);
  const { url, bearer } = platform.ready;
  const agent = new http.Agent({ keepAlive: true, maxSockets: CALLERS });
  const direct = { url: bare.ready.url, agent, bearer: null };
  const forwarded = { url, agent, bearer };
  const rounds = {
    added: [] as number[],
    direct: [] as number[],
    forwarded: [] as number[],
    addedMedian: [] as number[],
  };
  try {
    for (const way of [direct, forwarded]) await latencies(way, WARM_UP);
    for (let round = 0; round < ROUNDS; round += 1) {
      const [one, other] = [await latencies(direct, CALLS), await latencies(forwarded, CALLS)];
      rounds.direct.push(percentile(one, 0.99));
      rounds.forwarded.push(percentile(other, 0.99));
      rounds.added.push(percentile(other, 0.99) - percentile(one, 0.99));
      rounds.addedMedian.push(median(other) - median(one));
    }
  } finally {
    agent.destroy();
    await platform.stop();
    await bare.stop();
  }
  const how = `${ROUNDS} rounds in turns of ${CALLS} POST with ${Buffer.byteLength(body)} bytes, ${CALLERS} callers that wait for each answer; gateway on one core, upstream on the other, callers where there is room`;
  return [
    { name: 'On-premise call, direct, p99', unit: 'ms', value: median(rounds.direct), goal: null, how, rounds: {} },
    { name: 'On-premise call, forwarded, p99', unit: 'ms', value: median(rounds.forwarded), goal: null, how, rounds },
    {
      name: 'Added by forwarding an on-premise call, p99',
      unit: 'ms',
      value: median(rounds.added),
      goal: { atMost: 5 },
      how,
      rounds: {},
    },
  ];
}

interface Way {
  readonly url: string;
  readonly agent: http.Agent;
  readonly bearer: string | null;
}

/** Milliseconds of so many calls, by several callers. */
async function latencies(way: Way, calls: number): Promise<number[]> {
  const took: number[] = [];
  const caller = async (): Promise<void> => {
    for (let call = 0; call < calls / CALLERS; call += 1) {
      const began = performance.now();
      await post(way);
      took.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  return took;
}

function post({ url, agent, bearer }: Way): Promise<void> {
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...(bearer !== null && { authorization: `Bearer ${bearer}` }),
  };
  return new Promise((resolve, reject) => {
    const request = http.request(url, { method: 'POST', agent, headers }, (response) => {
      response.on('end', () => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(`${url} answered ${response.statusCode}`));
      });
      response.resume();
    });
    request.on('error', reject);
    request.end(body);
  });
}
