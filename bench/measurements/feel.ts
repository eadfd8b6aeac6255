import { performance } from 'node:perf_hooks';
import { evaluate } from 'feelin';
import { compile, scopeOf } from '@kethub/feel';
import type { Measurement } from '../lib/measurement.ts';
import { median } from '../lib/statistics.ts';

const ROUNDS = 7;
const ROUND_MS = 500;
const BATCH = 50;
const GOAL = 1_000_000;
const VARIABLES = { x: 4, name: 'abc' };
const EXPRESSIONS = ['x + 1', 'x > 3 and name = "abc"'];

/** Evaluations of an expression that is compiled once, beside feelin, which parses at every call. */
export async function feel(): Promise<Measurement[]> {
  return EXPRESSIONS.flatMap(measure);
}

function measure(expression: string): Measurement[] {
  const compiled = compile(expression);
  const scope = scopeOf(VARIABLES);
  const rounds = { kethub: [] as number[], feelin: [] as number[] };
  for (let round = 0; round < ROUNDS; round += 1) {
    rounds.kethub.push(perSecond(() => compiled.evaluate(scope).value));
    rounds.feelin.push(perSecond(() => evaluate(expression, VARIABLES).value));
  }
  const how = `${ROUNDS} rounds in turns of ${ROUND_MS} ms, in one thread`;
  const unit = 'evaluations/s';
  const name = `FEEL, \`${expression}\``;
  return [
    { name, unit, value: median(rounds.kethub), goal: { atLeast: GOAL }, how, rounds },
    { name: `${name}, feelin`, unit, value: median(rounds.feelin), goal: null, how, rounds: { feelin: rounds.feelin } },
  ];
}

/** Throws if the value differs, so that only real evaluations count. */
function perSecond(evaluation: () => unknown): number {
  const expected = evaluation();
  const started = performance.now();
  let count = 0;
  for (;;) {
    for (let one = 0; one < BATCH; one += 1) {
      if (evaluation() !== expected) throw new Error('The evaluations do not agree');
    }
    count += BATCH;
    const elapsed = performance.now() - started;
    if (elapsed >= ROUND_MS) return (count / elapsed) * 1000;
  }
}
