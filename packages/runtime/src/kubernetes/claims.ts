import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../errors.ts';
import { elapsedSince, momentNow, type Tick } from '../runner/moment.ts';
import type { DataPoolMount, Limits } from '../types.ts';
import type { Handover } from './handover.ts';
import type { KubernetesSettings } from './settings.ts';
import { keepRecord, readRecord } from '../transfers/record.ts';
import { nameOf, takeFile, type Reply, type Transfer, type Transfers } from '../transfers/transfers.ts';

const RECORD = 'job.json';
/** Entries that a pod may send beyond its limit of files. The log names them. */
const MOST_ENTRIES_MORE = 10_000;
/** Factor over the limit of bytes that is taken, so that the verdict can name what was too much. */
const TOLERANCE = 4;
/** Bytes of what the Python side writes beside the result. */
const WRITTEN_MORE = 1_000_000;
/** Milliseconds until the disk is asked again to take a decision. */
const AGAIN_MS = 1_000;
/** In the place of a pod: the execution was given up, and no pod may run it any more. */
const NOBODY = 'nobody';

/** The record from which the next runner goes on with a job. It holds no secrets. */
export interface KeptJob {
  readonly settings: KubernetesSettings;
  readonly job: string;
  /** The id and the place of the data folder from which it was made. A record of an older version names neither. */
  readonly installation?: string;
  readonly place?: string;
  readonly limits: Limits;
  readonly startedAt: number;
  readonly startTick?: Tick;
  readonly tokenHash: string;
  readonly parts: Transfer['parts'];
  readonly pools: readonly DataPoolMount[];
  /** Folders for what the pod leaves in its writable pools, by their index. */
  readonly poolFolders: Readonly<Record<string, string>>;
  /** Name of its pod in requests, when it is not the id of the execution: the pod waited for one. */
  readonly reservation?: string;
  /** The uid of the pod that may run the program. */
  readonly pod?: string;
  /** True if its pod asks before the program begins. One of an older version does not, so its claim is the beginning. */
  readonly asks?: boolean;
  /** True if its pod marks the end of its log. One of an older version does not. */
  readonly marksEnd?: boolean;
  /** Epoch milliseconds at which its pod asked to begin. Without them no code of the service has run. */
  readonly begunAt?: number;
  readonly beginTick?: Tick;
  /** True if its result is the file `output.json` of its output. */
  readonly leavesFile?: boolean;
  /** True when the pod has brought everything. */
  readonly done?: boolean;
}

/** Decides which pod may run an execution, once, and takes what it brings. Every decision is on the disk before it counts. */
export class Claims {
  readonly written: string;
  readonly done: Promise<void>;
  /** Resolves when the program has begun, with the milliseconds since then. */
  readonly begins: Promise<number>;
  /** Resolves when it is on the disk that the execution was given up. Only then may its end be reported. */
  readonly givenUp: Promise<void>;
  readonly #folder: string;
  readonly #done = Promise.withResolvers<void>();
  readonly #begins = Promise.withResolvers<number>();
  readonly #givenUp = Promise.withResolvers<void>();
  readonly #close: () => void;
  readonly #taken = { bytes: 0, entries: 0 };
  readonly #handover: Handover | null;
  #kept: KeptJob;

