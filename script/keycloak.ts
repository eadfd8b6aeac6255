import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { root } from './run.ts';
import { mavenCentral, type Tool } from './system-tools.ts';

const VERSION = '26.7.3';
/** Digest of the archive on Maven Central, as published beside it. */
const SHA256 = '77657f30b7e90d70f727712ce1c967f430fd6a5e9f458d32d8c6df0635345f47';
const ARCHIVE = `${mavenCentral}/org/keycloak/keycloak-quarkus-dist/${VERSION}/keycloak-quarkus-dist-${VERSION}.tar.gz`;
const OLDEST_JAVA = 17;

/** The arguments that kc.sh passes to Java, as far as a test needs them. */
const JAVA_OPTIONS = [
  '-Xms64m',
  '-Xmx512m',
  '-XX:+UseSerialGC',
  // It lives for one run, so compiling more than once costs more than it saves.
  '-XX:TieredStopAtLevel=1',
  '-Dfile.encoding=UTF-8',
  '-Duser.language=en',
  '-Djava.util.logging.manager=org.jboss.logmanager.LogManager',
  '-Djava.util.concurrent.ForkJoinPool.common.threadFactory=io.quarkus.bootstrap.forkjoin.QuarkusForkJoinWorkerThreadFactory',
  ...['util', 'util.concurrent', 'security', 'lang'].map((name) => `--add-opens=java.base/java.${name}=ALL-UNNAMED`),
];

export const javaTool: Tool = {
  what: 'Java',
  package: 'default-jre-headless',
  isThere() {
    const said = spawnSync('java', ['-version'], { encoding: 'utf8' }).stderr ?? '';
    return Number(/version "(\d+)/.exec(said)?.[1] ?? 0) >= OLDEST_JAVA;
  },
};

/** Keycloak cannot be fetched here. The message is the reason. */
export class KeycloakMissing extends Error {}

export interface Keycloak {
  /** Address of a server on which realms can be created, with name and password of its administrator. */
  readonly url: string;
  stop(): Promise<void>;
}

/** The folder of Keycloak, fetched and built once into .runtime/. Throws KeycloakMissing. */
export async function fetchKeycloak(say: (line: string) => void): Promise<string> {
  const runtime = path.join(root, '.runtime');
  const home = path.join(runtime, `keycloak-${VERSION}`);
  if (existsSync(home)) return home;
  say(`fetching Keycloak ${VERSION} ...`);
  mkdirSync(runtime, { recursive: true });
  const folder = mkdtempSync(path.join(runtime, 'keycloak-'));
  try {
    const archive = path.join(folder, 'keycloak.tar.gz');
    // curl respects the proxies of the machine.
    await call('curl', ['-fsSL', '--connect-timeout', '15', '--max-time', '600', '--output', archive, ARCHIVE]);
    const hash = createHash('sha256');
    await pipeline(createReadStream(archive), hash);
    const found = hash.digest('hex');
    if (found !== SHA256) throw new KeycloakMissing(`${ARCHIVE} has the SHA-256 ${found}, not ${SHA256}`);
    await call('tar', ['-xzf', archive, '-C', folder]);
    const unpacked = path.join(folder, `keycloak-${VERSION}`);
    // Built once for what the tests use, not at every start.
    await call('java', [...javaArguments(unpacked, unpacked), 'build', '--db=dev-mem', '--cache=local']);
    // Appears only when complete: an interrupted fetch is repeated, and of two at the same time one wins.
    if (!existsSync(home)) renameSync(unpacked, home);
  } finally {
    rmSync(folder, { recursive: true });
  }
  return home;
}

/** Starts a Keycloak of its own on loopback, on a free port, with its database in memory. */
export async function startKeycloak(installed: string): Promise<Keycloak> {
  // Its files go into a folder of this run.
  const home = mkdtempSync(path.join(os.tmpdir(), 'kethub-keycloak-'));
  for (const part of ['bin', 'conf', 'lib', 'providers', 'themes']) {
    symlinkSync(path.join(installed, part), path.join(home, part));
  }
  const [name, password] = ['kethub-test', randomBytes(16).toString('hex')];
  const server = spawn(
    'java',
    [
      ...javaArguments(installed, home),
      'start',
      '--optimized',
      '--http-enabled=true',
      '--http-host=127.0.0.1',
      '--http-port=0',
      '--hostname-strict=false',
    ],
    {
      cwd: home,
      env: {
        PATH: process.env['PATH'],
        KC_BOOTSTRAP_ADMIN_USERNAME: name,
        KC_BOOTSTRAP_ADMIN_PASSWORD: password,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const stop = async (): Promise<void> => {
    if (server.exitCode === null && server.signalCode === null) {
      const ended = once(server, 'exit');
      server.kill('SIGTERM');
      await ended;
    }
    rmSync(home, { recursive: true });
  };
  try {
    const port = await ready(server);
    return { url: `http://${name}:${password}@127.0.0.1:${port}`, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Starts Java itself and not kc.sh, so that the started process is the one that is stopped. */
function javaArguments(installed: string, home: string): string[] {
  return [
    ...JAVA_OPTIONS,
    `-Dkc.home.dir=${home}`,
    `-Djboss.server.config.dir=${path.join(home, 'conf')}`,
    '-cp',
    path.join(installed, 'lib', 'quarkus-run.jar'),
    'io.quarkus.bootstrap.runner.QuarkusEntryPoint',
  ];
}

/** Returns the port. */
function ready(server: ChildProcess): Promise<string> {
  let said = '';
  return new Promise((resolve, reject) => {
    const listen = (chunk: Buffer): void => {
      // Reads all output, because a full pipe would block the server, but keeps it only until it is ready.
      if (said.length < 50_000) said += chunk.toString();
      const [, port] = /Listening on: http:\/\/[^:\s]+:(\d+)/.exec(said) ?? [];
      if (port !== undefined) resolve(port);
    };
    server.stdout?.on('data', listen);
    server.stderr?.on('data', listen);
    server.once('exit', () => reject(new Error(`Keycloak ended before it was ready: ${said}`)));
    server.once('error', reject);
  });
}

/** Runs a program while others of this process go on: of Keycloak, most of the time is a download and a build. */
async function call(command: string, args: string[]): Promise<void> {
  try {
    await promisify(execFile)(command, args, { maxBuffer: 2 ** 24 });
  } catch (error) {
    const { message, stdout = '', stderr = '' } = error as Error & { stdout?: string; stderr?: string };
    throw new KeycloakMissing(`${command} failed: ${(stderr + stdout).slice(-2_000) || message}`);
  }
}
