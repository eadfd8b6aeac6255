import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../../testing/databases.ts';
import { callerOf, type Caller } from '../../testing/gateway.ts';
import { deploy, startTestKethub, type TestKethub } from '../../testing/kethub.ts';
import { coreLimitOf, filesOfPostgres, searchFiles, searchProcesses, searchRows } from '../../testing/secret-search.ts';

const program = `
import json
import os
import signal
import time
from kethub.secret import SecretValue


def run(act, token: SecretValue):
    value = token.unwrap()
    print("ready", flush=True)
    if act == "wait":
        time.sleep(120)
    if act == "raise":
        raise ValueError("about something else")
    if act == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    return {"length": len(value), "token": str(token)}
`;

describe.each(databases())('a secret is written nowhere, on $name', (kind) => {
  let kethub: TestKethub;
  let app: Caller;
  let paths: string[];
  const secret = `probe/${randomBytes(18).toString('base64')}+é`;

  beforeAll(async () => {
    kethub = await startTestKethub(kind);
    const files = { 'src/__init__.py': '', 'src/program.py': program };
    app = await callerOf(await deploy(kethub.client, 'Secretive', files));
    const { databaseUrl } = kethub.platform.configuration;
    const log = process.env['LOG_CHECK_FILE'];
    const known = [kethub.dataDir, '/run/kethub', '/dev/shm', await filesOfPostgres(databaseUrl), log];
    paths = known.filter((file) => file !== null && file !== undefined);
  });
  afterAll(() => kethub.close());

  const search = async (): Promise<string[]> => [
    ...searchFiles(secret, paths),
    ...searchProcesses(secret),
    ...(await searchRows(secret, kethub.platform.configuration.databaseUrl)),
  ];
  const input = (act: string): object => ({ act, $secrets: { token: secret } });
  const cores = (): string[] =>
    [process.cwd(), kethub.dataDir, path.join(kethub.dataDir, 'runtime'), '/tmp', '/']
      .filter((folder) => existsSync(folder))
      .flatMap((folder) => readdirSync(folder).filter((name) => /^core(\.\d+)?$/.test(name)));

  test('the search finds what is there: in a file, in an environment, on a command line', async () => {
    const planted = path.join(kethub.dataDir, 'planted');
    writeFileSync(planted, Buffer.from(`x${JSON.stringify({ token: secret })}`).toString('base64'));
    const child = spawn('/bin/sleep', ['60'], { env: { TOKEN: secret } });
    const other = spawn('/bin/sh', ['-c', 'sleep 60; :', secret]);
    await Promise.all([once(child, 'spawn'), once(other, 'spawn')]);
    const expected = [planted, `/proc/${child.pid}/environ`, `/proc/${other.pid}/cmdline`];
    await expect.poll(() => search(), { timeout: 20_000 }).toEqual(expect.arrayContaining(expected));
    child.kill('SIGKILL');
    other.kill('SIGKILL');
    rmSync(planted);
    await expect.poll(() => search(), { timeout: 20_000 }).toEqual([]);
  });

  test('while an execution waits for its turn and runs, and nothing that holds it would be dumped', async () => {
    const { id } = await app.start(input('wait'));
    const ready = async () => (await app.request('GET', `/${id}/log`)).text;
    expect(await search()).toEqual([]);
    await expect.poll(ready, { timeout: 30_000 }).toContain('ready');
    expect(await search()).toEqual([]);
    const { runnerPid, running } = await kethub.kethub.runtime.status();
    for (const pid of [runnerPid, ...running.map((one) => one.pid)]) expect([pid, coreLimitOf(pid)]).toEqual([pid, '0']);
    await app.request('PUT', `/${id}/cancel`);
    await expect.poll(async () => (await app.request('GET', `/${id}`)).text, { timeout: 30_000 }).toContain('CANCELLED');
    expect(await search()).toEqual([]);
  }); // prettier-ignore

  test.each([
    ['return', 'SUCCEEDED'],
    ['raise', 'FAILED'],
    ['crash', 'FAILED'],
  ])('after an execution has ended by %s', async (act, status) => {
    const before = cores();
    expect((await app.finish(input(act))).status).toBe(status);
    expect(await search()).toEqual([]);
    expect(cores()).toEqual(before);
  });

  test('in what is refused', async () => {
    const wrong = [
      { act: 'return', $secrets: { other: secret } },
      { act: 'return', $secrets: { token: [secret] } },
    ];
    for (const body of wrong) await app.request('POST', '/', { body: JSON.stringify(body) });
    await app.request('POST', '/', { body: `{"act": "return", "$secrets": {"token": "${secret}"` });
    expect(await search()).toEqual([]);
  });
});
