import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { slurmTools, startSlurm, type Slurm } from '../../../../../script/slurm.ts';
import { ensureTools } from '../../../../../script/system-tools.ts';
import { poolUser } from '../../testing/data-pools.ts';
import { sqlite } from '../../testing/databases.ts';
import { callerOf, type Caller } from '../../testing/gateway.ts';
import { deploy, startTestKethub, type TestKethub } from '../../testing/kethub.ts';
import { slurmSettings } from '../../testing/slurm.ts';

const program = `
import time
from pathlib import Path
import numpy
from kethub.datapool import DataPool
from kethub.secret import SecretValue
def run(data, graphs: DataPool = None, token: SecretValue = None, seconds: int = 0):
    print("on a node", flush=True)
    time.sleep(seconds)
    Path("/var/runtime/output/note.txt").write_text("from the node")
    pool = None
    if graphs is not None:
        with graphs.open("a.txt") as file:
            pool = file.read()
    return {"sum": int(numpy.sum(data)), "pool": pool, "secret": token is not None and token.unwrap() == "s3cret"}
`;

describe.skipIf(process.getuid?.() !== 0)('a platform whose executions are jobs of a real Slurm', () => {
  let slurm: Slurm;
  let kethub: TestKethub;
  let folder: string;
  let app: Caller;

  beforeAll(async () => {
    ensureTools(slurmTools, () => undefined);
    slurm = await startSlurm();
    folder = mkdtempSync(path.join(os.tmpdir(), 'kethub-certificate-'));
    kethub = await startTestKethub(sqlite, await slurmSettings(slurm, folder));
    app = await callerOf(
      await deploy(kethub.client, 'Sum', { 'src/program.py': program, 'requirements.txt': 'numpy\n' }),
    );
  });
  afterAll(async () => {
    await kethub.close();
    await slurm.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const logHas = async (id: string, text: string): Promise<void> => {
    while (!(await app.request('GET', `/${id}/log`)).text.includes(text)) await pause(100);
  };
  const mailbox = (id: string, name: string): string => path.join(kethub.dataDir, 'slurm', id, name);

  test('callers see no difference: result, file, log, data pool and secret', async () => {
    const ada = await poolUser(kethub, kethub.loginSession);
    const pool = await ada.create();
    await ada.upload(pool, 'a.txt', 'of a data pool');
    const graphs = { id: pool.id, ref: 'DATAPOOL' };
    const { id, status } = await app.finish({ data: [1, 2, 39], graphs, $secrets: { token: 's3cret' } });
    expect(status, (await app.request('GET', `/${id}`)).text).toBe('SUCCEEDED');
    const { body } = await app.request('GET', `/${id}/result`);
    expect(body).toMatchObject({ sum: 42, pool: 'of a data pool', secret: true });
    expect((await app.request('GET', `/${id}/result/note.txt`)).text).toBe('from the node');
    expect((await app.request('GET', `/${id}/log`)).text).toContain('on a node');
  }, 180_000);

  test('a cancellation reaches a job, whose secrets are gone from the disk by then', async () => {
    const { id } = await app.start({ data: [], seconds: 600, $secrets: { token: 's3cret' } });
    await logHas(id, 'on a node');
    for (const name of ['job.json', 'start']) expect(existsSync(mailbox(id, name))).toBe(false);
    await app.request('PUT', `/${id}/cancel`);
    expect((await app.request('GET', `/${id}`, { headers: { prefer: 'wait=60' } })).body).toMatchObject({
      status: 'CANCELLED',
    });
  }, 180_000);

  test('a job brings its result to the platform that was restarted meanwhile', async () => {
    const { id } = await app.start({ data: [7], seconds: 10 });
    await logHas(id, 'on a node');
    await kethub.restart();
    expect((await app.request('GET', `/${id}`, { headers: { prefer: 'wait=60' } })).body).toMatchObject({
      status: 'SUCCEEDED',
    });
    expect((await app.request('GET', `/${id}/result`)).body).toMatchObject({ sum: 7 });
  }, 180_000);
});
