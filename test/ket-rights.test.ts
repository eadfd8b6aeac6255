import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createPlatformClient, type PlatformClient } from '@kethub/client';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ket } from '@kethub/cli/testing/ket';
import { sqlite } from '@kethub/server/testing/databases';
import { deploy, startTestKethub, type SignedIn, type TestKethub } from '@kethub/server/testing/kethub';

// Commands on the resources of somebody else, as people who may not use them.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

let platform: TestKethub;
let home: string;
/** The client of an owner of the organization. */
let lab: PlatformClient;
/** Applications of the organization. */
let before: number;
/** Ids of what belongs to the organization. */
let ids: Record<string, string>;
/** Cy may only look in the organization; Bo has nothing to do with it. */
let cy: Record<string, string>;
let bo: Record<string, string>;

beforeAll(async () => {
  platform = await startTestKethub(sqlite);
  home = await mkdtemp(path.join(os.tmpdir(), 'ket-rights-test-'));
  const { id: organizationId } = await platform.client.createOrganization({ json: { name: 'Lab' } });
  const [viewer, stranger] = [await platform.signIn('cy'), await platform.signIn('bo')];
  const guest = { email: 'cy@example.org', role: 'VIEWER' } as const;
  const { id: invitationId } = await platform.client.invite({ organizationId, json: guest });
  await viewer.client.acceptInvitation({ invitationId });
  const waiting = await platform.client.invite({ organizationId, json: { ...guest, email: 'di@example.org' } });
  lab = createPlatformClient({
    baseUrl: platform.kethub.platform.addresses.api,
    credential: { loginSession: platform.loginSession },
    organizationId,
  });
  const code = { 'src/__init__.py': '', 'src/program.py': 'def run(data=None, params=None):\n    return {"a": 1}\n' };
  const service = await deploy(lab, 'cut', code);
  const pool = await lab.createDataPool({ json: { name: 'graphs' } });
  const repo = await lab.createImplementation({ json: { name: 'code' } });
  const job = await lab.startJobOfVersion({
    serviceId: service.service.id,
    version: '1.0.0',
    jsonText: '{"data": {}, "params": {}}',
  });
  await vi.waitFor(
    async () => {
      expect((await lab.getOwnedExecution({ executionId: job.id })).status).toBe('SUCCEEDED');
    },
    { timeout: 60_000 },
  );
  const me = await platform.client.getMe();
  before = (await lab.listApplications()).length;
  ids = {
    organization: organizationId,
    service: service.service.id,
    application: service.application.id,
    pool: pool.id,
    repo: repo.id,
    execution: job.id,
    invitation: waiting.id,
    owner: me.id,
    nowhere: '01900000-0000-7000-8000-000000000000',
  };
  cy = { ...(await environmentOf(viewer)), KET_ORGANIZATION: organizationId };
  bo = await environmentOf(stranger);
  await writeFile(path.join(home, 'file.txt'), 'text');
  await writeFile(path.join(home, 'offer.json'), '{"summary": "a", "categories": [], "pricingPlans": []}');
});
afterAll(async () => {
  await platform.close();
  await rm(home, { recursive: true });
});

/** Variables with which ket acts as this person. */
async function environmentOf({ client }: Pick<SignedIn, 'client'>): Promise<Record<string, string>> {
  const { value } = await client.createAccessToken({ json: { name: 'ket' } });
  const url = new URL(platform.kethub.platform.addresses.api).origin;
  return { KETHUB_CONFIG_DIR: path.join(home, value ?? ''), KET_URL: url, KET_TOKEN: value ?? '' };
}

