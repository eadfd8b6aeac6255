import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { slurmTools, startSlurm, type Slurm } from '../../../../../script/slurm.ts';
import { ensureTools } from '../../../../../script/system-tools.ts';
import { sqlite } from '../../testing/databases.ts';
import { callerOf } from '../../testing/gateway.ts';
import { deploy, startTestKethub, type TestKethub } from '../../testing/kethub.ts';

const program = `
from pathlib import Path
import numpy
def run(data):
    print("on a node")
    Path("/var/runtime/output/note.txt").write_text("from the node")
    return {"sum": int(numpy.sum(data))}
`;

describe.skipIf(process.getuid?.() !== 0)('a platform whose executions are jobs of a real Slurm', () => {
  let slurm: Slurm;
  let kethub: TestKethub;
  let folder: string;

  beforeAll(async () => {
    ensureTools(slurmTools, () => undefined);
    slurm = await startSlurm();
    folder = mkdtempSync(path.join(os.tmpdir(), 'kethub-jobs-'));
    chmodSync(folder, 0o755);
    kethub = await startTestKethub(sqlite, {
      KETHUB_SLURM: 'on',
      KETHUB_SLURM_FOLDER: path.join(folder, 'jobs'),
      KETHUB_SLURM_USER: String(slurm.uid),
      KETHUB_SLURM_CONF: slurm.configuration,
      KETHUB_SLURM_OPTIONS: '--partition=main',
    });
    // The nodes read the code and its packages from the data folder.
    chmodSync(kethub.dataDir, 0o711);
  });
  afterAll(async () => {
    await kethub.close();
    await slurm.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('callers see no difference: result, file, log and cancel', async () => {
    const service = await deploy(kethub.client, 'Sum', { 'src/program.py': program, 'requirements.txt': 'numpy\n' });
    const app = await callerOf(service);
    const { id, status } = await app.finish({ data: [1, 2, 39] });
    expect([status, (await app.request('GET', `/${id}/result`)).body]).toMatchObject(['SUCCEEDED', { sum: 42 }]);
    expect((await app.request('GET', `/${id}/result/note.txt`)).text).toBe('from the node');
    expect((await app.request('GET', `/${id}/log`)).text).toContain('on a node');
  }, 180_000);
});
