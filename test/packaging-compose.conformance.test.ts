import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { createPlatformClient, type PlatformClient } from '@kethub/client';
import { Chromium } from '@kethub/server/testing/chromium';
import { callerOf, member, type Caller } from '@kethub/server/testing/gateway';
import { deploy } from '@kethub/server/testing/kethub';
import { startSmtpServer } from '@kethub/server/testing/smtp-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addComposePlugin } from '../script/compose.ts';
import { startContainerEngine, type ContainerEngine } from '../script/container-engine.ts';
import { root } from '../script/run.ts';

// The compose file as its page says to start it, from a folder with a copy of it. Images of PostgreSQL, versitygw, Keycloak and
// nginx cannot be pulled here: stand-ins.yaml puts the same programs, from packages, in their place. The tests build on
// each other, in this order.

const programs = JSON.parse(process.env['KETHUB_TEST_PACKAGING'] ?? '{}') as { compose: string };
const MACHINE = '10.213.7.1';
/** Address at which this machine reaches what the containers publish. */
const BIND = '127.77.0.1';
const ROLES = ['api', 'gateway', 'git', 'worker'] as const;
const ADA = { username: 'ada', email: 'ada@example.org', firstName: 'Ada', lastName: 'Lovelace' };
const PASSWORD = 'correct horse battery staple';
/** The name of env.example. Browsers trust it like loopback; programs of this machine do not know it. */
const HOSTNAME = 'kethub.localhost';
const PLATFORM = `http://${HOSTNAME}:8080`;
const REALM = `${PLATFORM}/keycloak/realms/kethub`;
const at = (address: string): string => address.replace(HOSTNAME, BIND);

let folder: string;
let engine: ContainerEngine;
let mails: Awaited<ReturnType<typeof startSmtpServer>> | null = null;
let browser: Chromium | null = null;
let client: PlatformClient;
let caller: Caller;
let firstId: string;
const variables: Record<string, string> = {};

interface Container {
  readonly ID: string;
  readonly Service: string;
  readonly State: string;
  readonly Health: string;
  readonly ExitCode: number;
}

async function docker(...args: string[]): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)('docker', args, {
    cwd: path.join(folder, 'compose'),
    timeout: 600_000,
    maxBuffer: 2 ** 26,
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: folder, DOCKER_HOST: `unix://${engine.socket}` },
  });
  return stdout + stderr;
}
const compose = (...args: string[]): Promise<string> =>
  docker('compose', '-f', 'compose.yaml', '-f', 'stand-ins.yaml', ...args);
const containers = async (): Promise<readonly Container[]> =>
  (await compose('ps', '--all', '--format', 'json'))
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Container);
const idOf = async (service: string): Promise<string> => (await compose('ps', '--quiet', service)).trim();
/** Words of a command that must fail. */
const refusal = (running: Promise<string>): Promise<string> =>
  running.then(
    (words) => Promise.reject(new Error(`This should have failed: ${words}`)),
    (error: unknown) => `${String(Reflect.get(error as object, 'stdout'))}${String(Reflect.get(error as object, 'stderr'))}`,
  ); // prettier-ignore
async function up(...args: string[]): Promise<void> {
  await compose('up', '--detach', '--wait', ...args).catch(async (error: unknown) => {
    throw new Error(`${String(error)}\n${await compose('ps', '--all')}\n${await compose('logs', '--tail', '30')}`);
  });
}
function writeSettings(): void {
  const names = readFileSync(path.join(root, 'deploy/compose/env.example'), 'utf8').matchAll(/^(\w+)=(.*)$/gm);
  const lines = [...names].map(([, name = '', value = '']) => `${name}=${variables[name] ?? value}`);
  const more = ['KETHUB_NETWORK', 'KETHUB_BIND'].map((name) => `${name}=${variables[name] ?? ''}`);
  writeFileSync(path.join(folder, 'compose/.env'), `${[...lines, ...more].join('\n')}\n`, { mode: 0o600 });
}

