import { pino } from 'pino';
import { collectGarbage } from '@kethub/server/testing/garbage';
import { sqlite } from '@kethub/server/testing/databases';
import { createTestPlatform } from '@kethub/server/testing/platform';
import { graphOf, runInstances } from '@kethub/server/testing/advanced-instances';
import type { Measurement } from '../lib/measurement.ts';
import { memoryMb } from '../lib/process.ts';

const WARM_UP = 20_000;
const INSTANCES = 100_000;
const STEP = 10_000;

/**
 * Memory after many instances have run in one process, against that after the first one: nothing of them may remain.
 */
export async function workflowMemory(): Promise<Measurement[]> {
  const platform = { ...(await createTestPlatform(sqlite.open)), log: pino({ level: 'silent' }) };
  const heap: number[] = [];
  const all: number[] = [];
  try {
    const graphs = await graphOf(1);
    for (let ended = 0; ended <= INSTANCES; ended += STEP) {
      if (ended >= WARM_UP) {
        collectGarbage();
        heap.push(process.memoryUsage().heapUsed / 2 ** 20);
        all.push(memoryMb(process.pid));
      }
      if (ended < INSTANCES) await runInstances(platform, graphs, STEP);
    }
  } finally {
    await platform.close();
  }
  const how = `instances of one task on SQLite in one process, after ${INSTANCES} of them against after ${WARM_UP}, after a collection of garbage`;
  const growth = (values: readonly number[]): number => (values.at(-1) ?? 0) / (values[0] ?? 1);
  return [
    {
      name: 'Heap after 100,000 workflow instances',
      unit: '×',
      value: growth(heap),
      goal: { atMost: 1.1 },
      how,
      rounds: { heap },
    },
    {
      name: 'Memory after 100,000 workflow instances',
      unit: '×',
      value: growth(all),
      goal: { atMost: 1.1 },
      how,
      rounds: { all },
    },
  ];
}
