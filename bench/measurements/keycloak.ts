import { setTimeout as pause } from 'node:timers/promises';
import { createTestRealm, type TestRealm } from '@kethub/server/testing/keycloak';
import { fetchKeycloak, javaTool, startKeycloak } from '../../script/keycloak.ts';
import { ensureTools } from '../../script/system-tools.ts';
import { Stopwatch } from '../lib/latency.ts';
import type { Measurement } from '../lib/measurement.ts';
import { startServer } from '../lib/process.ts';
import { median, percentile } from '../lib/statistics.ts';
import type { PlatformReady, Question } from '../servers/platform.ts';

const PEOPLE = 2_000;
/** People added by one call of Keycloak's admin interface. */
const ADDED_AT_ONCE = 500;
const IDS = 200;
const ROUNDS = 3;
const BATCHES = 100;
/** Milliseconds for the platform to copy the realm. Beyond them the measurement fails. */
const COPY_MS = 300_000;

/** `POST /users/batch` over HTTP where a real Keycloak, on the other core, knows the people. */
export async function keycloak(): Promise<Measurement[]> {
  const say = (line: string): void => void process.stderr.write(`  ${line}\n`);
  ensureTools([javaTool], say);
  const server = await startKeycloak(await fetchKeycloak(say));
  try {
    const realm = await createTestRealm(server.url);
    const ids = await addPeople(realm);
    const settings = { ...realm.settings, KETHUB_RATE_LIMIT_LOOKUPS: '1000000' };
    const platform = await startServer<PlatformReady>(
      'servers/platform.ts',
      { settings, services: {} } satisfies Question,
      0,
    );
    try {
      await copied(platform.ready.api, ids);
      return latency(await batches(platform.ready.api, ids));
    } finally {
      await platform.stop();
    }
  } finally {
    await server.stop();
  }
}

/** Adds approved people; returns their ids. */
async function addPeople(realm: TestRealm): Promise<string[]> {
  for (let first = 0; first < PEOPLE; first += ADDED_AT_ONCE) {
    const users = Array.from({ length: ADDED_AT_ONCE }, (_, index) => ({
      username: `person-${first + index}`,
      email: `person-${first + index}@example.org`,
      emailVerified: true,
      firstName: 'Ada',
      lastName: `Lovelace ${first + index}`,
      enabled: true,
      attributes: { registrationStatus: ['APPROVED'] },
    }));
    await realm.admin('POST', '/partialImport', { users, ifResourceExists: 'FAIL' });
  }
  const people = (await realm.admin('GET', `/users?search=person-&max=${PEOPLE}&briefRepresentation=true`)) as {
    id: string;
  }[];
  if (people.length !== PEOPLE) throw new Error(`The realm has ${people.length} people, not ${PEOPLE}`);
  return people.map(({ id }) => id);
}

/** Waits until the platform has copied everybody. */
async function copied(api: string, ids: readonly string[]): Promise<void> {
  const until = Date.now() + COPY_MS;
  for (let first = 0; first < ids.length;) {
    const answer = await fetch(`${api}/users/batch`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ids: ids.slice(first, first + IDS) }),
    });
    const text = await answer.text();
    const { notFound } = (answer.ok ? JSON.parse(text) : { notFound: 'unknown' }) as { notFound: string };
    if (notFound === '') first += IDS;
    else if (Date.now() > until)
      throw new Error(`After ${COPY_MS} ms the platform answers ${answer.status}: ${text.slice(0, 500)}`);
    else await pause(1_000);
  }
}

async function batches(api: string, ids: readonly string[]): Promise<number[][]> {
  const watch = new Stopwatch(api);
  const headers = { 'content-type': 'application/json' };
  const times: number[][] = [];
  let at = 0;
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const ofRound: number[] = [];
      for (let count = 0; count < BATCHES; count++) {
        // Far from each other, and different ones each time.
        const some = Array.from({ length: IDS }, () => ids[(at += 7_919) % ids.length]);
        ofRound.push(
          await watch.time({ method: 'POST', path: '/users/batch', headers, body: JSON.stringify({ ids: some }) }),
        );
      }
      times.push(ofRound);
    }
  } finally {
    watch.close();
  }
  return times;
}

function latency(times: readonly number[][]): Measurement[] {
  const how = `over HTTP, ${IDS} ids of ${PEOPLE.toLocaleString('en-US')} people in a real Keycloak on the same machine, which the platform copies meanwhile; one request after the other, ${BATCHES} in a round, median of ${ROUNDS} rounds`;
  return [0.5, 0.99].map((share) => {
    const of = `p${share * 100}`;
    const rounds = times.map((round) => percentile(round, share));
    const goal = share === 0.99 ? { atMost: 300 } : null;
    const name = `Batch of ${IDS} users with a Keycloak, ${of}`;
    return { name, unit: 'ms', value: median(rounds), goal, how, rounds: { [of]: rounds } };
  });
}
