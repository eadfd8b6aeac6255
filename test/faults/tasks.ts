import { wishOf, type Wish } from './decisions.ts';
import type { Order } from './load.ts';
import { marks, PADDING } from './service.ts';

export type Task = Wish & Order;

/** Calls of the service, of all kinds. */
export function* tasks(seed: number, longestPauseMs: number): Generator<Task, void> {
  for (let mark: number = marks.executions.from; mark < marks.executions.to; mark++) {
    const wish = wishOf(seed, mark, longestPauseMs);
    const { mode, seconds } = wish;
    yield { ...wish, number: mark, input: { seconds, mark, mode, ...(mode === 'large' && { padding: PADDING }) } };
  }
}
