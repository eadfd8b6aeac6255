import { execFile } from 'node:child_process';
import {
  appendFile,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startKethub, type Kethub } from '../kethub.ts';
import { readConfiguration } from '../foundation/config/index.ts';
import { openBlobs } from '../foundation/storage/index.ts';
import { databases, type TestDatabaseKind } from '../testing/databases.ts';
import { GitClient } from '../testing/git-client.ts';
import { repositoryOf, requireWhole } from '../testing/git-raw.ts';
import { deploy, endRunner, roomy, startTestKethub, type DeployedService, type TestKethub } from '../testing/kethub.ts';
import { testLog } from '../testing/log.ts';
import { startS3, type TestS3 } from '../testing/s3.ts';
import { bpmn, deployWorkflow, start } from '../testing/workflows.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const run = promisify(execFile);
const program = path.join(import.meta.dirname, 'program.ts');
const code = {
  'src/__init__.py': '',
  'src/program.py': 'import time\ndef run(seconds=0, word=""):\n    time.sleep(seconds)\n    return {"word": word}\n',
};
const waiting = bpmn.file(
  [
    start(),
    bpmn.catchEvent('arrived', bpmn.message('arrived'), { out: { what: '=what' } }),
    bpmn.end('end', { what: '=what' }),
    bpmn.chain('start', 'arrived', 'end'),
  ],
  { messages: { arrived: '=order' } },
);

/** Waits for a value, outside of a test. */
const until = (ask: () => Promise<unknown>, value: string): Promise<void> =>
  vi.waitFor(async () => expect(await ask()).toBe(value), { timeout: 120_000, interval: 200 });

/** Stores of files: the data folder, or a bucket. */
const stores = [
  {
    files: 'a folder',
    open: async (): Promise<Pick<TestS3, 'settings' | 'close'>> => ({ settings: {}, close: async () => {} }),
  },
  { files: 'an S3', open: startS3 },
];
const installations = databases().flatMap((kind, index) =>
  stores
    .slice(index % stores.length)
    .slice(0, 1)
    .map((store) => ({ kind, store })),
);

