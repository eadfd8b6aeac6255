import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { slurmTools, startSlurm, type Slurm } from '../../../../script/slurm.ts';
import { ensureTools } from '../../../../script/system-tools.ts';
import { openBench } from '../testing/bench.ts';
import { testDriver } from '../testing/contract.ts';
import { jobProgram, SlurmRuntime } from './index.ts';

describe.skipIf(process.getuid?.() !== 0)('batch jobs of a real Slurm', () => {
  let slurm: Slurm;

  beforeAll(async () => {
    ensureTools(slurmTools, () => undefined);
    slurm = await startSlurm();
  });
  afterAll(async () => {
    await slurm.stop();
  });

  testDriver({
    kind: 'PYTHON',
    open: () =>
      openBench(
        {},
        (dataDir) => chmodSync(dataDir, 0o755),
        (local, dataDir) =>
          new SlurmRuntime(local, {
            folder: join(dataDir, 'jobs'),
            command: [process.execPath, jobProgram],
            uid: slurm.uid,
            options: [],
            configuration: slurm.configuration,
            prefix: 'kethub-contract-',
            warn: (line) => console.error(line),
          }),
      ),
    given: ({ python }, order) => [python, order],
    missing: { sourceDir: '/nowhere/at/all', layerDir: null, imports: [] },
    refuses: 'AT_THE_END',
    measuredBy: /^PROCESSES$/,
    interfaces: 1,
    limitsProcesses: true,
    sharesFolders: false,
  });
});
