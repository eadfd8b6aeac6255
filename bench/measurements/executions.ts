import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { callerOf } from '@kethub/server/testing/gateway';
import { trivial } from '../lib/services.ts';
import { requestsPerSecond } from '../lib/load.ts';
import type { Measurement } from '../lib/measurement.ts';
import { startServer } from '../lib/process.ts';
import { mean, median } from '../lib/statistics.ts';
import type { PlatformReady, Question } from '../servers/platform.ts';

const ROUNDS = 3;
const IDLE_STARTS = 60;

/**
 * Executions accepted per second (each on disk before its 201), and the time from there to its start on an idle
 * platform.
 */
export async function acceptedExecutions(): Promise<Measurement[]> {
  return [await accepted(), await acceptToStart()];
}

async function accepted(): Promise<Measurement> {
  const rounds: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const question: Question = {
      settings: { KETHUB_MAX_CONCURRENT_EXECUTIONS: '1', KETHUB_OWNER_PENDING_EXECUTIONS: '0' },
      services: { Trivial: trivial.files },
    };
    const platform = await startServer<PlatformReady>('servers/platform.ts', question, 0);
    const service = platform.ready.services['Trivial'];
    if (!service) throw new Error('Not deployed');
    const app = await callerOf(service);
    const headers = { authorization: `Bearer ${app.bearer}`, 'content-type': 'application/json' };
    const url = `${service.endpoint}/`.replace('localhost', '127.0.0.1');
    rounds.push(
      await requestsPerSecond({
        url,
        method: 'POST',
        headers,
        body: '{"data": {"n": 1}}',
        connections: 64,
        seconds: 5,
      }),
    );
    await platform.stop();
  }
  return {
    name: 'Executions accepted, durable',
    unit: 'executions/s',
    value: median(rounds),
    goal: null,
    how: `${ROUNDS} rounds of 5 s, 64 connections, SQLite with full synchronization, while one execution at a time runs on the same core`,
    rounds: { accepted: rounds },
  };
}

async function acceptToStart(): Promise<Measurement> {
  const question: Question = { settings: {}, services: { Trivial: trivial.files } };
  const platform = await startServer<PlatformReady>('servers/platform.ts', question, 0);
  const service = platform.ready.services['Trivial'];
  if (!service) throw new Error('Not deployed');
  const app = await callerOf(service);
  for (let start = 0; start < IDLE_STARTS; start++) {
    await app.finish({});
    await pause(100);
  }
  // The interface has seconds; the row has milliseconds.
  const database = new Database(path.join(platform.ready.dataDir, 'kethub.db'), { readonly: true });
  const waits = database.prepare('select started_at - created_at from executions').pluck().all() as number[];
  database.close();
  await platform.stop();
  return {
    name: 'From accept to start, idle, mean',
    unit: 'ms',
    value: mean(waits),
    goal: { atMost: 5 },
    how: `${IDLE_STARTS} executions one after the other with a pause of 100 ms: from the acceptance of the request to the claim by the worker, which hands it to the runtime at once`,
    rounds: { waits },
  };
}
