import {
  closeSync,
  existsSync,
  fdatasync,
  fsync,
  mkdirSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { errorCode, messageOf } from '../errors.ts';
import type { ExecutionEnd, KnownExecution } from '../types.ts';
import { lostCause } from './outcome.ts';

const sync = promisify(fsync);
const syncData = promisify(fdatasync);
const ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;

export const END = 'end.json';
/** The end while it is written. */
export const END_DRAFT = 'end.json.tmp';
/** The id of the execution and, after a line feed, the note of the platform. */
export const NOTE = 'note';

/** An execution of an earlier runner that has no end. */
export interface LeftExecution {
  readonly executionId: string;
  readonly folder: string;
}

/**
 * The folders of executions. A folder means "may have started"; `end.json` in it means "has ended". Folders are used again:
 * each record names its execution, so that one that outlived a crash of the machine is never another's.
 */
export class Records {
  readonly #dir: string;
  readonly #descriptor: number;

  constructor(dir: string) {
    this.#dir = dir;
    mkdirSync(dir, { recursive: true, mode: 0o711 });
    this.#descriptor = openSync(dir, 'r');
  }

  folder(executionId: string): string {
    if (!ID.test(executionId))
      throw new Error(`${JSON.stringify(executionId.slice(0, 100))} cannot be an execution id.`);
    return join(this.#dir, executionId);
  }

  isKnown(executionId: string): boolean {
    return existsSync(this.folder(executionId));
  }

  /** Makes the folder and returns it. It fails when the folder exists, which guarantees "at most once". */
  claim(executionId: string): string {
    const folder = this.folder(executionId);
    mkdirSync(folder, { mode: 0o711 });
    return folder;
  }

  /**
   * Makes claims survive a crash of the machine; otherwise nothing would show that the code had run. It takes 0.3 ms on
   * the disk of a virtual machine and some milliseconds on slow ones. Claims made at the same time share one flush.
   */
  async flushClaims(): Promise<void> {
    await sync(this.#descriptor);
  }

  /** Writes the end so that it survives a crash of the machine. Only then may it be reported. */
  async recordEnd(end: ExecutionEnd): Promise<void> {
    const folder = this.folder(end.executionId);
    const draft = join(folder, END_DRAFT);
    const file = openSync(draft, 'w', 0o600);
    try {
      writeFileSync(file, JSON.stringify(end));
      await syncData(file);
    } finally {
      closeSync(file);
    }
    renameSync(draft, join(folder, END));
  }

  remove(executionId: string): void {
    rmSync(this.folder(executionId), { recursive: true, force: true });
  }

  list(startedAt: (executionId: string) => number | null): KnownExecution[] {
    const known: KnownExecution[] = [];
    for (const executionId of this.#ids()) {
      const running = startedAt(executionId);
      const end = running === null ? this.end(executionId) : null;
      if (running !== null) known.push({ executionId, state: 'RUNNING', startedAt: running });
      else if (end !== null) known.push({ executionId, state: 'ENDED', end });
    }
    return known;
  }

  /** Null also when it cannot be read: one damaged record must not block the report of all others. */
  end(executionId: string): ExecutionEnd | null {
    try {
      const end = JSON.parse(readFileSync(join(this.folder(executionId), END), 'utf8')) as ExecutionEnd;
      return end.executionId === executionId ? end : null;
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') console.error(`the end of ${executionId} cannot be read: ${messageOf(error)}`);
      return null;
    }
  }

  #ids(): string[] {
    return readdirSync(this.#dir).filter((name) => ID.test(name));
  }

  /** Keeps the platform's note on the disk until the end is reported, also over a restart of the runner. */
  keepNote(executionId: string, note: string): void {
    writeFileSync(join(this.folder(executionId), NOTE), `${executionId}\n${note}`, { mode: 0o600 });
  }

  note(executionId: string): { note?: string } {
    try {
      const kept = readFileSync(join(this.folder(executionId), NOTE), 'utf8');
      const note = kept.startsWith(`${executionId}\n`) ? kept.slice(executionId.length + 1) : '';
      return note === '' ? {} : { note };
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return {};
      throw error;
    }
  }

  /** Executions without an end: lost, or taken over. Called once at the start, when no sandbox of this folder lives. */
  withoutEnd(): LeftExecution[] {
    return this.#ids().flatMap((executionId) => {
      const end = this.end(executionId);
      return end !== null && resultIsComplete(end) ? [] : [{ executionId, folder: this.folder(executionId) }];
    });
  }

  async recordLost(executionId: string): Promise<ExecutionEnd> {
    const folder = this.folder(executionId);
    const log = join(folder, 'log.ndjson');
    const startedAt = Math.floor(begunAt(folder));
    const end: ExecutionEnd = {
      executionId,
      outcome: 'LOST',
      cause: lostCause('The process that ran the program was lost. Whether the program finished cannot be known.'),
      startedAt,
      endedAt: Math.max(startedAt, Date.now()),
      result: null,
      files: [],
      peakMemoryBytes: null,
      cpuMs: null,
      logBytes: existsSync(log) ? statSync(log).size : 0,
      ...this.note(executionId),
    };
    await this.recordEnd(end);
    return end;
  }
}

/**
 * Only `end.json` is flushed to the disk. After a crash of the machine, a result that it names may be missing or short.
 */
function resultIsComplete(end: ExecutionEnd): boolean {
  const apart = end.result !== null && end.result.text === undefined ? [end.result] : [];
  const pools = (end.dataPools ?? []).flatMap(({ files }) => files);
  const parts = [...apart, ...end.files, ...pools];
  return parts.every((part) => existsSync(part.path) && statSync(part.path).size === part.bytes);
}

/** The note is written when the execution begins; the folder may be older. */
function begunAt(folder: string): number {
  const note = statSync(join(folder, NOTE), { throwIfNoEntry: false });
  return (note ?? statSync(folder)).mtimeMs;
}
