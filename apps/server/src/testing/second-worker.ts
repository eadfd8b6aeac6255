import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { connectRuntime } from '@kethub/runtime';
import { KethubProcess, type Settings } from './child-process.ts';
import { endRunner, keptByRunner } from './kethub.ts';
import { freePort } from './platform.ts';
import type { SplitKethub } from './split-kethub.ts';

/** Another worker of a platform in several processes, with its own data folder, as on another machine. */
export interface SecondWorker {
  readonly process: KethubProcess;
  /** Counts the executions of which its runner keeps a folder. */
  keptByRunner(): number;
  /** Ends the worker and its runner, and removes its folder. */
  close(): Promise<void>;
}

/** Starts a worker and waits until it is ready. */
export async function startSecondWorker(kethub: SplitKethub, settings: Settings = {}): Promise<SecondWorker> {
  const [folder, port] = [await mkdtemp(path.join(os.tmpdir(), 'kethub-second-')), await freePort()];
  const own = { KETHUB_ROLES: 'worker', KETHUB_WORKER_PORT: String(port), KETHUB_DATA_DIR: folder };
  const process = new KethubProcess({ ...kethub.settings, ...own, ...settings }, port);
  await process.ready();
  return {
    process,
    keptByRunner: () => keptByRunner(folder),
    async close() {
      await process.end();
      const runtime = await connectRuntime({ dataDir: folder, idleExitMs: 100 });
      await endRunner(runtime, folder, () => runtime.close());
      await rm(folder, { recursive: true });
    },
  };
}
