import type { Caller } from '@kethub/server/testing/gateway';
import { endsOf, type End } from './ends.ts';
import { Follower, STUCK_MS } from './follow.ts';
import type { Evidence } from './judge.ts';
import { load, type Order, type Promised } from './load.ts';

/** One kind of load: the executions to start, and the rules for their ends. */
export interface Burden<O extends Order> {
  readonly app: Caller;
  readonly orders: Iterable<O>;
  readonly mostOpen: number;
  /** Milliseconds after which an open execution is stuck while nothing breaks. */
  readonly stuckMs?: number;
  /** False statements of the platform, one sentence each. */
  judge(one: Promised<O>, end: End, evidence: Evidence): string[];
  /** The titles of all failures at this end. */
  titlesOf(end: End): readonly string[];
}

/** The outcome. */
export interface Borne {
  readonly ends: readonly End[];
  readonly titles: readonly string[];
  judge(evidence: Evidence): string[];
}

/** Starts and follows executions until it is stopped and all have ended or are stuck. */
export async function bear<O extends Order>(
  { app, orders, mostOpen, stuckMs = STUCK_MS, judge, titlesOf }: Burden<O>,
  isBreaking: () => boolean,
  stop: AbortSignal,
): Promise<Borne> {
  const follower = new Follower(app, isBreaking, stuckMs);
  const { promised, wrong } = await load({ app, orders, mostOpen, follower, stop });
  const stuck = await follower.end();
  const judged = await endsOf(app, promised, follower.ends);
  const ends = judged.map(({ end }) => end);
  return {
    ends,
    titles: ends.flatMap(titlesOf),
    judge: (evidence) => [
      ...wrong,
      ...judged.flatMap(({ one, end }) => judge(one, end, evidence)),
      ...[...stuck].map((id) => `${id} was stuck for ${stuckMs / 1000} s while nothing broke`),
    ],
  };
}
