import type { Service } from '@kethub/contract';
import { bpmn, calls } from '@kethub/server/testing/workflows';
import { errandOf, type Errand, type Part } from './decisions.ts';
import { timesOf, type End } from './ends.ts';
import { brokenPromise, happenedTo, titleOf, wasLost, type Evidence, type Kind } from './judge.ts';
import type { Order, Promised } from './load.ts';
import { marks } from './service.ts';

const { boundary, catchEvent, chain, end, error, file, service, start, subProcess, timer } = bpmn;

/** Runs the service twice side by side, waits, and runs it once more. Failures are caught and put into the result. */
export function errandWorkflow({ id }: Pick<Service, 'id'>): string {
  const runs = (part: string, came: string) => ({
    in: Object.fromEntries(['mark', 'mode', 'seconds'].map((name) => [name, `=${part}.${name}`])),
    out: { [came]: '=mark' },
    extensions: calls(id),
  });
  const catches = (event: string, host: string, variable: string) =>
    boundary(event, host, error(), { extensions: `<kethub:payload variable="${variable}"/>` });
  const each = [
    start('begin'),
    service('one', runs('part', 'came')),
    catches('one_failed', 'one', 'problem'),
    end('one_done'),
    chain('begin', 'one', 'one_done'),
    chain('one_failed', 'one_done'),
  ];
  return file([
    start('start'),
    subProcess('both', each, {
      in: { came: '=null', problem: '=null' },
      loop: { over: '=both', as: 'part', into: 'outcomes', collect: '={came: came, problem: problem}' },
    }),
    catchEvent('rest', timer('duration', 'PT0.2S')),
    service('last', runs('afterwards', 'came')),
    catches('last_failed', 'last', 'problem'),
    end('end', {
      outcomes: '=append(outcomes, {came: get or else(came, null), problem: get or else(problem, null)})',
    }),
    chain('start', 'both', 'rest', 'last', 'end'),
    chain('last_failed', 'end'),
  ]);
}

export type ErrandOrder = Errand & Order;

export function* errands(seed: number, longestPauseMs: number): Generator<ErrandOrder, void> {
  for (let mark: number = marks.tasks.from; mark + 3 <= marks.tasks.to; mark += 3) {
    const errand = errandOf(seed, mark, longestPauseMs);
    const [first, second, last] = errand.parts;
    yield { ...errand, number: mark, input: { both: [first, second], afterwards: last } };
  }
}

/** False statements about the end of an instance, considering the faults that happened. */
export function judgeErrand(
  { order, ...one }: Promised<ErrandOrder>,
  end: End,
  evidence: Evidence,
  kind: Kind,
): string[] {
  const wrong = (what: string): string[] => [`${one.id} (workflow) is ${end.status}: ${what}`];
  const broken = brokenPromise(one.cancelled, end);
  if (broken !== null) return wrong(broken);
  if (end.status === 'CANCELLED') return [];
  if (end.status !== 'SUCCEEDED') return wrong(JSON.stringify(end.result));
  const outcomes = outcomesOf(end);
  if (outcomes.length !== order.parts.length) return wrong(`its result is ${JSON.stringify(end.result)}`);
  return order.parts.flatMap((part, index) => {
    const what = judgePart(part, outcomes[index], evidence, kind);
    return what === null ? [] : wrong(`of mark ${part.mark} (${part.mode}) ${what}`);
  });
}

interface Outcome {
  /** The mark that the task returned; null when it failed. */
  readonly came: number | null;
  /** The answer of GET result for a task that failed. */
  readonly problem: { readonly response?: unknown } | null;
}

function outcomesOf({ result }: End): readonly Outcome[] {
  const outcomes: unknown = Reflect.get(Object(result), 'outcomes');
  return Array.isArray(outcomes) ? (outcomes as Outcome[]) : [];
}

export const titlesOf = (end: End): string[] =>
  outcomesOf(end).flatMap(({ problem }) => (problem === null ? [] : [titleOf(problem.response)]));

function judgePart({ mark, mode }: Part, outcome: Outcome | undefined, evidence: Evidence, kind: Kind): string | null {
  const often = evidence.opened.get(String(mark)) ?? 0;
  if (outcome?.problem != null) {
    const title = titleOf(outcome.problem.response);
    if (mode === 'raise' && title === kind.raised) return often === 1 ? null : `the task ran ${often} times`;
    const task: unknown = Reflect.get(Object(Reflect.get(Object(outcome.problem.response), '_embedded')), 'status');
    if (Reflect.get(Object(task), 'status') === 'UNKNOWN')
      return wasLost(timesOf(task), evidence.happened, kind) ? null : 'nothing was lost while the task ran';
    return happenedTo(title, evidence.happened, kind) ? null : `the task failed: ${JSON.stringify(outcome.problem)}`;
  }
  if (mode === 'raise') return 'the task must fail';
  if (often !== 1) return `the task ran ${often} times`;
  return outcome?.came === mark ? null : `the result is that of another: ${JSON.stringify(outcome)}`;
}
