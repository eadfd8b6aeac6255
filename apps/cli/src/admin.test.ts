import path from 'node:path';
import { expect, test } from 'vitest';
import { exitCodes } from './failures.ts';
import { folderWith } from './testing/folder.ts';
import { ket } from './testing/ket.ts';
import { problem, standInPlatform } from './testing/platform.stand-in.ts';

const ada = {
  id: 'u1',
  username: 'ada',
  email: 'ada@example.org',
  emailVerified: true,
  firstname: 'Ada',
  lastname: 'L',
  status: 'PENDING',
  enabled: true,
  createdAt: '2026-01-01 00:00:00',
};
const byEmail = 'GET /api/registrations?email=ada%40example.org';
const change = 'PATCH /api/registrations/u1';

async function admin(args: readonly string[], answers: Parameters<typeof standInPlatform>[0]) {
  const { url, requests } = await standInPlatform(answers);
  const environment = { KET_TOKEN: 'ket_pat_x', KET_URL: url };
  return { ...(await ket(['admin', ...args], { folder: await folderWith(), environment })), requests };
}

test('somebody is decided about by address or by id', async () => {
  const answers = {
    [byEmail]: { status: 200, body: [ada] },
    [change]: { status: 200, body: { ...ada, status: 'APPROVED' } },
  };
  const approved = await admin(['approve', 'ada@example.org'], answers);
  expect(approved).toMatchObject({ code: 0, stdout: 'ada (ada@example.org) is APPROVED.\n' });
  expect(approved.requests).toEqual([byEmail, change]);
  expect(await admin(['approve', 'u1'], answers)).toMatchObject({ code: 0, requests: [change] });
});

test('an address of nobody: 4; a caller who is no administrator, or a decision that is not possible: 7', async () => {
  const nobody = await admin(['reject', 'ada@example.org'], { [byEmail]: { status: 200, body: [] } });
  expect(nobody).toMatchObject({ code: exitCodes.notFound.code, requests: [byEmail] });
  for (const code of ['not-administrator', 'conflict'] as const) {
    const refused = await admin(['disable', 'u1'], { [change]: problem(code === 'conflict' ? 409 : 403, code) });
    expect(refused).toMatchObject({ code: exitCodes.refused.code, stdout: '' });
    expect(refused.stderr).toContain(`about ${code}`);
  }
});

test('layers are a table; one is purged or rebuilt by its id', async () => {
  const id = 'a'.repeat(40);
  const layer = {
    id,
    workerId: 'w',
    python: '3.11',
    packages: [`idna==3.10 --hash=sha256:${'0'.repeat(64)}`],
    bytes: 5,
    createdAt: '2026-01-01 00:00:00',
    usedAt: '2026-01-02 00:00:00',
    versions: 2,
  };
  const answers = {
    'GET /api/layers': { status: 200, body: [layer] },
    [`DELETE /api/layers/${id}`]: { status: 202, body: [{ ...layer, wanted: 'PURGE' }] },
    [`POST /api/layers/${id}/rebuild`]: { status: 202, body: [{ ...layer, wanted: 'REBUILD' }] },
  };
  expect((await admin(['layers'], answers)).stdout).toMatch(
    /a{40} +3\.11 +1 +2 +2026-01-02 00:00:00 +ready +idna==3\.10\n$/,
  );
  expect((await admin(['purge-layer', id], answers)).stdout).toContain('PURGE');
  expect((await admin(['rebuild-layer', id], answers)).stdout).toContain('REBUILD');
});

test('the state of the installation shows queues, each process, and lost workers', async () => {
  const process = {
    id: 'p1',
    host: 'one',
    roles: ['api', 'worker'],
    version: '0.1.0',
    schema: '0017-processes',
    startedAt: '2026-01-01 00:00:00',
    seenAt: '2026-01-01 00:00:30',
    disk: { bytes: 2_000_000_000, freeBytes: 1_000_000_000 },
    worker: {
      id: 'w1',
      drivers: ['SANDBOX', 'CONTAINER'],
      pythons: ['3.12'],
      running: 3,
      problem: 'The runner does not answer.',
    },
  };
  const status = {
    database: { kind: 'POSTGRESQL', bytes: 5_000_000, schema: '0017-processes' },
    files: 'S3',
    executions: { pending: 7, running: 3, oldestPendingAt: '2026-01-01 00:00:10' },
    builds: { pending: 0, running: 1 },
    mails: { waiting: 2 },
    queues: [{ ownerId: 'o1', waiting: 7 }],
    processes: [process],
    lostWorkers: [{ id: 'w2', host: 'two', lostAt: '2026-01-01 00:00:20' }],
  };
  const answers = { 'GET /api/platform-status': { status: 200, body: status } };
  const { stdout } = await admin(['status'], answers);
  expect(stdout).toContain('Executions: 3 running, 7 waiting, the first since 2026-01-01 00:00:10 UTC\n');
  expect(stdout).toMatch(
    /\napi,worker +one +0\.1\.0 +0017-processes +.* of .* +3 +SANDBOX,CONTAINER +2026-01-01 00:00:00\n/,
  );
  expect(stdout).toContain('\nWorker w1 on one: The runner does not answer.\n');
  expect(stdout).toMatch(/\nOWNER +WAITING\no1 +7\n/);
  expect(stdout).toMatch(/\nw2 +two +2026-01-01 00:00:20\n$/);
  expect((await admin(['status', '--json'], answers)).json()).toEqual(status);
});

test('registrations are a table, or JSON', async () => {
  const answers = {
    'GET /api/registrations?status=PENDING&limit=100': { status: 200, body: [{ ...ada, enabled: false }] },
    'GET /api/registrations?limit=100': { status: 200, body: [] },
  };
  const listed = await admin(['registrations', '--status', 'PENDING'], answers);
  expect(listed.stdout).toMatch(
    /^E-MAIL .*\nada@example\.org +ada +Ada L +PENDING, switched off +2026-01-01 00:00:00\n$/,
  );
  expect((await admin(['registrations', '--json'], answers)).json()).toEqual([]);
});

test('an execution is ended by its id', async () => {
  const end = 'POST /api/service-executions/e1/end';
  const body = { id: 'e1', status: 'UNKNOWN', createdAt: '2026-01-01 00:00:00' };
  const ended = await admin(['end-execution', 'e1'], { [end]: { status: 200, body } });
  expect(ended).toMatchObject({
    code: 0,
    stdout: 'e1 is UNKNOWN; its slot is free within seconds.\n',
    requests: [end],
  });
  const refused = await admin(['end-execution', 'e1'], { [end]: problem(403, 'not-administrator') });
  expect(refused).toMatchObject({ code: exitCodes.refused.code, stdout: '' });
});

test('a backup of no installation is refused with a sentence, and writes nothing', async () => {
  const folder = await folderWith({});
  const environment = { KETHUB_DATA_DIR: path.join(folder, 'none'), PATH: process.env['PATH'] ?? '' };
  const { code, stderr } = await ket(['admin', 'backup', 'here'], { folder, environment });
  expect([code, stderr]).toEqual([7, expect.stringContaining('There is no installation: the database is empty.')]);
  const nothing = await ket(['admin', 'restore', 'here'], { folder, environment });
  expect([nothing.code, nothing.stderr]).toEqual([7, expect.stringContaining('manifest.json: this is no backup')]);
});
