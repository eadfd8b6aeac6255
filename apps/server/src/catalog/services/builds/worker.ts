import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { limits, type BuildProblem, type RuntimeConfiguration, type ServiceRuntime } from '@kethub/contract';
import { RuntimeUnavailable } from '@kethub/runtime';
import { PlatformStops, type BuildRequest } from '@kethub/runtime/build';
import type { Selectable } from 'kysely';
import { keepLog, LogCopier, removeCopies } from '../../../foundation/logs/index.ts';
import type { Platform } from '../../../foundation/platform.ts';
import { missingMb } from '../../quotas/index.ts';
import {
  claimBlob,
  isStoreAway,
  putOrphan,
  removeOrphans,
  type ServiceVersionRow,
} from '../../../foundation/storage/index.ts';
import { reportPythons, requireWorkerId } from '../../../foundation/workers/index.ts';
import type { Builder, BuildOutcome, Built } from '../builder.ts';
import { buildsOfWorker, buildsWait, neededSources, releaseBuilds } from '../queries.ts';
import { fromSignature } from '@kethub/service-api/specification';
import { buildPending, CHANGED, PENDING } from './changes.ts';
import { BuildClaims } from './claim.ts';
import { BuildLogWriter, entry, logFile, tail } from './log.ts';

/** Milliseconds between two sweeps of the outcomes of builds. */
const SWEEP_MS = 10 * 60_000;
/** Milliseconds until a build is claimed again that what it needs was taken away from. */
const AWAY_MS = 2_000;
const STORE_IS_AWAY = 'The store of files does not answer. The build begins anew when it does.';
const RUNNER_WAS_LOST = 'The process that runs code on this machine was lost. The build begins anew.';

/** Returns the builds of a lost worker to the queue, so that another worker does them. */
export async function releaseLostBuilds(platform: Platform, workerId: string): Promise<void> {
  const ids = await buildsOfWorker(platform.database.read, workerId);
  if (ids.size > 0) await release(platform, workerId, [...ids]);
}

async function release(platform: Platform, workerId: string, ids: readonly string[]): Promise<void> {
  const { database } = platform;
  const released = await database.write(async (transaction) => {
    const builds = await releaseBuilds(transaction, workerId, ids);
    for (const { id } of builds) await removeCopies(transaction, id);
    return builds;
  });
  for (const { id } of released) database.notify(CHANGED, id);
  if (released.length > 0) buildPending(database);
}

/** The builder of one runtime, and whether it can build at the moment. */
interface RuntimeBuilder {
  readonly runtime: ServiceRuntime;
  readonly builder: Builder;
  isReady(): boolean;
}

/**
 * Builds uploaded sources, as many at a time as the resources allow ({@link BuildClaims}). A build changes only its own
 * outcome and is keyed by content, so a build that a restart cut off is done again.
 */
export class BuildWorker {
  readonly #platform: Platform;
  readonly #builders: readonly RuntimeBuilder[];
  readonly #workerId: string;
  readonly #claims: BuildClaims;
  readonly #copier: LogCopier;
  readonly #stopped = new AbortController();
  readonly #running = new Map<string, { readonly abort: AbortController; readonly done: Promise<void> }>();
  #working: Promise<void> | null = null;
  #again = false;
  #unlisten: (() => void) | null = null;
  #endPolls: (() => void) | null = null;
  #sweptAt = Number.NEGATIVE_INFINITY;

