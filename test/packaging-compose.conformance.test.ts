import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readConfiguration } from '@kethub/server';
import { callerOf } from '@kethub/server/testing/gateway';
import { deploy } from '@kethub/server/testing/kethub';
import { openTestPlatform, type OpenedPlatform } from '@kethub/server/testing/opened-platform';
import { parse } from 'yaml';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startContainerEngine, type ContainerEngine } from '../script/container-engine.ts';
import { root } from '../script/run.ts';

const COMPOSE = path.join(root, 'deploy/compose');
const NETWORK = 'kethub_default';
const PROXY = '10.213.7.10';
const secret = (): string => randomBytes(32).toString('hex');
const variables = {
  KETHUB_INSTANCE_KEY: secret(),
  POSTGRES_PASSWORD: secret(),
  S3_SECRET: secret(),
  KEYCLOAK_ADMIN_PASSWORD: secret(),
  KEYCLOAK_CLIENT_SECRET: secret(),
  KETHUB_HOSTNAME: PROXY,
  KETHUB_NETWORK: '10.213.7.0/24',
  KETHUB_BIND: '127.77.0.1',
};

let folder: string;
let engine: ContainerEngine;
let opened: OpenedPlatform | null = null;

const command = (program: string, ...args: string[]): string =>
  execFileSync(program, args, {
    cwd: COMPOSE,
    encoding: 'utf8',
    timeout: 600_000,
    maxBuffer: 2 ** 26,
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: folder, DOCKER_HOST: `unix://${engine.socket}`, ...variables },
  });
const compose = (...args: string[]): string =>
  command('docker-compose', '--project-name', 'kethub', '-f', 'compose.yaml', '-f', 'stand-ins.yaml', ...args);
const idOf = (service: string): string =>
  command(
    'docker',
    'ps',
    '--quiet',
    '--no-trunc',
    '--filter',
    `network=${NETWORK}`,
    '--filter',
    `name=${service}`,
  ).trim();
const addressOf = (service: string): string => {
  const id = idOf(service);
  return command(
    'docker',
    'inspect',
    '--format',
    '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}',
    id,
  ).trim();
};

interface ComposedService {
  readonly image: string;
  readonly environment: Record<string, string>;
  readonly security_opt: readonly string[];
  readonly cap_drop: readonly string[];
  readonly tmpfs: readonly string[];
}

/**
 * Starts a service of the file with its options, but by `docker run`. The docker-compose of Debian 12 passes neither a
 * seccomp profile nor `systempaths` on, which its successor does.
 */
function startSandboxing(name: string): void {
  const { services } = parse(compose('config')) as { services: Record<string, ComposedService> };
  const service = services[name];
  if (!service) throw new Error(`The file has no ${name}`);
  const many = (option: string, values: readonly string[]): string[] => values.flatMap((value) => [option, value]);
  command(
    'docker', 'run', '--detach', '--name', name, '--network', NETWORK, '--network-alias', name, '--read-only',
    '--volume', `kethub_${name}:/var/lib/kethub`,
    ...many('--security-opt', service.security_opt),
    ...many('--cap-drop', service.cap_drop),
    ...many('--tmpfs', service.tmpfs),
    ...many('--env', Object.entries(service.environment).map(([key, value]) => `${key}=${value}`)),
    service.image,
  );
} // prettier-ignore

beforeAll(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'kethub-compose-'));
  engine = await startContainerEngine();
  for (const name of ['kethub-platform-0.1.0', 'kethub-worker-0.1.0', 'kethub-test-parts'])
    command('docker', 'load', '--quiet', '--input', path.join(root, `.runtime/image/${name}.tar`));
}, 600_000);