describe.each(installations)('$kind.name with files in $store.files', ({ kind, store }) => {
  let platform: TestKethub;
  let home: string;
  let deployed: DeployedService;
  let git: GitClient;
  let bucket: Pick<TestS3, 'settings' | 'close'>;
  /** Ids of executions at the time of the backup. */
  let running: string;
  let queued: string;
  let ended: string;
  let instance: string;
  let workflow: string;
  let repository: string;
  let commit: string;

  beforeAll(async () => {
    home = await mkdtemp(path.join(os.tmpdir(), 'kethub-backup-test-'));
    bucket = await store.open();
    platform = await startTestKethub(kind, { ...bucket.settings, KETHUB_WORKER_CPUS: '1' });
    const { client } = platform;
    deployed = await deploy(client, 'sleeper', code);
    workflow = (await deployWorkflow(client, 'Waiting', waiting)).service.id;
    const job = async (input: object) => {
      const where = { serviceId: deployed.service.id, version: '1.0.0' };
      return (await client.startJobOfVersion({ ...where, jsonText: JSON.stringify(input) })).id;
    };
    ended = await job({ word: 'ended' });
    await until(() => statusOf(ended), 'SUCCEEDED');
    running = await job({ seconds: 600 });
    await until(() => statusOf(running), 'RUNNING');
    queued = await job({ word: 'waited' });
    instance = (await client.startJob({ serviceId: workflow, json: { order: 'late' } })).id;
    await until(
      async () => (await client.getWorkflowInstance({ instanceId: instance })).activities?.[0]?.elementId,
      'arrived',
    );
    git = await GitClient.open();
    const made = await client.createImplementation({ json: { name: 'code' } });
    repository = made.id;
    const { value: token } = await client.createAccessToken({ json: { name: 'git' } });
    commit = await git.commit('code', { 'a.txt': '1' });
    await git.run('code', 'push', '-q', made.cloneUrl.replace('://', `://x:${token}@`), 'main');
  });
  afterAll(async () => {
    await platform.client.cancelOwnedExecution({ executionId: running }).catch(() => undefined);
    await platform.close();
    await git.close();
    await bucket.close();
    await rm(home, { recursive: true });
  });

  const statusOf = async (executionId: string): Promise<string> =>
    (await platform.client.getOwnedExecution({ executionId })).status;

  /** Settings of the installation that the tests began with. */
  const settings = () => {
    const { databaseUrl } = platform.platform.configuration;
    return {
      ...bucket.settings,
      KETHUB_DATA_DIR: platform.dataDir,
      ...(databaseUrl !== null && { DATABASE_URL: databaseUrl }),
    };
  };
  const tool = async (command: string, folder: string, given: Readonly<Record<string, string>>) => {
    const env = { PATH: process.env['PATH'] ?? '', ...given };
    return (await run(process.execPath, [program, command, folder], { env })).stdout;
  };
  /** The sentence with which it is refused. */
  const refusal = async (command: string, folder: string, given: Readonly<Record<string, string>>): Promise<string> => {
    const said: unknown = await tool(command, folder, given).catch((error: unknown) => error);
    expect(said).toMatchObject({ code: 1 });
    return (said as { stderr: string }).stderr;
  };
  /** Settings of an empty installation with the key of the first, and its files in the data folder or elsewhere. */
  const empty = async (of: TestDatabaseKind = kind, files: Readonly<Record<string, string>> = {}) => {
    const dataDir = await mkdtemp(path.join(home, 'data-'));
    await cp(path.join(platform.dataDir, 'instance.key'), path.join(dataDir, 'instance.key'));
    const { databaseUrl, drop } = await of.create();
    const own = { KETHUB_DATA_DIR: dataDir, KETHUB_BLOBS: path.join(dataDir, 'blobs'), ...files };
    return { dataDir, drop, settings: { ...own, ...(databaseUrl !== null && { DATABASE_URL: databaseUrl }) } };
  };
  /** Keys of all files of an installation. */
  const keysOf = async (given: Readonly<Record<string, string>>): Promise<string[]> => {
    const { blobs, dataDir } = readConfiguration(given);
    const keys: string[] = [];
    for await (const key of (await openBlobs(blobs, dataDir)).keys()) keys.push(key);
    return keys.toSorted();
  };

  test('is backed up while calls go on, and restored with all that it had', async () => {
    const folder = path.join(home, 'whole');
    await mkdir(folder, { mode: 0o755 });
    const calls = new AbortController();
    const load = (async () => {
      for (let count = 0; !calls.signal.aborted; count++) {
        const name = `pool ${count}`;
        const pool = await platform.client.createDataPool({ json: { name } });
        await platform.client.deleteDataPool({ dataPoolId: pool.id });
      }
    })();
    const manifest = JSON.parse(await tool('backup', folder, settings())) as object;
    calls.abort();
    await load;
    expect(manifest).toMatchObject({
      repositories: 1,
      database: kind.name === 'SQLite' ? 'sqlite' : 'postgres',
    });
    expect((await readFile(path.join(folder, 'checksums.txt'), 'utf8')).split('\n').length).toBeGreaterThan(5);
    // Nobody else can read it.
    const written = await readdir(folder, { recursive: true });
    expect(written.some((name) => name.endsWith('.git/HEAD'))).toBe(true);
    for (const name of ['', ...written]) expect((await stat(path.join(folder, name))).mode & 0o077).toBe(0);
    // The key is no part of it.
    const key = (await readFile(path.join(platform.dataDir, 'instance.key'), 'utf8')).trim();
    for (const name of await readdir(folder)) expect(name).not.toContain('key');
    expect(await readFile(path.join(folder, 'manifest.json'), 'utf8')).not.toContain(key);

    const { addresses, configuration } = platform.platform;
    // An installation with its files in an S3 moves to an empty one, with the other in a folder.
    const elsewhere = await store.open();
    const target = await empty(kind, elsewhere.settings);
    await tool('restore', folder, target.settings);
    expect(await refusal('restore', folder, target.settings)).toContain('is not empty');
    const keys = await keysOf(target.settings);
    expect(keys.length).toBeGreaterThan(0);
    // The kind of the store may change.
    const other = await (stores.find((one) => one !== store) ?? store).open();
    const crossed = await empty(kind, other.settings);
    await tool('restore', folder, crossed.settings);
    expect(await keysOf(crossed.settings)).toEqual(keys);
    await crossed.drop();
    await other.close();
    await platform.stop();
    const restored: Kethub = await startKethub(
      readConfiguration({
        ...target.settings,
        ...roomy,
        KETHUB_PORT: new URL(addresses.api).port,
        KETHUB_GATEWAY_PORT: new URL(addresses.gateway).port,
        KETHUB_DASHBOARD: 'off',
        KETHUB_DEMO: 'off',
        KETHUB_SANDBOX_ROOT: 'machine',
        KETHUB_WORKER_LEASE_SECONDS: '10',
      }),
      testLog,
    );
    try {
      expect(configuration.instanceKey).toBeNull();
      // The session of before: the keys that sign tokens were unsealed.
      const { client } = platform;
      expect((await client.getMe()).username).toBe('ada');
      expect(await client.getOwnedResult({ executionId: ended })).toMatchObject({ word: 'ended' });
      await expect.poll(() => statusOf(queued), { timeout: 120_000 }).toBe('SUCCEEDED');
      expect(await client.getOwnedResult({ executionId: queued })).toMatchObject({ word: 'waited' });
      const message = { name: 'arrived', correlationKey: 'late', variables: { what: 'it' } };
      await client.publishWorkflowMessage({ serviceId: workflow, json: message });
      await expect.poll(() => statusOf(instance), { timeout: 60_000 }).toBe('SUCCEEDED');
      // Its worker is not there any more.
      await expect.poll(() => statusOf(running), { timeout: 120_000 }).toBe('UNKNOWN');
      const copy = repositoryOf(target, { id: repository });
      await requireWhole(git, copy);
      expect(await git.run('', '--git-dir', copy, 'rev-parse', 'main')).toBe(commit);
    } finally {
      if (restored.runtime) await endRunner(restored.runtime, target.dataDir, () => restored.stop());
      await target.drop();
      await elsewhere.close();
    }
  });

  test('is not whole when the disk becomes full, and says so', async () => {
    const disk = await mkdtemp(path.join(home, 'disk-'));
    await run('mount', ['-t', 'tmpfs', '-o', 'size=256k,mode=0700', 'kethub-backup', disk]);
    try {
      const folder = path.join(disk, 'backup');
      expect(await refusal('backup', folder, settings())).toMatch(/disk is full|No space left on device/);
      expect(await readdir(folder)).not.toContain('manifest.json');
      const target = await empty();
      expect(await refusal('restore', folder, target.settings)).toContain('cut off');
      await target.drop();
    } finally {
      await run('umount', [disk]);
    }
    // The next one, elsewhere, is whole: nothing keeps what the first had begun.
    await tool('backup', path.join(home, 'after-full-disk'), settings());
  });

  test('is not backed up on a machine that has no repositories', async () => {
    const repositories = path.join(platform.dataDir, 'repositories');
    await rename(repositories, `${repositories}.away`);
    const folder = path.join(home, 'elsewhere');
    expect(await refusal('backup', folder, settings())).toContain('machine of the role git');
    expect(await readdir(folder)).toEqual([]);
    await rename(`${repositories}.away`, repositories);
  });

  test('is not restored from a backup that is cut off or damaged, nor with another key', async () => {
    const whole = path.join(home, 'whole');
    const damaged = async (change: (folder: string) => Promise<unknown>): Promise<string> => {
      const folder = await mkdtemp(path.join(home, 'damaged-'));
      await cp(whole, folder, { recursive: true });
      await change(folder);
      const target = await empty();
      const said = await refusal('restore', folder, target.settings);
      // Nothing was written.
      expect((await readdir(target.dataDir)).filter((name) => /kethub\.db|blobs|repositories/.test(name))).toEqual([]);
      await target.drop();
      return said;
    };
    expect(await damaged((folder) => rm(path.join(folder, 'manifest.json')))).toContain('cut off');
    expect(await damaged((folder) => appendFile(path.join(folder, 'database'), 'x'))).toContain('database is damaged');
    expect(await damaged((folder) => truncate(path.join(folder, 'database'), 100))).toContain('is damaged');
    expect(await damaged((folder) => rm(path.join(folder, 'blobs'), { recursive: true }))).toContain(
      'The backup has no',
    );
    expect(await damaged((folder) => truncate(path.join(folder, 'checksums.txt'), 70))).toContain(
      'checksums.txt is damaged',
    );
    const target = await empty();
    await writeFile(path.join(target.dataDir, 'instance.key'), '0'.repeat(64));
    expect(await refusal('restore', whole, target.settings)).toContain('another one than that of the backup');
    await rm(path.join(target.dataDir, 'instance.key'));
    expect(await refusal('restore', whole, target.settings)).toContain('The instance key is missing');
    await target.drop();
  });
});

test('an installation that is not there is told in a sentence', async () => {
  const home = await mkdtemp(path.join(os.tmpdir(), 'kethub-backup-test-'));
  const env = { PATH: process.env['PATH'] ?? '', KETHUB_DATA_DIR: path.join(home, 'none') };
  const said: unknown = await run(process.execPath, [program, 'backup', path.join(home, 'a')], { env }).catch(
    (e: unknown) => e,
  );
  expect(said).toMatchObject({ code: 1, stderr: expect.stringContaining('There is no installation') });
  await rm(home, { recursive: true });
});
