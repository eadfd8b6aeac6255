import { setTimeout as pause } from 'node:timers/promises';
import type { Exit } from '../sandbox/sandbox.ts';
import type { DataPoolMount, Limits } from '../types.ts';
import type { Run } from './driver.ts';
import type { LineSink } from './log-file.ts';
import { keepWritten, type Written } from './result.ts';
import type { Handover, ServiceSandbox } from './service-sandbox.ts';

/**
 * Milliseconds in which a failed sandbox ends and counts as refused. If it ends later, it is reported as NOT_STARTED.
 */
const REFUSAL_MS = 250;

/** A run of a service in a sandbox of this machine. It ends with the runner. */
export class SandboxRun implements Run {
  readonly ended: Promise<Exit>;
  readonly settled = pause(REFUSAL_MS, null, { ref: false });
  readonly resultIsOptional = false;
  readonly refusal = 'The sandbox could not be made';
  readonly pools: readonly DataPoolMount[];
  readonly #service: ServiceSandbox;
  readonly #job: Handover;
  readonly #folder: string;

  constructor(service: ServiceSandbox, job: Handover, folder: string, pools: readonly DataPoolMount[]) {
    this.pools = pools;
    this.#service = service;
    this.#job = job;
    this.#folder = folder;
    this.ended = service.sandbox.ended;
  }

  get pid(): number {
    return this.#service.sandbox.pid;
  }

  get output(): string {
    return this.#service.output;
  }

  get uid(): number | null {
    return this.#service.uid;
  }

  processes(): readonly number[] {
    return this.#service.sandbox.processes();
  }

  follow(sink: LineSink): void {
    this.#service.lines.deliverTo(sink);
  }

  drop(): void {
    this.#service.lines.drop();
  }

  start(): void {
    this.#service.sandbox.thaw();
    this.#service.handOver(this.#job);
  }

  terminate(): void {
    this.#service.sandbox.terminate();
  }

  kill(): void {
    this.#service.sandbox.kill();
  }

  abandon(): void {
    this.#service.end();
  }

  tookJob(): boolean {
    return this.#service.tookJob();
  }

  async readResult({ resultBytes }: Limits): Promise<Written> {
    this.#service.moveTo(this.#folder);
    return keepWritten(`${this.#folder}/written`, `${this.#folder}/result.json`, resultBytes);
  }

  async release(): Promise<void> {
    // Everything is in the folder of the execution.
  }
}
