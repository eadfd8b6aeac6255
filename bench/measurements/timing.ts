import { sqlite } from '@kethub/server/testing/databases';
import { startTestKethub } from '@kethub/server/testing/kethub';
import { createRawToken } from '@kethub/server/foundation/storage';
import type { Measurement } from '../lib/measurement.ts';
import { mannWhitney, median } from '../lib/statistics.ts';

/**
 * Two refusals that must take the same time: for a user, token or access key that exists, and for one that does not.
 */
interface Pair {
  readonly name: string;
  readonly samples: number;
  readonly known: (round: number) => Promise<Response>;
  readonly unknown: (round: number) => Promise<Response>;
  readonly status: number;
}

const PEOPLE = 40;
const WARM_UP = 50;
/** Two-sided p of 0.001. */
const DISTINGUISHABLE = 3.29;

/** Times refusals for existing and for missing ones, in turns, over HTTP, one at a time. */
export async function timing(): Promise<Measurement[]> {
  const platform = await startTestKethub(sqlite, {
    KETHUB_RATE_LIMIT_REQUESTS: '0',
    KETHUB_TRUSTED_PROXIES: '127.0.0.1',
  });
  try {
    const measurements: Measurement[] = [];
    for (const pair of await pairsOf(platform)) measurements.push(...(await measure(pair)));
    return measurements;
  } finally {
    await platform.close();
  }
}

async function pairsOf({ kethub, client, loginSession }: Awaited<ReturnType<typeof startTestKethub>>): Promise<Pair[]> {
  const { addresses } = kethub.platform;
  for (let one = 0; one < PEOPLE; one += 1) {
    const person = { username: `person${one}`, email: `person${one}@example.org`, firstname: 'A', lastname: 'B' };
    await kethub.identity.createUser({ ...person, password: createRawToken('ket_sk_'), status: 'APPROVED' });
  }
  // Each guess comes from a network of its own, so that the limits on guessing are not measured.
  const signIn = (username: string, round: number) =>
    fetch(`${addresses.auth}/token`, {
      method: 'POST',
      headers: { 'x-forwarded-for': `10.${round >> 16}.${(round >> 8) & 255}.${round & 255}` },
      body: new URLSearchParams({ client_id: 'kethub', grant_type: 'password', username, password: 'wrong' }),
    });
  const authorize = (token: string) =>
    fetch(`${addresses.api}/authorize`, { method: 'POST', headers: { 'x-auth-token': token } });
  const created = await fetch(`${addresses.api}/me/access-tokens`, {
    method: 'POST',
    headers: { authorization: `Bearer ${loginSession}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'x', expiresAt: new Date().toISOString().slice(0, 10) }),
  });
  const { id, value } = (await created.json()) as { id: string; value: string };
  await kethub.platform.database.write((transaction) =>
    transaction.updateTable('access_tokens').set({ expires_on: '2020-01-01' }).where('id', '=', id).execute(),
  );
  const application = await client.createApplication({ json: { name: 'timed' } });
  const accessKeyId = application.accessKeys[0]?.accessKeyId ?? '';
  const grant = (key: string) =>
    fetch(application.tokenEndpoint, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${key}:${createRawToken('ket_sk_')}`).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
  const unknownKey = createRawToken('ket_ak_');
  return [
    {
      name: 'Sign-in with a wrong password against one of nobody',
      samples: 500,
      known: (round) => signIn(`person${round % PEOPLE}`, 2 * round),
      unknown: (round) => signIn(`nobody${round % PEOPLE}`, 2 * round + 1),
      status: 400,
    },
    {
      name: 'An access token that has ended against an unknown one',
      samples: 2_000,
      known: () => authorize(value),
      unknown: () => authorize(createRawToken('ket_pat_')),
      status: 401,
    },
    {
      name: 'A wrong secret of an access key against an unknown key',
      samples: 2_000,
      known: () => grant(accessKeyId),
      unknown: () => grant(unknownKey),
      status: 401,
    },
  ];
}

async function measure({ name, samples, known, unknown, status }: Pair): Promise<Measurement[]> {
  const rounds = { known: [] as number[], unknown: [] as number[] };
  for (let round = 0; round < WARM_UP + samples; round += 1) {
    // Either kind comes first equally often.
    const order = round % 2 === 0 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const);
    for (const kind of order) {
      const began = performance.now();
      const response = await (kind === 'known' ? known : unknown)(round);
      await response.arrayBuffer();
      const took = performance.now() - began;
      if (response.status !== status) throw new Error(`${name}: answered ${response.status} instead of ${status}`);
      if (round >= WARM_UP) rounds[kind].push(took);
    }
  }
  const how = `${samples} samples of each in turns, one at a time, over loopback on SQLite; medians ${median(rounds.known).toFixed(3)} and ${median(rounds.unknown).toFixed(3)} ms`;
  const ratio = median(rounds.known) / median(rounds.unknown);
  const z = Math.abs(mannWhitney(rounds.known, rounds.unknown));
  return [
    { name, unit: '×', value: ratio, goal: null, how, rounds: {} },
    { name: `${name}: Mann-Whitney |z|`, unit: '', value: z, goal: { atMost: DISTINGUISHABLE }, how, rounds: {} },
  ];
}