  /** @param handover of a pod that waited; null for any other, and for one that an earlier runner has taken. */
  constructor(
    folder: string,
    executionId: string,
    kept: KeptJob,
    transfers: Transfers,
    handover: Handover | null = null,
  ) {
    this.#folder = folder;
    this.#kept = kept;
    this.#handover = handover;
    this.written = join(folder, 'written');
    this.done = this.#done.promise;
    this.begins = this.#begins.promise;
    this.givenUp = this.#givenUp.promise;
    if (kept.pod !== undefined && kept.pod !== NOBODY && kept.asks !== true) this.#begin();
    if (kept.begunAt !== undefined) this.#begins.resolve(elapsedSince({ at: kept.begunAt, tick: kept.beginTick }));
    if (kept.done === true) this.#done.resolve();
    if (kept.pod === NOBODY) this.#givenUp.resolve();
    // A program that writes nothing leaves an empty file.
    const isNew = kept.pod === undefined || (kept.reservation !== undefined && kept.begunAt === undefined);
    if (kept.done !== true && isNew) writeFileSync(this.written, '', { mode: 0o600 });
    this.#close = transfers.open(kept.reservation ?? executionId, {
      tokenHash: kept.tokenHash,
      parts: kept.parts,
      input: inputOf(folder),
      claim: (pod) => this.#claim(pod),
      receive: (what, segments, query, request) => this.#receive(what, segments, query, request),
    });
  }

  /** The uid of the pod that runs the program; null while there is none. */
  get pod(): string | null {
    const { pod } = this.#kept;
    return pod === undefined || pod === NOBODY ? null : pod;
  }

  get hasBegun(): boolean {
    return this.#kept.begunAt !== undefined;
  }

  get isDone(): boolean {
    return this.#kept.done === true;
  }

  /** Gives the execution up: no pod is let in any more. Returns false when its program has begun before. */
  refuse(): boolean {
    if (this.#kept.begunAt === undefined && this.#kept.pod !== NOBODY) {
      this.#kept = { ...this.#kept, pod: NOBODY };
      void this.#keepRefusal();
    }
    return this.#kept.pod === NOBODY;
  }

  /** Tries for as long as the disk is full: the next runner would let a pod in. */
  async #keepRefusal(): Promise<void> {
    for (;;) {
      try {
        keepJob(this.#folder, this.#kept);
        this.#givenUp.resolve();
        return;
      } catch (error) {
        console.error(`it could not be kept yet that ${this.#kept.job} was given up: ${messageOf(error)}`);
        await pause(AGAIN_MS, null, { ref: false });
      }
    }
  }

  close(): void {
    this.#close();
  }

  #begin(): void {
    if (this.#kept.begunAt !== undefined) return;
    const { at: begunAt, tick: beginTick } = momentNow();
    this.#keep({ begunAt, beginTick });
    this.#handover?.forget();
    // A pod that does not ask fetches its input after its claim.
    if (this.#kept.asks === true) rmSync(inputOf(this.#folder), { force: true });
    this.#begins.resolve(0);
  }

  #claim(pod: string): boolean {
    if (this.#kept.pod === undefined) {
      this.#keep({ pod });
      if (this.#kept.asks !== true) this.#begin();
    }
    return this.#kept.pod === pod;
  }

  async #receive(what: string, segments: readonly string[], query: string, request: IncomingMessage): Promise<Reply> {
    if (request.method === 'POST' && what === 'begin') {
      this.#begin();
      return [200, {}];
    }
    if (request.method === 'POST' && what === 'wait' && this.#handover !== null && !this.hasBegun)
      return this.#handover.ask(request);
    if (request.method === 'POST' && what === 'done') {
      this.#keep({ done: true });
      this.#done.resolve();
      return [200, {}];
    }
    if (request.method !== 'PUT') return [404, 'There is nothing.'];
    const { limits, poolFolders } = this.#kept;
    if (what === 'written') return takeFile(request, this.written, limits.resultBytes + WRITTEN_MORE);
    const output = what === 'output' ? join(this.#folder, 'output') : undefined;
    const folder = what === 'pools' ? poolFolders[segments[0] ?? ''] : output;
    const name = nameOf(segments.at(-1) ?? '');
    if (folder === undefined || name === null) return [404, 'There is no such place.'];
    const taken = this.#taken;
    taken.entries += 1;
    if (taken.entries > limits.outputFiles * 2 + MOST_ENTRIES_MORE) return [413, 'These are too many files.'];
    const target = join(folder, name);
    if (query === 'kind=link' || query === 'kind=folder') {
      // An entry of the same kind stands for it, which the platform refuses in the usual words.
      rmSync(target, { recursive: true, force: true });
      if (query === 'kind=link') symlinkSync('/', target);
      else mkdirSync(target);
      return [200, {}];
    }
    const reply = await takeFile(request, target, limits.outputBytes * TOLERANCE - taken.bytes);
    if (reply[0] < 300) taken.bytes += Number(request.headers['content-length']);
    return reply;
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
  keepRecord(join(folder, RECORD), kept);
}

/** Null when the execution is no job of a cluster. */
export function readJob(folder: string): KeptJob | null {
  return readRecord<KeptJob>(join(folder, RECORD));
}
