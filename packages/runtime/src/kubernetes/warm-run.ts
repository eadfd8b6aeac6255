import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../errors.ts';
import type { Run } from '../runner/driver.ts';
import type { LineSink } from '../runner/log-file.ts';
import type { Written } from '../runner/result.ts';
import type { Exit } from '../sandbox/sandbox.ts';
import type { DataPoolMount, Limits } from '../types.ts';
import type { Claims } from './claims.ts';
import type { KubernetesRun } from './kubernetes-run.ts';
import type { Taken } from './warm-pods.ts';

/** Milliseconds for a pod that waited to fetch its input and begin. Its node may be lost, which the cluster notices later. */
const BEGIN_MS = 15_000;

/** A run in a pod that waited for it. If that pod does not begin, it is a run in a pod of its own. */
export class WarmRun implements Run {
  readonly pid = 0;
  readonly uid = null;
  readonly output: string;
  readonly pools: readonly DataPoolMount[];
  readonly ended: Promise<Exit>;
  readonly settled: Promise<void>;
  readonly begins: Promise<number>;
  readonly resultIsOptional: boolean;
  readonly refusal: string;
  readonly #taken: Taken;
  readonly #claims: Claims;
  readonly #ofItsOwn: () => KubernetesRun;
  readonly #end = Promise.withResolvers<Exit>();
  readonly #begins = Promise.withResolvers<number>();
  #sink: LineSink = () => undefined;
  #run: KubernetesRun;
  #begun = false;
  #isUnwanted = false;
  #isAbandoned = false;

  constructor(taken: Taken, claims: Claims, run: KubernetesRun, ofItsOwn: () => KubernetesRun) {
    this.#taken = taken;
    this.#claims = claims;
    this.#run = run;
    this.#ofItsOwn = ofItsOwn;
    this.output = run.output;
    this.pools = run.pools;
    this.resultIsOptional = run.resultIsOptional;
    this.refusal = run.refusal;
    this.settled = run.settled;
    this.ended = this.#end.promise;
    this.begins = this.#begins.promise;
    void run.begins.then(this.#begins.resolve);
    void run.ended.then((exit) => this.#firstEnded(exit));
  }

  processes(): readonly number[] {
    return [];
  }

  follow(sink: LineSink): void {
    this.#sink = sink;
    // Before it begins, only its pod could be at fault, which another one makes up for.
    this.#run.follow((line, from) => {
      if (this.#claims.hasBegun) sink(line, from);
      else console.error(`${this.#taken.job}: ${line.message}`);
    });
  }

  drop(): void {
    this.#run.drop();
  }

  start(): void {
    if (this.#begun) return;
    this.#begun = true;
    const first = this.#run;
    first.start();
    void pause(BEGIN_MS, null, { ref: false }).then(() => {
      if (this.#run === first && !this.#isAbandoned && this.#claims.refuse()) first.kill();
    });
  }

  terminate(): void {
    this.#isUnwanted = true;
    this.#run.terminate();
  }

  kill(): void {
    this.#isUnwanted = true;
    this.#run.kill();
  }

  abandon(): void {
    this.#isAbandoned = true;
    this.#taken.unfollow();
    this.#run.abandon();
  }

  tookJob(): boolean {
    return this.#run.tookJob();
  }

  readResult(limits: Limits): Promise<Written> {
    return this.#run.readResult(limits);
  }

  release(): Promise<void> {
    return this.#run.release();
  }

  #firstEnded(exit: Exit): void {
    this.#taken.unfollow();
    if (exit.commandRan || this.#isUnwanted || this.#isAbandoned) {
      this.#end.resolve(exit);
      return;
    }
    console.error(`${this.#taken.job} did not begin; its execution has a pod of its own`);
    void this.#run.release();
    try {
      this.#run = this.#ofItsOwn();
    } catch (error) {
      console.error(`${this.#taken.job} could not be replaced: ${messageOf(error)}`);
      this.#end.resolve(exit);
      return;
    }
    this.#run.follow(this.#sink);
    void this.#run.begins.then(this.#begins.resolve);
    void this.#run.ended.then(this.#end.resolve);
    this.#run.start();
  }
}