  constructor(
    platform: Platform,
    builders: readonly RuntimeBuilder[],
    claims = new BuildClaims(platform, requireWorkerId(platform)),
  ) {
    this.#platform = platform;
    this.#builders = builders;
    this.#workerId = requireWorkerId(platform);
    this.#claims = claims;
    this.#copier = new LogCopier(platform, {
      ids: () => [...this.#running.keys()],
      read: async (id, fromByte) => {
        const bytes = await tail(logFile(platform, id), fromByte);
        return { bytes, nextByte: fromByte + bytes.length };
      },
    });
  }

  /**
   * Returns the builds of an earlier process of this worker to the queue, in their old position. Removes their logs,
   * which begin anew.
   */
  async start(): Promise<void> {
    const logs = path.join(this.#platform.configuration.dataDir, 'builds');
    rmSync(logs, { recursive: true, force: true });
    mkdirSync(logs, { recursive: true, mode: 0o700 });
    await releaseLostBuilds(this.#platform, this.#workerId);
    this.#copier.start();
    this.#unlisten = this.#platform.database.listen(PENDING, () => this.#wake());
    this.#endPolls = this.#platform.workPoll.add({
      due: buildsWait(this.#workerId),
      // The version of a build that runs here may be gone.
      polled: (due) => (due !== null || this.#running.size > 0 || this.#isTimeToSweep) && this.#wake(),
    });
    this.#wake();
  }

  /** Aborts the running builds. They are done again after the next start, or followed where they go on by themselves. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#unlisten?.();
    this.#endPolls?.();
    await this.#working;
    for (const { abort } of this.#running.values()) abort.abort(new PlatformStops('The platform stops.'));
    await Promise.all([...this.#running.values()].map(({ done }) => done));
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
      try {
        await this.#reconcile();
        const ready = this.#builders.filter((one) => one.isReady());
        for (const id of await this.#claims.claim(ready.map(({ runtime }) => runtime))) this.#begin(id);
        await this.#sweep(ready);
      } catch (error) {
        this.#platform.log.error({ err: error }, 'builds could not be worked on');
      }
    }
  }

  #begin(id: string): void {
    const abort = new AbortController();
    if (this.#stopped.signal.aborted) return;
    const done = this.#build(id, abort.signal)
      .catch(async (error: unknown) => {
        this.#platform.log.error({ build: id, err: error }, 'a build could not be recorded');
        await pause(AWAY_MS, null, { signal: abort.signal }).catch(() => undefined);
      })
      .finally(() => {
        this.#running.delete(id);
        this.#wake();
      });
    this.#running.set(id, { abort, done });
  }

  /**
   * Reconciles the running builds with the database. Aborts builds whose version is gone or has another source. Returns
   * claimed builds that do not run here to the queue: their end was not recorded, or the answer to their claim was
   * lost.
   */
  async #reconcile(): Promise<void> {
    const leased = await buildsOfWorker(this.#platform.database.read, this.#workerId);
    for (const [id, { abort }] of this.#running) if (!leased.has(id)) abort.abort();
    const lost = [...leased].filter((id) => !this.#running.has(id));
    if (lost.length > 0) await release(this.#platform, this.#workerId, lost);
  }

  get #isTimeToSweep(): boolean {
    return performance.now() - this.#sweptAt >= SWEEP_MS;
  }

  async #sweep(builders: readonly RuntimeBuilder[]): Promise<void> {
    if (!this.#isTimeToSweep) return;
    this.#sweptAt = performance.now();
    for (const { builder } of builders) await this.#reportPythons(builder);
    for (const { builder, runtime } of builders)
      await builder.sweep?.((digests) => neededSources(this.#platform.database, runtime, digests));
  }

  /** Reports the versions of Python of this worker. Uploads that ask for another one are refused. */
  async #reportPythons(builder: Builder): Promise<void> {
    const versions = await builder.pythons?.();
    if (versions) await this.#platform.database.write((write) => reportPythons(write, this.#workerId, versions));
  }

  async #build(id: string, signal: AbortSignal): Promise<void> {
    const { database } = this.#platform;
    const version = await database.read
      .selectFrom('service_versions')
      .select(['id', 'source_blob', 'source_digest', 'runtime', 'configuration'])
      .where('build_id', '=', id)
      .executeTakeFirst();
    if (!version) return this.#drop(id);
    database.notify(CHANGED, id);
    const writer = new BuildLogWriter(logFile(this.#platform, id), () => {
      database.notify(CHANGED, id);
      this.#copier.grown(id);
    });
    try {
      const outcome = await this.#outcomeOf(id, version, writer, signal);
      if (outcome) await this.#end(id, version.id, outcome);
    } finally {
      // The log is kept by now, or that of a build that was given up or begins anew.
      rmSync(logFile(this.#platform, id), { force: true });
    }
  }

  /** Null for a build that was given up, or begins anew: it is claimed again, as it does not run here any more. */
  async #outcomeOf(
    id: string,
    version: Pick<Selectable<ServiceVersionRow>, 'source_blob' | 'source_digest' | 'runtime' | 'configuration'>,
    writer: BuildLogWriter,
    signal: AbortSignal,
  ): Promise<BuildOutcome | null> {
    const { blobs, log, configuration, now } = this.#platform;
    let source: Readable | null = null;
    try {
      const builder = this.#builders.find(({ runtime }) => runtime === version.runtime)?.builder;
      if (!builder) throw new Error(`This worker builds nothing for ${version.runtime}`);
      const missing = missingMb(configuration);
      if (missing > 0) return { ok: false, problem: diskFull(missing) };
      const { stream } = await blobs.get(version.source_blob);
      source = stream;
      const outcome = await builder
        .build(stream, version.source_digest, (entry) => writer.add(entry), signal, requestOf(version.configuration))
        // A builder that already has the outcome does not read the source. Its connection must not stay open.
        .finally(() => stream.destroy());
      return signal.aborted ? null : outcome;
    } catch (error) {
      if (signal.aborted) return null;
      const isAway = isStoreAway(error) || isStoreAway(source?.errored);
      if (isAway || error instanceof RuntimeUnavailable) {
        log.warn({ build: id, err: error }, 'a build begins anew');
        writer.add(entry('NOTICE', isAway ? STORE_IS_AWAY : RUNNER_WAS_LOST, now()));
        await pause(AWAY_MS, null, { signal }).catch(() => undefined);
        return null;
      }
      log.error({ build: id, err: error }, 'a build failed for a reason of the platform');
      const detail =
        'The platform could not do the build. The operator finds the cause in the log. Upload the source again to retry.';
      return { ok: false, problem: { code: 'internal-error', title: 'Build could not be done', detail } };
    }
  }

  /** Deletes a build whose version has another source by now, or is gone. */
  async #drop(id: string): Promise<void> {
    await this.#platform.database.write((transaction) =>
      transaction.deleteFrom('builds').where('id', '=', id).execute(),
    );
  }

  async #end(id: string, versionId: string, outcome: BuildOutcome): Promise<void> {
    const built = outcome.ok ? outcome.built : null;
    const problem = outcome.ok ? null : outcome.problem;
    const file = logFile(this.#platform, id);
    if (problem)
      new BuildLogWriter(file, () => undefined, true).add(
        entry('ERROR', `${problem.title}: ${problem.detail}`, this.#platform.now()),
      );
    const bytes = existsSync(file) ? await readFile(file) : Buffer.alloc(0);
    const log = await keepLog(bytes, (whole) => putOrphan(this.#platform, whole));
    await this.#platform.database.write(async (transaction) => {
      const status = built ? 'SUCCEEDED' : 'FAILED';
      const { numUpdatedRows } = await transaction
        .updateTable('builds')
        .set({ ...log, status, ended_at: this.#platform.now(), problem: problem && JSON.stringify(problem) })
        .where('id', '=', id)
        .where('worker_id', '=', this.#workerId)
        .executeTakeFirst();
      // The build was released as lost meanwhile, and another worker does it.
      if (numUpdatedRows !== 1n) return;
      if (log.log_blob !== null) await claimBlob(transaction, log.log_blob);
      await removeCopies(transaction, id);
      if (!built) return;
      const { parameters, result, ...code } = built;
      const derived = fromSignature({ parameters, result });
      await transaction
        .updateTable('service_versions')
        .set({
          code: JSON.stringify(code),
          layer: 'layer' in code ? code.layer : null,
          parameters: JSON.stringify(parameters.map(withoutLongSchema)),
          derived_schemas: derived && JSON.stringify(derived),
        })
        .where('id', '=', versionId)
        .where('build_id', '=', id)
        .execute();
    });
    if (log.log_blob !== null) await removeOrphans(this.#platform.database, this.#platform.blobs, [log.log_blob]);
    this.#platform.database.notify(CHANGED, id);
  }
}

function diskFull(missing: number): BuildProblem {
  const detail = `The disk of this worker is nearly full: the operator has to free ${missing} MiB. Then upload the source again.`;
  return { code: 'disk-full', title: 'The disk is nearly full', detail };
}

/** Returns the part of a configuration that concerns the build. */
function requestOf(configuration: string): BuildRequest {
  const { python = null, sourcePackages = false } = JSON.parse(configuration) as RuntimeConfiguration;
  return { python, sourcePackages };
}

/** Drops a schema that is too long for lists: user code decides its length. */
function withoutLongSchema(parameter: Built['parameters'][number]): Built['parameters'][number] {
  const bytes = Buffer.byteLength(JSON.stringify(parameter.schema ?? null));
  return bytes > limits.derivedSchemaBytes ? { ...parameter, schema: null } : parameter;
}
