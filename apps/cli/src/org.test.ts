import { expect, test, vi } from 'vitest';
import { exitCodes } from './failures.ts';
import { folderWith } from './testing/folder.ts';
import { ket } from './testing/ket.ts';
import { standInPlatform } from './testing/platform.stand-in.ts';

// Each run of ket is a process of its own.
vi.setConfig({ testTimeout: 180_000 });

const lab = { id: 'o1', name: 'Lab', role: 'OWNER', createdAt: '2026-01-01 00:00:00' };
const member = { userId: 'u2', firstname: 'Grace', lastname: 'H', role: 'VIEWER', joinedAt: '2026-01-01 00:00:00' };
const invitation = {
  id: 'i1',
  organizationId: 'o1',
  organizationName: 'Lab',
  email: 'grace@example.org',
  role: 'VIEWER',
  createdAt: '2026-01-01 00:00:00',
  expiresAt: '2026-01-15 00:00:00',
};

async function run(args: readonly string[], answers: Parameters<typeof standInPlatform>[0], more = {}) {
  const { url, requests } = await standInPlatform(answers);
  const environment = { KET_TOKEN: 'ket_pat_x', KET_URL: url, ...more };
  return { ...(await ket(args, { folder: await folderWith(), environment })), requests };
}

test('organizations are listed, made, joined and left', async () => {
  const listed = await run(['org', 'list'], { 'GET /api/organizations': { status: 200, body: [lab] } });
  expect(listed).toMatchObject({ code: 0, stdout: 'ID  NAME  YOUR ROLE\no1  Lab   OWNER\n' });
  const made = await run(['org', 'create', 'Lab'], { 'POST /api/organizations': { status: 201, body: lab } });
  expect(made).toMatchObject({ code: 0, stdout: 'Lab has the id o1.\n' });
  const join = 'POST /api/invitations/i1/acceptance';
  expect(await run(['org', 'join', 'i1'], { [join]: { status: 200, body: lab } })).toMatchObject({
    code: 0,
    stdout: 'You have joined Lab (o1) as OWNER.\n',
  });
  const leave = 'DELETE /api/organizations/o1/membership';
  expect(await run(['--in', 'o1', 'org', 'leave'], { [leave]: { status: 204 } })).toMatchObject({
    code: 0,
    requests: [leave],
  });
});

test('members are invited, listed and given roles, in the organization of --in or KET_ORGANIZATION', async () => {
  const invite = 'POST /api/organizations/o1/invitations';
  const invited = await run(['org', 'invite', 'grace@example.org', '--in', 'o1'], {
    [invite]: { status: 201, body: invitation },
  });
  expect(invited).toMatchObject({ code: 0, requests: [invite] });
  expect(invited.stdout).toBe('grace@example.org is invited to Lab as VIEWER, until 2026-01-15 00:00:00.\n');
  const list = 'GET /api/organizations/o1/members';
  const members = await run(
    ['org', 'members', '--json'],
    { [list]: { status: 200, body: [member] } },
    { KET_ORGANIZATION: 'o1' },
  );
  expect([members.code, members.json()]).toEqual([0, [member]]);
  const change = 'PUT /api/organizations/o1/members/u2';
  const changed = await run(['org', 'role', 'u2', 'owner', '--in', 'o1'], {
    [change]: { status: 200, body: { ...member, role: 'OWNER' } },
  });
  expect(changed).toMatchObject({ code: 0, stdout: 'Grace H is OWNER.\n', requests: [change] });
});

test('without an organization, or with a role that does not exist, nothing is asked of the platform', async () => {
  expect(await run(['org', 'members'], {})).toMatchObject({ code: exitCodes.usage.code, requests: [] });
  expect(await run(['org', 'role', 'u2', 'KING', '--in', 'o1'], {})).toMatchObject({
    code: exitCodes.usage.code,
    requests: [],
  });
});

test('the audit log is searched', async () => {
  const entry = {
    id: 'e',
    at: '2026-01-01 00:00:00',
    actorId: 'u1',
    action: 'access-key:rotate',
    resourceId: 'k',
    detail: {},
  };
  const search = 'GET /api/audit-log?action=access-key%3Arotate&resourceId=k&limit=100';
  const found = await run(['audit', '--action', 'access-key:rotate', '--resource', 'k'], {
    [search]: { status: 200, body: [entry] },
  });
  expect(found).toMatchObject({ code: 0, requests: [search] });
  expect(found.stdout).toContain('2026-01-01 00:00:00  access-key:rotate  k         u1');
});

test('org use keeps an organization for who has signed in; --in goes before it, and leaving ends it', async () => {
  const folder = await folderWith();
  const me = { id: 'u1', username: 'ada', firstname: 'Ada', lastname: 'L', email: 'ada@example.org' };
  const { url, requests } = await standInPlatform({
    'GET /api/me': { status: 200, body: me },
    'GET /api/organizations': { status: 200, body: [lab, { ...lab, id: 'o2' }, { ...lab, id: 'o3', name: 'Fab' }] },
    'GET /api/organizations/o3/members': { status: 200, body: [member] },
    'GET /api/organizations/o1/members': { status: 200, body: [member] },
    'DELETE /api/organizations/o3/membership': { status: 204 },
  });
  const here = async (...args: string[]) => ket(args, { folder });
  expect(await ket(['login', '--token', url], { folder, input: 'ket_pat_x\n' })).toMatchObject({ code: 0 });
  // Two organizations of one name.
  expect(await here('org', 'use', 'lab')).toMatchObject({ code: exitCodes.usage.code });
  expect(await here('org', 'use', 'fab')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Fab (o3) as OWNER'),
  });
  expect((await here('whoami')).stdout).toBe(`ada (Ada L) at ${url}, in Fab (o3) as OWNER\n`);
  expect((await here('--in', 'me', 'whoami')).stdout).toBe(`ada (Ada L) at ${url}\n`);
  expect((await here('org', 'use', 'me')).code).toBe(0);
  expect((await here('whoami')).stdout).toBe(`ada (Ada L) at ${url}\n`);
  expect((await here('org', 'use', 'fab')).code).toBe(0);
  expect((await here('org', 'members')).code).toBe(0);
  expect((await here('--in', 'o1', 'org', 'members')).code).toBe(0);
  expect(requests.slice(-2)).toEqual(['GET /api/organizations/o3/members', 'GET /api/organizations/o1/members']);
  expect((await here('org', 'leave')).code).toBe(0);
  expect((await here('whoami')).stdout).toBe(`ada (Ada L) at ${url}\n`);
  const environment = { KET_TOKEN: 'ket_pat_x', KET_URL: url };
  expect(await ket(['org', 'use', 'fab'], { folder, environment })).toMatchObject({ code: exitCodes.usage.code });
});
