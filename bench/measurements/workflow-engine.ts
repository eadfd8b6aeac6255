import {
  fromStored,
  parse,
  resultOf,
  start,
  step,
  toStored,
  type ProcessGraph,
  type StoredState,
} from '@kethub/workflow';
import { chain, end, file, service, start as startEvent } from '@kethub/workflow/testing/xml';
import type { Measurement } from '../lib/measurement.ts';
import { median } from '../lib/statistics.ts';

const ROUNDS = 5;
const ROUND_MS = 2000;
const TASKS = ['a', 'b', 'c', 'd', 'e'];

/**
 * The engine alone: instances of five service tasks in sequence, in memory. Their state passes through JSON between
 * steps.
 */
export async function workflowEngine(): Promise<Measurement[]> {
  const graph = await fiveTasks();
  round(graph, ROUND_MS);
  const instances = Array.from({ length: ROUNDS }, () => round(graph, ROUND_MS));
  return [
    {
      name: 'Workflow engine in memory',
      unit: 'instances/s',
      value: median(instances),
      goal: { atLeast: 5000 },
      how: `one core; each instance five service tasks with two input mappings and one output mapping, six steps, the state through JSON.stringify and JSON.parse before each; ${ROUNDS} rounds of ${ROUND_MS / 1000} s`,
      rounds: { instances },
    },
  ];
}

async function fiveTasks(): Promise<ProcessGraph> {
  const tasks = TASKS.map((id) =>
    service(id, { in: { data: '=graph.nodes', 'params.shots': '=n + 1' }, out: { n: '=count' } }),
  );
  const xml = file([startEvent('s'), ...tasks, end('done', { n: '=n' }), chain('s', ...TASKS, 'done')]);
  const result = await parse(xml);
  if ('problems' in result) throw new Error(JSON.stringify(result.problems));
  return result.graph;
}

/** Instances per second. */
function round(graph: ProcessGraph, milliseconds: number): number {
  const began = performance.now();
  let count = 0;
  let took = 0;
  while (took < milliseconds) {
    for (let one = 0; one < 100; one++) run(graph, `${count}.${one}`);
    count += 100;
    took = performance.now() - began;
  }
  return Math.round((count / took) * 1000);
}

function run(graph: ProcessGraph, seed: string): void {
  const env = { now: 0 };
  let { state, effects } = start(graph, { seed, variables: { graph: { nodes: [1, 2, 3] }, n: 0 } }, env);
  for (;;) {
    const [effect] = effects;
    if (effect?.type !== 'startJob') break;
    const event = { type: 'jobSucceeded', job: effect.job, result: { count: 1 } } as const;
    const stored = JSON.parse(JSON.stringify(toStored(state))) as StoredState;
    ({ state, effects } = step(graph, fromStored(stored), event, env));
  }
  if (JSON.stringify(resultOf(state)) !== '{"n":1}') throw new Error('An instance has not ended as it should');
}
