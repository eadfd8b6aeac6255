import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { limits, type BuildProblem, type ServiceRuntime } from '@kethub/contract';
import { keepLog, LogCopier, removeCopies } from '../../logs/index.ts';
import type { Platform } from '../../platform.ts';
import { putUnused, removeUnused, takeIntoUse } from '../../storage/index.ts';
import { requireWorkerId } from '../../workers/index.ts';
import type { Built, Builder } from '../builder.ts';
import { buildsToDo, claimBuild, neededSources, releaseBuilds } from '../queries.ts';
import { fromSignature } from '../specification/index.ts';
import { buildPending, CHANGED, PENDING } from './changes.ts';
import { BuildLogWriter, entry, logFile, tail } from './log.ts';

/** A lost notification is made up for by looking again. */
const POLL_MS = 1_000;
const SWEEP_MS = 10 * 60_000;

/** What a lost worker was building is built by another. */
export async function releaseLostBuilds({ database }: Platform, workerId: string): Promise<void> {
  const released = await database.write(async (transaction) => {
    const builds = await releaseBuilds(transaction, workerId);
    for (const { id } of builds) await removeCopies(transaction, id);
    return builds;
  });
  for (const { id } of released) database.notify(CHANGED, id);
  if (released.length > 0) buildPending(database);
}

/**
 * Builds what was uploaded for one runtime, one after the other. A build changes nothing but its own outcome and is keyed by content, so
 * one that a restart cut off is simply done again.
 */
export class BuildWorker {
  readonly #platform: Platform;
  readonly #runtime: ServiceRuntime;
  readonly #builder: Builder;
  readonly #isReady: () => boolean;
  readonly #workerId: string;
  readonly #copier: LogCopier;
  readonly #stopped = new AbortController();
  #working: Promise<void> | null = null;
  #building: string | null = null;
  #again = false;
  #unlisten: (() => void) | null = null;
  #poll: NodeJS.Timeout | null = null;
  #sweptAt = Number.NEGATIVE_INFINITY;

