import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { freePort } from '../../../../script/free-port.ts';
import { makeCertificate } from '../../../../script/kubernetes/certificates.ts';
import { slurmTools, startSlurm, type Slurm } from '../../../../script/slurm.ts';
import { ensureTools } from '../../../../script/system-tools.ts';
import { openBench, type Bench } from '../testing/bench.ts';
import { testDriver, type Driver } from '../testing/contract.ts';
import { jobProgram, SlurmRuntime, stagedProgram } from './index.ts';

const DRIVER = {
  kind: 'PYTHON',
  given: ({ python }, order) => [python, order],
  missing: { sourceDir: '/nowhere/at/all', layerDir: null, imports: [] },
  measuredBy: /^PROCESSES$/,
  interfaces: 1,
  limitsProcesses: true,
  sharesFolders: false,
} satisfies Omit<Driver, 'open'>;

describe.skipIf(process.getuid?.() !== 0)('batch jobs of a real Slurm', () => {
  let slurm: Slurm;
  let folder: string;

  beforeAll(async () => {
    ensureTools(slurmTools, () => undefined);
    slurm = await startSlurm();
    folder = mkdtempSync(join(os.tmpdir(), 'kethub-certificate-'));
  });
  afterAll(async () => {
    await slurm.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  describe('by its command line, with a shared folder', () => {
    testDriver({
      ...DRIVER,
      open: () =>
        openBench(
          {},
          (dataDir) => chmodSync(dataDir, 0o755),
          (local, dataDir) =>
            new SlurmRuntime(local, {
              folder: join(dataDir, 'jobs'),
              staging: null,
              rest: null,
              command: [process.execPath, jobProgram],
              uid: slurm.uid,
              options: [],
              configuration: slurm.configuration,
              prefix: 'kethub-contract-',
              warn: (line) => console.error(line),
            }),
        ),
    });
  });

  describe('by its REST interface, without a shared folder', () => {
    testDriver({
      ...DRIVER,
      // The user of the jobs cannot enter the data folder.
      open: async (): Promise<Bench> => {
        const tls = makeCertificate(folder, '127.0.0.1');
        return openBench({}, undefined, async (local, dataDir) => {
          const port = await freePort();
          const runtime = new SlurmRuntime(local, {
            folder: join(dataDir, 'jobs'),
            staging: { url: `https://127.0.0.1:${port}`, port, tls },
            rest: { ...slurm.rest, version: 'v0.0.38', caFile: null },
            command: [process.execPath, stagedProgram],
            uid: null,
            options: [],
            configuration: null,
            prefix: 'kethub-staged-',
            warn: (line) => console.error(line),
          });
          await runtime.listen();
          return runtime;
        });
      },
    });
  });
});
