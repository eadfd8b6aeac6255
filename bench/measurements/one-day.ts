import { KethubProcess } from '@kethub/server/testing/child-process';
import { callerAt, callerOf, heardEverywhere } from '@kethub/server/testing/gateway';
import { freePort } from '../../script/free-port.ts';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { expireResults } from '@kethub/server/running/executions';
import { startLargeInstallation, type LargeInstallation } from '../lib/large-installation.ts';
import { fillExecutions, fillSettings } from '../lib/many-executions.ts';
import type { Measurement } from '../lib/measurement.ts';
import { answersPerSecond, latenciesAtRate } from '../lib/open-load.ts';
import { median, percentile } from '../lib/statistics.ts';

const WORKERS = 20;
const SECONDS = Number(process.env['SECONDS'] ?? 60);
/** Requests a second at their times, whatever becomes of earlier ones: two million a day. */
const RATE = 24;
const STEADY_SECONDS = Number(process.env['STEADY_SECONDS'] ?? 180);
/** Executions in the tables before: a million of the last day, and those of the day before, which are deleted meanwhile. */
const FILLED = Number(process.env['EXECUTIONS'] ?? 2_000_000);
const LOOK_MS = 1_000;
/** Executions that may wait at a time: those of two seconds. */
const MOST_WAITING = 2 * RATE;
const CALLERS = 200;
const GATEWAYS = 10;
const DAY_S = 86_400;
const MINUTE_S = 60;
/** Executions a day of the quota that all gateways keep together, and the starts that are tried. */
const QUOTA = 100;
const TRIED = 400;

/**
 * Executions accepted, claimed, finished and answered through ten gateways: at a steady rate, then as many as go
 * through. The workers run no user code.
 */
export async function oneDay(): Promise<Measurement[]> {
  const installation = await startLargeInstallation({ KETHUB_EXECUTION_KEEP_DAYS: '1' }, fillSettings);
  const gateways: KethubProcess[] = [];
  try {
    const { kethub, service, databaseUrl } = installation;
    await fillExecutions(kethub.platform.database, databaseUrl, FILLED, 2 * DAY_S * 1_000);
    const origins = await startGateways(installation, gateways);
    await installation.workers(WORKERS, 1, { atOnce: 16, runMs: 0 });
    const { bearer } = await callerOf(service);
    const at = (origin: string): string => service.endpoint.replace(kethub.platform.addresses.gateway, origin);
    const steady = await atSteadyRate(installation, origins.map(at), bearer);
    const rates = await Promise.all(
      origins.map((origin) =>
        answersPerSecond(
          { url: `${at(origin)}/`, bearer, seconds: SECONDS, body: () => '{"data": {"n": 1}}' },
          CALLERS / GATEWAYS,
        ),
      ),
    );
    const perSecond = rates.reduce((sum, one) => sum + one, 0);
    const left = await unfinished(installation);
    const accepted = await withinQuota(installation, origins.map(at), bearer);
    if (accepted < QUOTA) throw new Error(`Ten gateways accepted ${accepted} of ${QUOTA} starts`);
    const served = await afterItsEnd(installation, origins.map(at), bearer);
    const on = `${GATEWAYS} gateways in processes of their own, callers that wait for the end (Prefer: wait), ${WORKERS} simulated workers with 16 slots, one machine for all of them and PostgreSQL with full synchronization`;
    const how = `${on}; ${CALLERS} callers for ${SECONDS} s`;
    const atRate = `${on}; ${RATE} requests a second at their times for ${STEADY_SECONDS} s; ${FILLED.toLocaleString('en')} executions of two days in the tables, of which retention deletes the older half meanwhile`;
    const row = (
      name: string,
      unit: string,
      value: number,
      goal: Measurement['goal'],
      of: Partial<Measurement> = {},
    ): Measurement => ({ name, unit, value, goal, how, rounds: {}, ...of });
    const day = (
      what: string,
      unit: string,
      value: number,
      goal: Measurement['goal'],
      rounds: Measurement['rounds'] = {},
    ): Measurement =>
      row(`Ten gateways with ${RATE} executions a second: ${what}`, unit, value, goal, { how: atRate, rounds });
    const { first, last, waiting, deleted } = steady;
    return [
      day('most that wait at a time', 'executions', Math.max(...waiting), { atMost: MOST_WAITING }, { waiting }),
      day('from the request to the end, median of the first minute', 'ms', median(first), null, { first }),
      day(
        'from the request to the end, median of the last minute',
        'ms',
        median(last),
        { atMost: Math.round(1.2 * median(first)) },
        { last },
      ),
      day('from the request to the end, p99 of the first minute', 'ms', percentile(first, 0.99), null),
      day('from the request to the end, p99 of the last minute', 'ms', percentile(last, 0.99), { atMost: 2_000 }),
      day('old executions deleted meanwhile', 'executions/s', deleted / STEADY_SECONDS, { atLeast: RATE }),
      row('Executions through ten gateways, accepted to answered', 'executions/s', perSecond, null),
      row('The same in a day', 'executions', perSecond * DAY_S, { atLeast: 2_000_000 }),
      row('The same: executions that did not end', 'executions', left, { atMost: 0 }),
      row(`Starts that ten gateways accept beyond a quota of ${QUOTA}`, 'executions', accepted - QUOTA, { atMost: 0 }),
      row('Gateways of ten that serve a subscription one second after its end', 'gateways', served, { atMost: 0 }),
    ];
  } finally {
    await Promise.all(gateways.map((one) => one.end()));
    await installation.close();
  }
}

