import { once } from 'node:events';
import { appendFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { EventEmitter } from 'node:events';
import path from 'node:path';
import { limits, type BuildProblem, type LogEntry } from '@kethub/contract';
import { keepLog, keptLogSource, type LogSource } from '../logs/index.ts';
import type { Platform } from '../platform.ts';
import type { Database } from '../storage/index.ts';
import type { BuiltCode, Builder } from './builder.ts';
import { buildsToDo, findBuild } from './queries.ts';

const PENDING = 'build-pending';
const CHANGED = 'build-changed';
const POLL_MS = 2_000;

/** Wakes the build workers of every process. */
export function buildPending(database: Database): void {
  database.notify(PENDING, '');
}

/** Resolves when the build may have changed, at the latest after `milliseconds` or a second. */
export async function onBuildChanged(database: Database, id: string, milliseconds: number): Promise<void> {
  const changes = new EventEmitter();
  const stop = database.listen(CHANGED, (changed) => void (changed === id && changes.emit('changed')));
  const limit = AbortSignal.timeout(Math.min(milliseconds, 1_000));
  try {
    await once(changes, 'changed', { signal: limit }).catch((error: unknown) => {
      if (!limit.aborted) throw error;
    });
  } finally {
    stop();
  }
}

function logFile(platform: Platform, id: string): string {
  return path.join(platform.configuration.dataDir, 'builds', `${id}.ndjson`);
}

/** The log of a build: from its file while it runs, from its row or blob afterwards. */
export function buildLog(platform: Platform, id: string): LogSource {
  const kept = async () => {
    const row = await findBuild(platform.database.read, id);
    return row && (row.log !== null || row.log_blob !== null) ? row : null;
  };
  return {
    async read(fromByte) {
      const row = await kept();
      if (row) return keptLogSource(platform.blobs, row).read(fromByte);
      const bytes = await tail(logFile(platform, id), fromByte);
      return { bytes, nextByte: fromByte + bytes.length };
    },
    isComplete: async () => (await kept()) !== null,
    changed: () => onBuildChanged(platform.database, id, 1_000),
  };
}

async function tail(file: string, fromByte: number): Promise<Buffer> {
  if (!existsSync(file)) return Buffer.alloc(0);
  const handle = await open(file, 'r');
  try {
    const { size } = await handle.stat();
    const bytes = Buffer.alloc(Math.max(0, size - fromByte));
    await handle.read(bytes, 0, bytes.length, fromByte);
    return bytes.subarray(0, bytes.lastIndexOf(10) + 1);
  } finally {
    await handle.close();
  }
}

/**
 * Builds what was uploaded, one after the other. A build changes nothing but its own outcome and is keyed by content, so
 * one that a restart cut off is simply done again.
 */
export class BuildWorker {
  readonly #platform: Platform;
  readonly #builder: Builder;
  readonly #stopped = new AbortController();
  #working: Promise<void> | null = null;
  #again = false;
  #unlisten: (() => void) | null = null;
  #poll: NodeJS.Timeout | null = null;

  constructor(platform: Platform, builder: Builder) {
    this.#platform = platform;
    this.#builder = builder;
    mkdirSync(path.join(platform.configuration.dataDir, 'builds'), { recursive: true, mode: 0o700 });
  }

  start(): void {
    this.#unlisten = this.#platform.database.listen(PENDING, () => this.#wake());
    this.#poll = setInterval(() => this.#wake(), POLL_MS);
    this.#wake();
  }

  /** Ends the build that runs; it is done again after the next start. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#unlisten?.();
    if (this.#poll) clearInterval(this.#poll);
    await this.#working;
  }

  #wake(): void {
    if (this.#stopped.signal.aborted) return;
    this.#again = true;
    this.#working ??= this.#work().finally(() => {
      this.#working = null;
    });
  }

  async #work(): Promise<void> {
    while (this.#again && !this.#stopped.signal.aborted) {
      this.#again = false;
      try {
        for (const { id } of await buildsToDo(this.#platform.database)) {
          if (this.#stopped.signal.aborted) return;
          await this.#build(id);
        }
      } catch (error) {
        this.#platform.log.error({ err: error }, 'builds could not be worked on');
      }
    }
  }

  async #build(id: string): Promise<void> {
    const { database, blobs, log } = this.#platform;
    const version = await database.read
      .selectFrom('service_versions')
      .select(['id', 'source_blob', 'source_digest'])
      .where('build_id', '=', id)
      .executeTakeFirst();
    if (!version) return this.#drop(id);
    await database.write((transaction) =>
      transaction
        .updateTable('builds')
        .set({ status: 'RUNNING', started_at: this.#platform.now() })
        .where('id', '=', id)
        .execute(),
    );
    database.notify(CHANGED, id);
    const writer = new BuildLogWriter(logFile(this.#platform, id), () => database.notify(CHANGED, id));
    try {
      const { stream } = await blobs.get(version.source_blob);
      const outcome = await this.#builder.build(
        stream,
        version.source_digest,
        (entry) => writer.add(entry),
        this.#stopped.signal,
      );
      if (this.#stopped.signal.aborted) return;
      await this.#end(id, version.id, outcome.ok ? outcome.built : null, outcome.ok ? null : outcome.problem);
    } catch (error) {
      if (this.#stopped.signal.aborted) return;
      log.error({ build: id, err: error }, 'a build failed for a reason of the platform');
      const detail =
        'The platform could not do the build. The operator finds the cause in the log. Upload the source again to retry.';
      await this.#end(id, version.id, null, { code: 'internal-error', title: 'Build could not be done', detail });
    }
  }

  /** Its version has another source by now, or is gone. */
  async #drop(id: string): Promise<void> {
    await this.#platform.database.write((transaction) =>
      transaction.deleteFrom('builds').where('id', '=', id).execute(),
    );
    rmSync(logFile(this.#platform, id), { force: true });
  }

  async #end(id: string, versionId: string, built: BuiltCode | null, problem: BuildProblem | null): Promise<void> {
    const file = logFile(this.#platform, id);
    if (problem)
      new BuildLogWriter(file, () => undefined, true).add(
        entry('ERROR', `${problem.title}: ${problem.detail}`, this.#platform.now()),
      );
    const log = await keepLog(this.#platform.blobs, existsSync(file) ? await readFile(file) : Buffer.alloc(0));
    await this.#platform.database.write(async (transaction) => {
      const status = built ? 'SUCCEEDED' : 'FAILED';
      await transaction
        .updateTable('builds')
        .set({ ...log, status, ended_at: this.#platform.now(), problem: problem && JSON.stringify(problem) })
        .where('id', '=', id)
        .execute();
      if (!built) return;
      const { parameters, ...code } = built;
      await transaction
        .updateTable('service_versions')
        .set({ code: JSON.stringify(code), parameters: JSON.stringify(parameters) })
        .where('id', '=', versionId)
        .where('build_id', '=', id)
        .execute();
    });
    rmSync(file, { force: true });
    this.#platform.database.notify(CHANGED, id);
  }
}

function entry(severity: LogEntry['severity'], message: string, now: number): LogEntry {
  return { timestamp: new Date(now).toISOString(), severity, message };
}

/** Appends entries to the file of a build's log, up to the limit. A new writer starts the log anew unless told to go on. */
class BuildLogWriter {
  readonly #file: string;
  readonly #changed: () => void;
  #bytes = 0;

  constructor(file: string, changed: () => void, goOn = false) {
    this.#file = file;
    this.#changed = changed;
    if (!goOn) rmSync(file, { force: true });
  }

  add(line: LogEntry): void {
    if (this.#bytes > limits.logBytes) return;
    const text = `${JSON.stringify(line)}\n`;
    this.#bytes += Buffer.byteLength(text);
    const cut = entry(
      'WARNING',
      `The log has reached ${limits.logBytes} bytes; what follows is cut.`,
      Date.parse(line.timestamp),
    );
    appendFileSync(this.#file, this.#bytes > limits.logBytes ? `${JSON.stringify(cut)}\n` : text, { mode: 0o600 });
    this.#changed();
  }
}