/** Commands that change something. `{service}` and such become the ids. */
const changing = [
  'service change {service} --description x',
  'service transfer {service} me',
  'service delete {service} --force',
  'service rebuild {service}@1.0.0',
  'service cancel-build {service}@1.0.0',
  'service delete-draft {service}@1.0.0',
  'service automate {service} {repo} --branch main',
  'service unautomate {service}',
  'service retire {service}@1.0.0',
  'app create other',
  'app rename {application} other',
  'app delete {application} --force',
  'app transfer {application} me',
  'app rotate {application}',
  'app revoke {application}',
  'app subscribe {application} {service}',
  'app unsubscribe {application} {service}',
  'datapool create other',
  'datapool change {pool} --name other',
  'datapool transfer {pool} me',
  'datapool upload {pool} file.txt',
  'datapool delete {pool} --force',
  'datapool share {pool} bo',
  'datapool unshare {pool} {owner}',
  'datapool leave {pool}',
  'repo create other',
  'repo import https://example.org/a.git --no-wait',
  'repo sync {repo}',
  'repo unlink {repo}',
  'repo change {repo} --description x',
  'repo service {repo}',
  'repo transfer {repo} me',
  'repo share {repo} bo',
  'repo unshare {repo} {owner}',
  'repo invite {repo} ed@example.org',
  'repo leave {repo}',
  'repo withdraw {repo} {nowhere}',
  'repo join {nowhere}',
  'repo decline {nowhere}',
  'repo protect {repo} main',
  'repo delete {repo} --force',
  'share {service} --user bo',
  'unshare {service} {nowhere}',
  'marketplace publish {service} --file offer.json',
  'marketplace unpublish {service}',
  'marketplace subscribe {service} --plan free',
  'limits set {service} --per-day 3',
  'on-premise other http://example.org/',
  'executions delete {execution}',
  'cancel {execution}',
  'run {service} --job --input -',
  'run {service} --input -',
  'storage keep 3',
  'workflow message {service} name',
  'workflow signal name',
  'workflow retry {execution} 1',
  'workflow retry-all {service}',
  'workflow retry-schedule {service} element',
  'provider-token delete IONQ',
  'provider-token set IONQ --token-stdin',
  'org rename Other',
  'org delete',
  'org invite ed@example.org',
  'org role {owner} VIEWER',
  'org remove {owner}',
  'org withdraw {invitation}',
  'org decline {invitation}',
  'org join {invitation}',
  'admin registrations',
  'admin renew-keys',
  'admin quota cy@example.org 5GB',
  'admin recount-storage',
  'admin end-execution {execution}',
  'admin layers',
  'admin rebuild-layer {nowhere}',
  'admin purge-layer {nowhere}',
  'admin approve cy',
  'admin reject cy',
  'admin disable cy',
  'admin enable cy',
];
const reading = [
  'app keys {application}',
  'service show {service}',
  'service versions {service}',
  'service executions {service}',
  'service source {service}@1.0.0',
  'service build-log {service}@1.0.0',
  'service api {service}@1.0.0',
  'shares {service}',
  'limits show {service}',
  'app subscriptions {application}',
  'app templates {application}',
  'workflow instances {service}',
  'workflow incidents {service}',
  'workflow show {execution}',
  'workflow variables {execution}',
  'workflow journal {execution}',
  'workflow schedules {service}',
  'datapool show {pool}',
  'datapool files {pool}',
  'datapool download {pool}',
  'datapool members {pool}',
  'repo show {repo}',
  'repo members {repo}',
  'repo versions {repo}',
  'status {execution}',
  'result {execution}',
  'logs {execution}',
  'input {execution}',
  'record {execution}',
  'open {execution} --print',
  'marketplace show {service}',
  'audit',
  'org show',
  'org members',
];

/** A command as this person, with the ids in it. */
async function tried(environment: Record<string, string>, command: string) {
  const args = command.split(' ').map((part) => part.replaceAll(/\{(\w+)\}/g, (_all, name: string) => ids[name] ?? ''));
  const input = args.includes('--input') ? '{"data": {}, "params": {}}' : 'secret\n';
  const { code, stderr, json } = await ket([...args, '--json'], { folder: home, environment, input });
  const { error } = json<{ error?: { exitCode: number; code: string; message: string } }>();
  // One sentence or more, the same for people and for programs.
  const isPlain =
    error !== undefined &&
    stderr.includes(`error: ${error.message}\n`) &&
    /^[A-Z].*\.$/s.test(error.message) &&
    !/undefined|\[object|null/.test(error.message);
  return [command, code, error?.exitCode, error?.code, isPlain ? 'plain' : stderr];
}

const isAdministration = (command: string): boolean => command.startsWith('admin ');
/** Invitations and access of a person of their own, which nobody has here. */
const own = /^(org|repo) (join|decline) /;

test('a person who may only look is told the role that is missing', async () => {
  for (const command of changing.filter((one) => !own.test(one))) {
    const code = isAdministration(command) ? 'not-administrator' : 'not-permitted';
    expect(await tried(cy, command)).toEqual([command, 7, 7, code, 'plain']);
  }
});

test('for a stranger, nothing of the organization is there', async () => {
  const commands = [...changing, ...reading].filter((one) => one.includes('{') && !isAdministration(one));
  for (const command of commands) {
    const expected = command.startsWith('org ') && !own.test(command) ? [command, 2, 2] : [command, 4, 4];
    expect(await tried(bo, command)).toEqual([...expected, expect.any(String), 'plain']);
  }
  for (const command of ['services', 'app list', 'org show', 'org delete', 'app create other', 'audit']) {
    const there = { ...bo, KET_ORGANIZATION: ids['organization'] ?? '' };
    const [, code, , , message] = await tried(there, command);
    expect([command, message]).toEqual([command, 'plain']);
    expect([4, 7]).toContain(code);
  }
});

test('nothing has changed', async () => {
  const left = await Promise.all([
    lab.listServices(),
    lab.listApplications(),
    lab.listDataPools(),
    lab.listImplementations(),
    lab.listMembers({ organizationId: ids['organization'] ?? '' }),
  ]);
  expect(left.map((one) => one.length)).toEqual([1, before, 1, 1, 2]);
});
