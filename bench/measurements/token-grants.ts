import { trivial } from '../lib/services.ts';
import { requestsPerSecond } from '../lib/load.ts';
import type { Measurement } from '../lib/measurement.ts';
import { startServer } from '../lib/process.ts';
import { median } from '../lib/statistics.ts';
import type { PlatformReady, Question } from '../servers/platform.ts';

const ROUNDS = 7;
const load = { method: 'POST', connections: 32, seconds: 3 } as const;

/** Client credentials grants against oidc-provider, in turns. */
export async function tokenGrants(): Promise<Measurement[]> {
  const question: Question = { settings: {}, services: { Trivial: trivial.files } };
  const platform = await startServer<PlatformReady>('servers/platform.ts', question, 0);
  const service = platform.ready.services['Trivial'];
  if (!service) throw new Error('Not deployed');
  const durable = await startServer<{ url: string }>('servers/oidc-provider.ts', { setUp: 'DURABLE' }, 0);
  const fastest = await startServer<{ url: string }>('servers/oidc-provider.ts', { setUp: 'FASTEST' }, 0);
  const request = (credentials: string) => ({
    ...load,
    headers: {
      authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: 'grant_type=client_credentials',
  });
  const own = request(`${service.accessKeyId}:${service.secretAccessKey}`);
  const other = request('application:secret-of-the-application-0123456789');
  const rounds = { platform: [] as number[], durable: [] as number[], fastest: [] as number[] };
  const ratios = { durable: [] as number[], fastest: [] as number[] };
  for (let round = 0; round < ROUNDS; round++) {
    const ours = await requestsPerSecond({
      url: service.application.tokenEndpoint.replace('localhost', '127.0.0.1'),
      ...own,
    });
    rounds.platform.push(ours);
    for (const [name, server] of [
      ['durable', durable],
      ['fastest', fastest],
    ] as const) {
      const theirs = await requestsPerSecond({ url: server.ready.url, ...other });
      rounds[name].push(theirs);
      ratios[name].push(ours / theirs);
    }
  }
  await durable.stop();
  await fastest.stop();
  await platform.stop();
  const how = `${ROUNDS} rounds in turns of ${load.seconds} s, one application, wrk with ${load.connections} connections on the other core; the gateway hands out the same token within one second`;
  return [
    { name: 'Token grants, platform', unit: 'grants/s', value: median(rounds.platform), goal: null, how, rounds },
    {
      name: 'Token grants, oidc-provider, durable',
      unit: 'grants/s',
      value: median(rounds.durable),
      goal: null,
      how,
      rounds: {},
    },
    {
      name: 'Token grants against oidc-provider, durable',
      unit: '×',
      value: median(ratios.durable),
      goal: { atLeast: 3 },
      how: `${how}; oidc-provider with ES256 and its records in SQLite, as the platform runs it for people`,
      rounds: {},
    },
    {
      name: 'Token grants against oidc-provider at its fastest',
      unit: '×',
      value: median(ratios.fastest),
      goal: null,
      how: `${how}; oidc-provider with EdDSA and all in memory`,
      rounds: {},
    },
  ];
}
