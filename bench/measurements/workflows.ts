import { pino } from 'pino';
import { postgresOn, sqlite, type TestDatabaseKind } from '@kethub/server/testing/databases';
import { createTestPlatform } from '@kethub/server/testing/platform';
import { startPostgres } from '../../script/postgres.ts';
import { bpmnEngineRate } from '../lib/bpmn-engine.ts';
import { graphOf, runInstances } from '@kethub/server/testing/advanced-instances';
import type { Measurement } from '../lib/measurement.ts';
import { median } from '../lib/statistics.ts';
import { loadZeebe, WARM_UP, zeebe } from '../lib/zeebe.ts';

const INSTANCES = 2_000;
const ROUNDS = 3;

/**
 * Instances per second of a process with five service tasks, each with two input mappings and an output mapping.
 * Measured from acceptance on: advanced in batches, every task handed over as a job and answered, the result written.
 * Durable on both databases. The services answer at once, as their own work is measured elsewhere. Beside it: two other
 * engines.
 */
export async function workflows(): Promise<Measurement[]> {
  const postgres = await startPostgres({ durable: true });
  try {
    const measured: Measurement[] = [];
    const kinds = [sqlite, ...postgresOn(postgres.url)];
    for (const { name, open } of kinds) measured.push(await measure(name, open));
    return [...measured, ...zeebeBeside(), await bpmnEngineBeside()];
  } finally {
    await postgres.stop();
  }
}

async function measure(name: string, open: TestDatabaseKind['open']): Promise<Measurement> {
  const platform = { ...(await createTestPlatform(open)), log: pino({ level: 'silent' }) };
  const rates: number[] = [];
  try {
    const graphs = await graphOf(5);
    await runInstances(platform, graphs, INSTANCES);
    for (let one = 0; one < ROUNDS; one++) {
      const began = performance.now();
      await runInstances(platform, graphs, INSTANCES);
      rates.push((INSTANCES / (performance.now() - began)) * 1000);
      await platform.database.write((transaction) => transaction.deleteFrom('executions').execute());
    }
  } finally {
    await platform.close();
  }
  return {
    name: `Workflow instances of five tasks, ${name}`,
    unit: 'instances/s',
    value: median(rates),
    goal: { atLeast: 700 },
    how: `${ROUNDS} rounds of ${INSTANCES} instances on 2 cores with the database, written with syncs; services that answer at once`,
    rounds: { rates },
  };
}

function zeebeBeside(): Measurement[] {
  const measured = loadZeebe({ tasks: 5, callers: 256, rate: 0, seconds: 20, warmUp: WARM_UP });
  if (!measured) return [];
  const how = `${zeebe}, 256 instances at a time, created with result; jobs over gRPC, which those of the platform's number are not; after ${WARM_UP} s of the same`;
  return [
    {
      name: 'Workflow instances of five tasks, Zeebe',
      unit: 'instances/s',
      value: measured.rate,
      goal: null,
      how,
      rounds: {},
    },
  ];
}

async function bpmnEngineBeside(): Promise<Measurement> {
  const rates: number[] = [];
  for (let one = 0; one < ROUNDS; one++) rates.push(await bpmnEngineRate(5));
  return {
    name: 'Workflow instances of five tasks, bpmn-engine, in memory',
    unit: 'instances/s',
    value: median(rates),
    goal: null,
    how: `${ROUNDS} rounds of 3 s on one core, one instance after the other, its file read once; nothing is kept, no mappings`,
    rounds: { rates },
  };
}