async function startGateways({ kethub }: LargeInstallation, started: KethubProcess[]): Promise<string[]> {
  const { settings, platform } = kethub;
  const origins = [kethub.at(platform.addresses.gateway), kethub.at(platform.addresses.gateway)];
  while (origins.length < GATEWAYS) {
    const port = await freePort();
    const folder = path.join(platform.configuration.dataDir, `gateway-${origins.length + 1}`);
    const own = { KETHUB_ROLES: 'gateway', KETHUB_GATEWAY_PORT: String(port), KETHUB_DATA_DIR: folder };
    const one = new KethubProcess({ ...settings, ...own }, port);
    started.push(one);
    origins.push(`http://127.0.0.1:${port}`);
    // One after the other: starts cost a processor each.
    await one.ready();
  }
  return origins;
}

/**
 * The times of requests in the first and the last minute, how many executions waited, second by second, and how many
 * retention deleted.
 */
async function atSteadyRate({ kethub }: LargeInstallation, endpoints: readonly string[], bearer: string) {
  const deletedBefore = await deletedOf(kethub);
  const stopRetention = expireResults(kethub.platform);
  const waiting: number[] = [];
  const looking = setInterval(() => {
    void sql<{ waiting: string | number }>`select count(*) as waiting from executions where status = 'PENDING'`
      .execute(kethub.platform.database.read)
      .then(({ rows }) => waiting.push(Number(rows[0]?.waiting)));
  }, LOOK_MS);
  const load = {
    bearer,
    seconds: STEADY_SECONDS,
    perSecond: RATE / endpoints.length,
    body: () => '{"data": {"n": 1}}',
  };
  const took = await Promise.all(
    endpoints.map(async (endpoint, number) => {
      // In turns, not all at the same moment.
      await pause((number * 1_000) / RATE);
      return latenciesAtRate({ ...load, url: `${endpoint}/` });
    }),
  ).finally(() => clearInterval(looking));
  const deleted = (await deletedOf(kethub)) - deletedBefore;
  await stopRetention();
  const minute = MINUTE_S * load.perSecond;
  return {
    first: took.flatMap((of) => of.slice(0, minute)),
    last: took.flatMap((of) => of.slice(-minute)),
    waiting,
    deleted,
  };
}

async function deletedOf({ platform }: LargeInstallation['kethub']): Promise<number> {
  const { rows } = await sql<{ deleted: string | number }>`select n_tup_del as deleted from pg_stat_user_tables
    where relname = 'executions'`.execute(platform.database.read);
  return Number(rows[0]?.deleted);
}

async function unfinished({ kethub }: LargeInstallation): Promise<number> {
  const { rows } = await sql<{ left: string | number }>`select count(*) as left from executions
    where status in ('PENDING', 'RUNNING')`.execute(kethub.platform.database.read);
  return Number(rows[0]?.left);
}

async function withinQuota({ kethub, service }: LargeInstallation, endpoints: readonly string[], bearer: string) {
  await kethub.client.setServiceLimits({
    serviceId: service.service.id,
    json: { executionsPerDay: QUOTA, executionsPerMonth: null, requestsPerMinute: null },
  });
  await heardEverywhere();
  const statuses = await Promise.all(
    Array.from({ length: TRIED }, (_value, number) => {
      const caller = callerAt(endpoints[number % endpoints.length] ?? '', bearer);
      return caller.request('POST', '/', { body: '{}' });
    }),
  );
  return statuses.filter(({ status }) => status === 201).length;
}

async function afterItsEnd({ kethub, service }: LargeInstallation, endpoints: readonly string[], bearer: string) {
  const { subscription, application } = service;
  const serving = async (): Promise<number> => {
    const answers = await Promise.all(endpoints.map((endpoint) => callerAt(endpoint, bearer).request('GET', '/')));
    return answers.filter(({ status }) => status === 200).length;
  };
  const before = await serving();
  if (before < endpoints.length)
    throw new Error(`Only ${before} of ${endpoints.length} gateways served before the end`);
  await kethub.client.unsubscribe({ applicationId: application.id, subscriptionId: subscription.id });
  await heardEverywhere();
  return serving();
}