beforeAll(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'kethub-compose-'));
  for (const name of ['compose', 'seccomp-sandbox.json'])
    cpSync(path.join(root, 'deploy', name), path.join(folder, name), { recursive: true });
  addComposePlugin(programs.compose, folder);
  engine = await startContainerEngine();
  for (const name of ['kethub-platform-0.1.0', 'kethub-worker-0.1.0', 'kethub-test-parts'])
    await docker('load', '--quiet', '--input', path.join(root, `.runtime/image/${name}.tar`));
}, 600_000);

afterAll(async () => {
  await browser?.close();
  await mails?.close();
  try {
    await compose('down', '--volumes', '--timeout', '20');
  } finally {
    await engine.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}, 300_000);

test('without .env, Compose names each value that is missing and starts nothing', async () => {
  expect(await refusal(compose('up', '--detach'))).toMatch(/required variable \w+ is missing a value: set it in \.env/);
});

test('all parts start and are healthy, at the addresses that they publish', async () => {
  const secrets = ['KETHUB_INSTANCE_KEY', 'POSTGRES_PASSWORD', 'S3_SECRET', 'KEYCLOAK_ADMIN_PASSWORD', 'KEYCLOAK_CLIENT_SECRET'];
  for (const name of secrets) variables[name] = randomBytes(32).toString('hex');
  Object.assign(variables, { KETHUB_NETWORK: '10.213.7.0/24', KETHUB_BIND: BIND });
  // The mail server listens on the machine before its network exists.
  mails = await startSmtpServer({ host: '0.0.0.0', tls: 'none' });
  Object.assign(variables, { SMTP_HOST: MACHINE, SMTP_PORT: String(mails.port), SMTP_STARTTLS: 'false', SMTP_FROM: 'kethub@example.org' });
  writeSettings();
  await up();
  const all = await containers();
  expect(all.map(({ Service }) => Service).toSorted()).toEqual(['api', 'gateway', 'git', 'keycloak', 'migrate', 'postgres', 'proxy', 's3', 'worker']);
  for (const service of [...ROLES, 'keycloak', 'postgres'])
    expect(all.find(({ Service }) => Service === service)).toMatchObject({ State: 'running', Health: 'healthy' });
  expect(all.find(({ Service }) => Service === 'migrate')).toMatchObject({ State: 'exited', ExitCode: 0 });
  for (const origin of [`http://${BIND}:8080`, `http://${BIND}:8081`])
    expect((await fetch(`${origin}/ready`)).status).toBe(200);
  expect(await (await fetch(at(`${PLATFORM}/`))).text()).toContain('id="root"');
}, 900_000); // prettier-ignore

test('a person registers at Keycloak, confirms the address by mail, chooses a password, and is approved', async () => {
  browser = await Chromium.start(1_200, `--host-resolver-rules=MAP ${HOSTNAME} ${BIND}`);
  await browser.open(`${PLATFORM}/`);
  await click('Sign in');
  await there('a[href*="registration"]');
  await browser.run(`document.querySelector('a[href*="registration"]').click()`);
  await fillIn('#kc-register-form', ADA);
  await there('p.instruction');
  await expect.poll(() => mails?.received.length, { timeout: 60_000 }).toBe(1);
  const content = mails?.received[0]?.content.replaceAll('=\r\n', '').replaceAll('=3D', '=') ?? '';
  const link = new RegExp(`${REALM}/login-actions/action-token\\S+`).exec(content)?.[0] ?? '';
  await browser.open(link);
  // Keycloak asks for the password once the address is confirmed.
  await fillIn('#kc-passwd-update-form', { 'password-new': PASSWORD, 'password-confirm': PASSWORD });
  await there('main.landing .panel');
  expect(await browser.run('document.body.innerText')).toContain('An administrator has to approve your account');
  const admin = await adminOfKeycloak();
  const [person] = (await admin('GET', '/users?username=ada')) as { id: string; attributes?: object }[];
  expect(person).toMatchObject({ emailVerified: true });
  const attributes = { ...person?.attributes, registrationStatus: ['APPROVED'] };
  await admin('PUT', `/users/${person?.id ?? ''}`, { ...person, attributes });
  // The platform asks Keycloak again after ten seconds.
  const me = async (): Promise<unknown> => (await clientOfAda()).getMe();
  await expect.poll(me, { timeout: 60_000, interval: 2_000 }).toMatchObject({ username: 'ada' });
  // Keycloak still has the session of the registration.
  await browser.open(`${PLATFORM}/me`);
  await there('#recent');
}, 600_000); // prettier-ignore

test('the person publishes a service; an application gets a token, calls it, and reads the result', async () => {
  client = await clientOfAda();
  const service = await deploy(client, 'sum', { 'src/program.py': 'def run(a: int, b: int) -> dict:\n  return {"sum": a + b}\n' });
  caller = await callerOf(service, { at });
  const ended = await caller.finish({ a: 2, b: 3 });
  expect(ended.status).toBe('SUCCEEDED');
  firstId = ended.id;
  expect((await caller.request('GET', `/${firstId}/result`)).body).toMatchObject({ sum: 5 });
}, 300_000); // prettier-ignore

test('no container of the platform is privileged or root, and none holds a capability', async () => {
  for (const service of ROLES) {
    const id = await idOf(service);
    const { HostConfig: host } = (JSON.parse(await docker('inspect', id)) as { HostConfig: Record<string, unknown> }[])[0] ?? { HostConfig: {} };
    expect([host['Privileged'], host['ReadonlyRootfs']]).toEqual([false, true]);
    const said = await docker('exec', id, 'grep', '-E', '^(Uid|CapEff|NoNewPrivs)', '/proc/1/status');
    expect(said.replaceAll('\t', ' ')).toBe('Uid: 1000 1000 1000 1000\nCapEff: 0000000000000000\nNoNewPrivs: 1\n');
  }
}); // prettier-ignore

test('after down and up everything is still there', async () => {
  const saved = await compose('exec', '-T', 'git', 'ket', 'admin', 'backup', '/var/lib/kethub/backup-monday');
  expect(saved).toContain('backup-monday');
  await compose('down');
  expect(await containers()).toEqual([]);
  await up();
  expect((await caller.request('GET', `/${firstId}/result`)).body).toMatchObject({ sum: 5 });
  client = await clientOfAda();
  expect((await caller.finish({ a: 20, b: 30 })).status).toBe('SUCCEEDED');
}, 900_000);

test('a second worker is started, and an administrator sees both', async () => {
  variables['KETHUB_ADMINISTRATORS'] = 'ada';
  writeSettings();
  await up('--scale', 'worker=2');
  expect((await containers()).filter(({ Service }) => Service === 'worker')).toHaveLength(2);
  client = await clientOfAda();
  // A process that has ended is listed for two minutes more.
  const workers = async (): Promise<number> =>
    (await client.getPlatformStatus()).processes.filter(({ worker }) => worker !== undefined).length;
  await expect.poll(workers, { timeout: 240_000 }).toBe(2);
  const all = await Promise.all(Array.from({ length: 20 }, (_, a) => caller.finish({ a, b: 1 })));
  expect(new Set(all.map(({ status }) => status))).toEqual(new Set(['SUCCEEDED']));
}, 600_000);

test('a PostgreSQL that is not up is told in the log and in the state of health, and is waited for', async () => {
  await compose('stop', 'postgres');
  const ready = async (): Promise<string> => (await fetch(at(`${PLATFORM}/ready`))).text();
  await expect.poll(ready, { timeout: 60_000 }).toContain('database');
  await compose('restart', '--timeout', '20', 'gateway');
  const words = 'PostgreSQL at postgres:5432 cannot be used';
  await expect.poll(() => compose('logs', '--tail', '20', 'gateway'), { timeout: 120_000, interval: 2_000 }).toContain(words);
  await compose('start', 'postgres');
  // `up --wait` would give up at once, as all are unhealthy by now. They come back by themselves.
  const sick = async (): Promise<readonly Container[]> =>
    (await containers()).filter(({ Service, Health }) => ROLES.some((role) => role === Service) && Health !== 'healthy');
  await expect.poll(sick, { timeout: 240_000, interval: 2_000 }).toEqual([]);
  expect((await caller.finish({ a: 1, b: 2 })).status).toBe('SUCCEEDED');
}, 600_000); // prettier-ignore

test('a wrong secret of the S3 is told, and no data is touched', async () => {
  // A gateway has no volume that the one which runs has locked.
  const wrong = ['run', '--rm', '--no-deps', '--env', 'KETHUB_S3_SECRET_ACCESS_KEY=wrong', 'gateway'];
  expect(await refusal(compose(...wrong))).toContain('KETHUB_S3_SECRET_ACCESS_KEY');
  expect((await caller.request('GET', `/${firstId}/result`)).body).toMatchObject({ sum: 5 });
}, 120_000);

test('a port that somebody uses is named', async () => {
  await compose('rm', '--stop', '--force', 'proxy');
  const other = net.createServer().listen(8080, BIND);
  await once(other, 'listening');
  expect(await refusal(compose('up', '--detach', '--no-deps', 'proxy'))).toContain(`${BIND}:8080`);
  await new Promise((resolve) => void other.close(resolve));
  await up('--no-deps', 'proxy');
  await expect.poll(async () => (await fetch(`http://${BIND}:8080/ready`)).status).toBe(200);
}, 120_000);

test('without the rights of a sandbox, a worker refuses to start and says what it needs', async () => {
  const args = ['run', '--rm', '--network', 'none', '--read-only', '--tmpfs', '/tmp', 'localhost/kethub-worker:0.1.0'];
  expect(await refusal(docker(...args))).toContain('systempaths=unconfined');
}, 120_000);

/** Clicks a button or a link with these words, once it is there. */
async function click(words: string): Promise<void> {
  const found = `[...document.querySelectorAll('button, a')].find((one) => one.innerText.trim() === ${JSON.stringify(words)})`;
  await expect.poll(() => browser?.run(`${found} !== undefined`), { timeout: 60_000 }).toBe(true);
  await browser?.run(`${found}.click()`);
}

async function there(selector: string): Promise<void> {
  const isThere = `document.querySelector(${JSON.stringify(selector)}) !== null`;
  // Keycloak compiles each page when somebody asks for it first.
  await expect.poll(() => browser?.run(isThere), { timeout: 120_000 }).toBe(true).catch(async (error: unknown) => {
    throw new Error(`No ${selector} on ${String(await browser?.run('`${location}\n${document.body.innerText}`'))}`, { cause: error });
  }); // prettier-ignore
}

/** Fills in a form of Keycloak, once it is there, and sends it. */
async function fillIn(form: string, values: Readonly<Record<string, string>>): Promise<void> {
  await there(form);
  for (const [name, value] of Object.entries(values))
    await browser?.run(`document.querySelector('${form} input[name="${name}"]').value = ${JSON.stringify(value)}`);
  await browser?.run(`document.querySelector('${form}').requestSubmit()`);
}

async function tokenOf(realm: string, body: Record<string, string>): Promise<string> {
  const answer = await fetch(at(`${realm}/protocol/openid-connect/token`), {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'password', ...body }),
  });
  return member(await answer.json(), 'access_token');
}

async function clientOfAda(): Promise<PlatformClient> {
  const person = { client_id: 'kethub', scope: 'openid', username: 'ada', password: PASSWORD };
  return createPlatformClient({ baseUrl: at(`${PLATFORM}/api`), credential: { loginSession: await tokenOf(REALM, person) } });
} // prettier-ignore

/** The administrator, as the page says to approve the first person. */
async function adminOfKeycloak(): Promise<(method: string, where: string, body?: unknown) => Promise<unknown>> {
  const person = { client_id: 'admin-cli', username: 'admin', password: variables['KEYCLOAK_ADMIN_PASSWORD'] ?? '' };
  const token = await tokenOf(`${PLATFORM}/keycloak/realms/master`, person);
  return async (method, where, body) => {
    const answer = await fetch(at(`${PLATFORM}/keycloak/admin/realms/kethub${where}`), {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${where}: ${answer.status} ${text}`);
    return text === '' ? null : JSON.parse(text);
  };
}