  /** @param isReady whether builds can be done at the moment. */
  constructor(platform: Platform, runtime: ServiceRuntime, builder: Builder, isReady: () => boolean = () => true) {
    this.#platform = platform;
    this.#runtime = runtime;
    this.#builder = builder;
    this.#isReady = isReady;
    this.#workerId = requireWorkerId(platform);
    this.#copier = new LogCopier(platform, {
      ids: () => (this.#building === null ? [] : [this.#building]),
      read: async (id, fromByte) => {
        const bytes = await tail(logFile(platform, id), fromByte);
        return { bytes, nextByte: fromByte + bytes.length };
      },
    });
    mkdirSync(path.join(platform.configuration.dataDir, 'builds'), { recursive: true, mode: 0o700 });
  }

  start(): void {
    this.#copier.start();
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
    await this.#copier.stop();
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
      if (!this.#isReady()) return;
      try {
        for (const { id } of await buildsToDo(this.#platform.database, this.#workerId, this.#runtime)) {
          if (this.#stopped.signal.aborted) return;
          await this.#build(id);
        }
        await this.#sweep();
      } catch (error) {
        this.#platform.log.error({ err: error }, 'builds could not be worked on');
      }
    }
  }

  /** Between two builds: what has just been built is not taken for something that nobody needs. */
  async #sweep(): Promise<void> {
    if (!this.#builder.sweep || performance.now() - this.#sweptAt < SWEEP_MS) return;
    this.#sweptAt = performance.now();
    await this.#builder.sweep((digests) => neededSources(this.#platform.database, this.#runtime, digests));
  }

  async #build(id: string): Promise<void> {
    const { database, blobs, log } = this.#platform;
    const version = await database.read
      .selectFrom('service_versions')
      .select(['id', 'source_blob', 'source_digest'])
      .where('build_id', '=', id)
      .executeTakeFirst();
    if (!version) return this.#drop(id);
    const claimed = await database.write(async (transaction) => {
      if (!(await claimBuild(transaction, id, this.#workerId, this.#platform.now()))) return false;
      // The log begins anew, and so do the copies of one that a restart cut off.
      await removeCopies(transaction, id);
      return true;
    });
    if (!claimed) return;
    database.notify(CHANGED, id);
    const writer = new BuildLogWriter(logFile(this.#platform, id), () => {
      database.notify(CHANGED, id);
      this.#copier.grown(id);
    });
    this.#building = id;
    try {
      const { stream } = await blobs.get(version.source_blob);
      const outcome = await this.#builder
        .build(stream, version.source_digest, (entry) => writer.add(entry), this.#stopped.signal)
        // What is built already is not read: the connection that it would come over must not stay open.
        .finally(() => stream.destroy());
      if (this.#stopped.signal.aborted) return;
      await this.#end(id, version.id, outcome.ok ? outcome.built : null, outcome.ok ? null : outcome.problem);
    } catch (error) {
      if (this.#stopped.signal.aborted) return;
      log.error({ build: id, err: error }, 'a build failed for a reason of the platform');
      const detail =
        'The platform could not do the build. The operator finds the cause in the log. Upload the source again to retry.';
      await this.#end(id, version.id, null, { code: 'internal-error', title: 'Build could not be done', detail });
    } finally {
      this.#building = null;
    }
  }

  /** Its version has another source by now, or is gone. */
  async #drop(id: string): Promise<void> {
    await this.#platform.database.write((transaction) =>
      transaction.deleteFrom('builds').where('id', '=', id).execute(),
    );
    rmSync(logFile(this.#platform, id), { force: true });
  }

  async #end(id: string, versionId: string, built: Built | null, problem: BuildProblem | null): Promise<void> {
    const file = logFile(this.#platform, id);
    if (problem)
      new BuildLogWriter(file, () => undefined, true).add(
        entry('ERROR', `${problem.title}: ${problem.detail}`, this.#platform.now()),
      );
    const bytes = existsSync(file) ? await readFile(file) : Buffer.alloc(0);
    const log = await keepLog(bytes, (whole) => putUnused(this.#platform, whole));
    await this.#platform.database.write(async (transaction) => {
      const status = built ? 'SUCCEEDED' : 'FAILED';
      const { numUpdatedRows } = await transaction
        .updateTable('builds')
        .set({ ...log, status, ended_at: this.#platform.now(), problem: problem && JSON.stringify(problem) })
        .where('id', '=', id)
        .where('worker_id', '=', this.#workerId)
        .executeTakeFirst();
      // Given up as lost meanwhile: another worker does it.
      if (numUpdatedRows !== 1n) return;
      if (log.log_blob !== null) await takeIntoUse(transaction, log.log_blob);
      await removeCopies(transaction, id);
      if (!built) return;
      const { parameters, result, ...code } = built;
      const derived = fromSignature({ parameters, result });
      await transaction
        .updateTable('service_versions')
        .set({
          code: JSON.stringify(code),
          parameters: JSON.stringify(parameters.map(withoutLongSchema)),
          derived_schemas: derived && JSON.stringify(derived),
        })
        .where('id', '=', versionId)
        .where('build_id', '=', id)
        .execute();
    });
    if (log.log_blob !== null) await removeUnused(this.#platform.database, this.#platform.blobs, [log.log_blob]);
    rmSync(file, { force: true });
    this.#platform.database.notify(CHANGED, id);
  }
}

/** Lists hold many parameters, and user code decides how long a schema is. */
function withoutLongSchema(parameter: Built['parameters'][number]): Built['parameters'][number] {
  const bytes = Buffer.byteLength(JSON.stringify(parameter.schema ?? null));
  return bytes > limits.derivedSchemaBytes ? { ...parameter, schema: null } : parameter;
}
