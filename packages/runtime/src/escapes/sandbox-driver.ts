import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createBuilder } from '../build/index.ts';
import { connectRuntime } from '../client/connect.ts';
import { makeRunnerPaths } from '../paths.ts';
import { takeRoots } from '../root/index.ts';
import { removeTree } from '../runner/discard.ts';
import type { Runtime } from '../types.ts';
import { HOSTILE_BUILDS } from './builds.ts';
import { EVIL, filesOf } from './programs.ts';
import type { EscapeDriver } from './types.ts';

/**
 * The sandbox of this machine, with a data folder and a runner of its own below `parent`.
 * @param rootsDir the folder of the installation's roots, or null to use the Python of this machine.
 */
export async function openSandboxDriver(
  parent: string = tmpdir(),
  rootsDir: string | null = null,
): Promise<EscapeDriver> {
  const dataDir = mkdtempSync(join(parent, 'kethub-doctor-'));
  if (rootsDir !== null) await takeRoots(rootsDir, makeRunnerPaths(dataDir).runtimeDir);
  const runtime = await connectRuntime({ dataDir, idleExitMs: 500, cancelGraceMs: 300, warmBytes: 96 * 2 ** 20 });
  const { executions, runtimeDir, socket } = makeRunnerPaths(dataDir);
  let services = 0;
  const layerDir = join(runtimeDir, 'layer'); // shared by all, as a layer that many services demand
  mkdirSync(layerDir);
  writeFileSync(join(layerDir, 'shared.py'), '');
  return {
    name: 'sandbox',
    runtime,
    folders: [dataDir, runtimeDir],
    sockets: [socket],
    async program(name) {
      const files = { ...filesOf(name), ...EVIL };
      const sourceDir = join(runtimeDir, 'code', String(++services));
      for (const [file, text] of Object.entries(files)) {
        mkdirSync(dirname(join(sourceDir, file)), { recursive: true });
        writeFileSync(join(sourceDir, file), text);
      }
      return { code: { sourceDir, layerDir, imports: [] }, environment: {} };
    },
    honest: [{ name: 'src/program.py', content: 'def run():\n    return 1\n' }],
    builds: HOSTILE_BUILDS,
    builder: (environment) => createBuilder({ dataDir, runtime, environment }),
    folderOf: (executionId) => join(executions, executionId),
    close: async () => endAll(runtime, dataDir),
  };
}

/** Ends all executions, calls `after`, and removes the data folder. */
export async function endAll(
  runtime: Runtime,
  dataDir: string,
  after: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  for (const { executionId } of (await runtime.status()).running) await runtime.cancel(executionId);
  while ((await runtime.status()).running.length > 0) await pause(20);
  await runtime.close();
  await after();
  await removeTree(dataDir);
}
