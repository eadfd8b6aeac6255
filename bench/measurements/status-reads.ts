import { callerOf } from '@kethub/server/testing/gateway';
import { trivial } from '../lib/services.ts';
import { requestsPerSecond } from '../lib/load.ts';
import type { Measurement } from '../lib/measurement.ts';
import { startServer } from '../lib/process.ts';
import { median } from '../lib/statistics.ts';
import type { PlatformReady, Question } from '../servers/platform.ts';

const ROUNDS = 7;
const connections = 32;
const seconds = 4;

/** Authenticated status reads against a bare server that sends the same bytes, in turns. */
export async function statusReads(): Promise<Measurement[]> {
  const question: Question = { settings: {}, services: { Trivial: trivial.files } };
  const platform = await startServer<PlatformReady>('servers/platform.ts', question, 0);
  const service = platform.ready.services['Trivial'];
  if (!service) throw new Error('Not deployed');
  const app = await callerOf(service);
  const { id } = await app.finish({});
  const { text: body } = await app.request('GET', `/${id}`);
  const bare = await startServer<{ url: string }>('servers/bare.ts', { body }, 0);
  const rounds = { platform: [] as number[], bare: [] as number[], ratio: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    const headers = { authorization: `Bearer ${app.bearer}` };
    const ours = await requestsPerSecond({
      url: `${service.endpoint}/${id}`.replace('localhost', '127.0.0.1'),
      headers,
      connections,
      seconds,
    });
    const theirs = await requestsPerSecond({ url: bare.ready.url, headers, connections, seconds });
    rounds.platform.push(ours);
    rounds.bare.push(theirs);
    rounds.ratio.push(ours / theirs);
  }
  await bare.stop();
  await platform.stop();
  const how = `${ROUNDS} rounds in turns of ${seconds} s, wrk with ${connections} connections on the other core`;
  return [
    { name: 'Status reads, platform', unit: 'requests/s', value: median(rounds.platform), goal: null, how, rounds },
    {
      name: 'Status reads, bare node:http',
      unit: 'requests/s',
      value: median(rounds.bare),
      goal: null,
      how,
      rounds: {},
    },
    {
      name: 'Status reads against bare node:http',
      unit: '×',
      value: median(rounds.ratio),
      goal: { atLeast: 0.5 },
      how,
      rounds: {},
    },
  ];
}