afterAll(async () => {
  await opened?.close();
  try {
    command('docker', 'rm', '--force', '--volumes', 'git', 'worker');
    compose('down', '--volumes', '--timeout', '20');
  } finally {
    await engine.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}, 300_000);

test('all parts start, and a person of Keycloak publishes a service and calls it', async () => {
  compose('up', '--detach', 'proxy', 'api', 'gateway', 'keycloak', 's3');
  for (const name of ['git', 'worker']) startSandboxing(name);
  const isReady = async (origin: string): Promise<boolean> =>
    (await fetch(`${origin}/ready`, { signal: AbortSignal.timeout(10_000) }).catch(() => null))?.status === 200;
  for (const origin of [`http://${PROXY}:8080`, `http://${PROXY}:8081`, `http://${addressOf('worker')}:8082`, `http://${addressOf('git')}:8080`])
    while (!(await isReady(origin))) await pause(500);
  expect(await (await fetch(`http://${PROXY}:8080/`)).text()).toContain('id="root"');
  const configuration = readConfiguration({
    DATABASE_URL: `postgres://kethub:${variables.POSTGRES_PASSWORD}@${addressOf('postgres')}:5432/kethub`,
    KETHUB_INSTANCE_KEY: variables.KETHUB_INSTANCE_KEY,
    KETHUB_BLOBS: 's3://kethub/files',
    KETHUB_S3_ENDPOINT: `http://${addressOf('s3')}:7070`,
    KETHUB_S3_ACCESS_KEY_ID: 'kethub',
    KETHUB_S3_SECRET_ACCESS_KEY: variables.S3_SECRET,
    KETHUB_PUBLIC_URL: `http://${PROXY}:8080`,
    KETHUB_GATEWAY_URL: `http://${PROXY}:8081`,
    KETHUB_IDENTITY_PROVIDER: 'keycloak',
    KETHUB_OIDC_ISSUER: `http://${PROXY}:8080/keycloak/realms/kethub`,
    KETHUB_KEYCLOAK_ADMIN_CLIENT_ID: 'kethub-admin',
    KETHUB_KEYCLOAK_ADMIN_CLIENT_SECRET: variables.KEYCLOAK_CLIENT_SECRET,
    KETHUB_ROLES: 'gateway',
    KETHUB_DATA_DIR: path.join(folder, 'own'),
  });
  opened = await openTestPlatform(configuration);
  const { client } = await opened.signIn('ada');
  const service = await deploy(client, 'sum', { 'program.py': 'def run(a: int, b: int) -> dict:\n  return {"sum": a + b}\n' });
  const caller = await callerOf(service);
  const ended = await caller.finish({ a: 2, b: 3 });
  expect(ended.status).toBe('SUCCEEDED');
  expect((await caller.request('GET', `/${ended.id}/result`)).body).toMatchObject({ sum: 5 });
}, 900_000); // prettier-ignore

test('no container of the platform is privileged or root, and none holds a capability', () => {
  for (const service of ['api', 'gateway', 'git', 'worker']) {
    const id = idOf(service);
    const { HostConfig: host } = (JSON.parse(command('docker', 'inspect', id)) as { HostConfig: Record<string, unknown> }[])[0] ?? { HostConfig: {} };
    expect([host['Privileged'], host['ReadonlyRootfs']]).toEqual([false, true]);
    const said = command('docker', 'exec', id, 'grep', '-E', '^(Uid|CapEff|NoNewPrivs)', '/proc/1/status');
    expect(said.replaceAll('\t', ' ')).toBe('Uid: 1000 1000 1000 1000\nCapEff: 0000000000000000\nNoNewPrivs: 1\n');
  }
}); // prettier-ignore

test('without the rights of a sandbox, a worker refuses to start and says what it needs', () => {
  const args = ['run', '--rm', '--network', 'none', '--read-only', '--tmpfs', '/tmp', 'localhost/kethub-worker:0.1.0'];
  const run = spawnSync('docker', args, { encoding: 'utf8', timeout: 60_000, env: { PATH: '/usr/bin:/bin', HOME: folder, DOCKER_HOST: `unix://${engine.socket}` } });
  expect(run.status).toBe(1);
  expect(run.stderr).toContain('systempaths=unconfined');
}); // prettier-ignore
