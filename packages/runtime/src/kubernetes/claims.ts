import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../errors.ts';
import type { DataPoolMount, Limits } from '../types.ts';
import type { KubernetesSettings } from './settings.ts';
import type { Transfer, Transfers } from './transfers.ts';

const RECORD = 'job.json';
/** In the place of a pod: the execution was given up, and no pod may run it any more. */
const NOBODY = 'nobody';

/** The record from which the next runner goes on with a job. It holds no secrets. */
export interface KeptJob {
  readonly settings: KubernetesSettings;
  readonly job: string;
  readonly limits: Limits;
  readonly startedAt: number;
  readonly tokenHash: string;
  readonly parts: Transfer['parts'];
  readonly pools: readonly DataPoolMount[];
  /** Folders for what the pod leaves in its writable pools, by their index. */
  readonly poolFolders: Readonly<Record<string, string>>;
  /** The uid of the pod that may run the program. */
  readonly pod?: string;
  /** Epoch milliseconds at which we saw it begin. */
  readonly begunAt?: number;
  /** True when the pod has brought everything. */
  readonly done?: boolean;
}

/** Decides which pod may run an execution, once, and takes what it brings. Every decision is on the disk before it counts. */
export class Claims {
  readonly written: string;
  readonly done: Promise<void>;
  readonly #folder: string;
  readonly #done = Promise.withResolvers<void>();
  readonly #close: () => void;
  #kept: KeptJob;

  constructor(folder: string, executionId: string, kept: KeptJob, transfers: Transfers) {
    this.#folder = folder;
    this.#kept = kept;
    this.written = join(folder, 'written');
    this.done = this.#done.promise;
    if (kept.done === true) this.#done.resolve();
    // A program that writes nothing leaves an empty file.
    if (kept.done !== true && kept.pod === undefined) writeFileSync(this.written, '', { mode: 0o600 });
    this.#close = transfers.open(executionId, {
      tokenHash: kept.tokenHash,
      parts: kept.parts,
      input: inputOf(folder),
      output: join(folder, 'output'),
      pools: kept.poolFolders,
      written: this.written,
      limits: kept.limits,
      claim: (pod) => this.#claim(pod),
      done: () => {
        this.#keep({ done: true });
        this.#done.resolve();
      },
    });
  }

  /** The uid of the pod that runs the program; null while there is none. */
  get pod(): string | null {
    const { pod } = this.#kept;
    return pod === undefined || pod === NOBODY ? null : pod;
  }

  get isDone(): boolean {
    return this.#kept.done === true;
  }

  /** Gives the execution up. Returns false when a pod has claimed it before. */
  refuse(): boolean {
    if (this.#kept.pod === undefined) this.#keep({ pod: NOBODY });
    return this.#kept.pod === NOBODY;
  }

  /** Returns when the program began, as we saw it first. */
  begun(): number {
    if (this.#kept.begunAt === undefined) {
      this.#keep({ begunAt: Date.now() });
      rmSync(inputOf(this.#folder), { force: true });
    }
    return this.#kept.begunAt ?? Date.now();
  }

  close(): void {
    this.#close();
  }

  #claim(pod: string): boolean {
    if (this.#kept.pod === undefined) this.#keep({ pod });
    return this.#kept.pod === pod;
  }

  #keep(more: Partial<KeptJob>): void {
    const kept = { ...this.#kept, ...more };
    keepJob(this.#folder, kept);
    this.#kept = kept;
  }
}

/** File with the input of an execution, until its program begins. */
export function inputOf(folder: string): string {
  return join(folder, 'input');
}

export function keepJob(folder: string, kept: KeptJob): void {
  const draft = join(folder, `${RECORD}.tmp`);
  const file = openSync(draft, 'w', 0o600);
  try {
    writeSync(file, JSON.stringify(kept));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(draft, join(folder, RECORD));
}

/** Null when the execution is no job of a cluster. */
export function readJob(folder: string): KeptJob | null {
  try {
    return JSON.parse(readFileSync(join(folder, RECORD), 'utf8')) as KeptJob; // written by keepJob
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}
