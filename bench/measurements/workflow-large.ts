import { monitorEventLoopDelay } from 'node:perf_hooks';
import { pino } from 'pino';
import { postgresOn, sqlite, type TestDatabaseKind } from '@kethub/server/testing/databases';
import { createTestPlatform, type TestPlatform } from '@kethub/server/testing/platform';
import { bpmn } from '@kethub/server/testing/workflows';
import { advance, Advancing, eventRow, insertEvents } from '@kethub/server/running/workflows/advance';
import type { Graphs } from '@kethub/server/running/workflows';
import { acceptedInstance } from '@kethub/server/testing/workflow-instances';
import { readState } from '@kethub/server/running/workflows';
import { parse } from '@kethub/workflow';
import { startPostgres } from '../../script/postgres.ts';
import type { Measurement } from '../lib/measurement.ts';
import { median } from '../lib/statistics.ts';

const SMALL = 100;
const LARGE = 10_000;
const ROUNDS = 7;
const EVENTS = 40;

/**
 * The cost of an event for an instance with many open elements, in processor time of the platform with its database
 * client. A timer ends one of so many sub-processes; each event is advanced and committed by itself. Beside it: for how
 * long the serving thread was blocked while 10,000 sub-processes began, ended and were cancelled.
 */
export async function workflowLarge(): Promise<Measurement[]> {
  const postgres = await startPostgres({ durable: true });
  try {
    const kinds = [sqlite, ...postgresOn(postgres.url)];
    const measured: Measurement[] = [];
    for (const { name, open } of kinds) measured.push(...(await measure(name, open)));
    return measured;
  } finally {
    await postgres.stop();
  }
}

async function measure(name: string, open: TestDatabaseKind['open']): Promise<Measurement[]> {
  const platform = { ...(await createTestPlatform(open)), log: pino({ level: 'silent' }) };
  try {
    const graphs = await loop();
    const costs: Record<'small' | 'large', number[]> = { small: [], large: [] };
    const advancing = new Advancing();
    const large = await opened(platform, graphs, advancing, LARGE);
    for (let round = 0; round < ROUNDS; round++) {
      const small = await opened(platform, graphs, advancing, SMALL + EVENTS);
      costs.small.push(await costOf(platform, graphs, advancing, small));
      costs.large.push(await costOf(platform, graphs, advancing, large));
    }
    const [small, most] = [median(costs.small), median(costs.large)];
    const stops = await longestStops(platform, graphs);
    const how = `${ROUNDS} rounds of ${EVENTS} events each, one transaction an event; sub-processes that wait at a timer`;
    return [
      {
        name: `Workflow event with ${LARGE} open sub-processes over one with ${SMALL}, ${name}`,
        unit: '×',
        value: most / small,
        goal: { atMost: 1.5 },
        how: `${how}; ${Math.round(small)} and ${Math.round(most)} µs of processor time`,
        rounds: costs,
      },
      {
        name: `Longest stand-still of the thread while ${LARGE} sub-processes begin, end or are cancelled, ${name}`,
        unit: 'ms',
        value: Math.max(...Object.values(stops)),
        goal: null,
        how: `begin ${Math.round(stops.begin)} ms, end ${Math.round(stops.end)} ms, cancelled ${Math.round(stops.cancel)} ms`,
        rounds: { stops: Object.values(stops) },
      },
    ];
  } finally {
    await platform.close();
  }
}

/** Microseconds of processor time per event, for EVENTS timers that come due one after the other. */
async function costOf(platform: TestPlatform, graphs: Graphs, advancing: Advancing, id: string): Promise<number> {
  const timers = [...(await stateOf(platform, id)).timers.keys()].slice(0, EVENTS);
  const before = process.cpuUsage();
  for (const timer of timers) {
    await due(platform, id, [timer]);
    await all(platform, graphs, advancing);
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / EVENTS;
}

async function longestStops(platform: TestPlatform, graphs: Graphs) {
  const watched = async (work: () => Promise<void>): Promise<number> => {
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    await work();
    delay.disable();
    return delay.max / 1e6;
  };
  const advancing = new Advancing();
  let id = '';
  const begin = await watched(async () => void (id = await opened(platform, graphs, advancing, LARGE)));
  await due(platform, id, [...(await stateOf(platform, id)).timers.keys()]);
  const end = await watched(() => all(platform, graphs, advancing));
  const { phase } = await stateOf(platform, id);
  if (phase !== 'COMPLETED') throw new Error(`The instance is ${phase}`);
  id = await opened(platform, graphs, advancing, LARGE);
  await platform.database.write((transaction) =>
    insertEvents(transaction, [eventRow(platform, id, { type: 'cancel' })]),
  );
  const cancel = await watched(() => all(platform, graphs, advancing));
  return { begin, end, cancel };
}

/** Rounds of a sub-process with a timer each. */
async function loop(): Promise<Graphs> {
  const { catchEvent, chain, end, file, start, subProcess, timer } = bpmn;
  const inner = [start('is'), catchEvent('t', timer('duration', 'PT1H')), end('ie'), chain('is', 't', 'ie')];
  const each = { over: '=for i in 1..n return i', as: 'i', into: 'list', collect: '=i + 0' };
  const parts = [start('s'), subProcess('sub', inner, { loop: each }), end('e', { sum: '=sum(list)' })];
  const parsed = await parse(file([...parts, chain('s', 'sub', 'e')]));
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
  return { load: () => Promise.resolve(parsed.graph) };
}

/** An instance with so many open sub-processes. */
async function opened(platform: TestPlatform, graphs: Graphs, advancing: Advancing, n: number): Promise<string> {
  const id = await acceptedInstance(platform, `owner of ${n}`, { n });
  await all(platform, graphs, advancing);
  const { size } = (await stateOf(platform, id)).timers;
  if (size !== n) throw new Error(`${size} of ${n} sub-processes are open`);
  return id;
}

async function due(platform: TestPlatform, id: string, timers: readonly number[]): Promise<void> {
  const events = timers.map((timer) => eventRow(platform, id, { type: 'timerDue', timer }));
  await platform.database.write((transaction) => insertEvents(transaction, events));
}

async function all(platform: TestPlatform, graphs: Graphs, advancing: Advancing): Promise<void> {
  while ((await advance(platform, graphs, advancing)).more);
}

async function stateOf(platform: TestPlatform, id: string) {
  const state = await readState(platform.database.read, id);
  if (!state) throw new Error(`${id} has not begun`);
  return state;
}
