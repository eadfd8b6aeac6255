import { statfs } from 'node:fs/promises';
import os from 'node:os';
import { ROLES } from '../config/index.ts';
import type { Platform } from '../platform.ts';
import { programVersion } from '../process/index.ts';
import { newestMigration } from '../storage/index.ts';
import { ClockWatch } from './clock-watch.ts';

/** Milliseconds between two reports. */
const EVERY_MS = 30_000;
/** Milliseconds between two looks at the clock of this machine. */
const CLOCK_MS = 5_000;
/** Milliseconds after which a process that reports no more is not shown. */
export const PROCESS_LASTS_MS = 4 * EVERY_MS;
/** Characters of the sentence about what is wrong. */
const PROBLEM_LENGTH = 500;
/** Milliseconds after which the row of a process that was killed is removed. */
const KEPT_MS = 60 * 60 * 1000;

/**
 * Reports this process for operators, now and every 30 s, until the returned function is called. A report that fails is
 * made up for by the next one. `problemOf` says what keeps it from running user code, or what an operator should mend.
 */
export function reportProcess(
  platform: Platform,
  problemOf: () => Promise<string | null> = () => Promise.resolve(null),
): () => Promise<void> {
  const { configuration, database, now, workerId, log } = platform;
  const id = platform.newId();
  const started_at = now();
  const fixed = {
    host: os.hostname(),
    roles: ROLES.filter((role) => configuration.roles[role]).join(),
    version: programVersion(),
    schema: newestMigration,
    worker_id: workerId,
    driver: workerId === null ? null : driverOf(configuration),
  };
  const clock = new ClockWatch(now);
  const watch = setInterval(() => {
    const set = clock.look();
    if (set !== null) log.warn(set);
  }, CLOCK_MS).unref();
  const report = async (): Promise<void> => {
    try {
      const problem = (await problemOf())?.slice(0, PROBLEM_LENGTH) ?? null;
      const changing = { seen_at: now(), problem, ...(await diskOf(configuration.dataDir)) };
      await database.write(async (transaction) => {
        await transaction
          .insertInto('processes')
          .values({ id, started_at, ...fixed, ...changing })
          .onConflict((conflict) => conflict.column('id').doUpdateSet(changing))
          .execute();
        await transaction
          .deleteFrom('processes')
          .where('seen_at', '<', now() - KEPT_MS)
          .execute();
      });
    } catch (error) {
      log.warn({ err: error }, 'this process could not be reported');
    }
  };
  let last = report();
  const timer = setInterval(() => {
    last = last.then(report);
  }, EVERY_MS);
  timer.unref();
  return async () => {
    clearInterval(timer);
    clearInterval(watch);
    await last;
    await database
      .write((transaction) => transaction.deleteFrom('processes').where('id', '=', id).execute())
      .catch((error: unknown) => log.warn({ err: error }, 'the end of this process could not be reported'));
  };
}

function driverOf({ kubernetes, slurm }: Platform['configuration']): 'SANDBOX' | 'KUBERNETES' | 'SLURM' {
  if (slurm !== null) return 'SLURM';
  return kubernetes === null ? 'SANDBOX' : 'KUBERNETES';
}

async function diskOf(folder: string): Promise<{ disk_bytes: number | null; disk_free_bytes: number | null }> {
  try {
    const { bsize, blocks, bavail } = await statfs(folder);
    return { disk_bytes: blocks * bsize, disk_free_bytes: bavail * bsize };
  } catch {
    return { disk_bytes: null, disk_free_bytes: null };
  }
}
