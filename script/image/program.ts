import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { root } from '../run.ts';
import { trackedFiles } from '../tracked.ts';
import { describeLayer, packLayer, type Layer } from './archive.ts';
import { addProgram } from './system.ts';

/** Folder of Kethub in an image. */
export const HOME = '/opt/kethub';
/** Folder of the built dashboard in an image. */
export const DASHBOARD = `${HOME}/dashboard`;

const { fetchNode, NODE_VERSION } = createRequire(import.meta.url)('../bootstrap.cjs') as {
  fetchNode(folder: string, name: string): void;
  NODE_VERSION: string;
};

/** Packages of the workspaces that run in an image. The dashboard is built before. */
const WORKSPACES = ['@kethub/server', '@kethub/cli'];
/** Tracked files that an image needs. */
const SOURCES = [
  'apps/server',
  'apps/cli',
  'apps/dashboard/package.json',
  'examples',
  'packages',
  'script',
  'package.json',
  'package-lock.json',
  'LICENSE',
  'README.md',
];
/** Files of packages that nothing reads at run time: sources in C of native modules, types and maps. */
const UNREAD = ['*.map', '*.d.ts', '*.d.mts', '*.d.cts', '*.md', '*.markdown'];

/** Makes the layer of Node and the installed packages, which changes with the lock file only. */
export async function packagesLayer(cache: string, say: (line: string) => void): Promise<Layer> {
  const lock = readFileSync(path.join(root, 'package-lock.json'));
  const text = readFileSync(import.meta.filename);
  const key = createHash('sha256').update(lock).update(text).update(NODE_VERSION).digest('hex').slice(0, 24);
  const file = path.join(cache, `packages-${key}.tar.gz`);
  if (existsSync(file)) return describeLayer(file);
  const draft = mkdtempSync(path.join(cache, 'packages-'));
  try {
    const home = path.join(draft, HOME);
    mkdirSync(home, { recursive: true });
    addProgram(nodeBinary(cache), draft, 'usr/bin/node');
    say('Installing the packages of the lock file, without those of development.');
    for (const name of tracked().filter((one) => /(^|\/)package(-lock)?\.json$/.test(one))) copy(name, home);
    npm(home, ['ci', '--omit=dev', ...WORKSPACES.flatMap((name) => ['--workspace', name])]);
    execFileSync('find', [
      home,
      '-path',
      '*/node_modules/*',
      '(',
      ...UNREAD.flatMap((name, at) => [...(at > 0 ? ['-o'] : []), '-name', name]),
      ')',
      '-type',
      'f',
      '-delete',
    ]);
    for (const unread of [
      'better-sqlite3/deps',
      'better-sqlite3/src',
      'better-sqlite3/build/Release/obj',
      '.package-lock.json',
    ])
      rmSync(path.join(home, 'node_modules', unread), { recursive: true, force: true });
    // The rest belongs to the layer above.
    for (const name of readdirSync(home)) if (name !== 'node_modules') keepOnlyPackages(path.join(home, name));
    normalize(draft);
    return await packLayer(draft, file);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Makes the layer of our own sources, the built dashboard, and the folder of the data, which belongs to user 1000. */
export async function programLayer(cache: string, say: (line: string) => void): Promise<Layer> {
  const draft = mkdtempSync(path.join(cache, 'program-'));
  try {
    const home = path.join(draft, HOME);
    mkdirSync(home, { recursive: true });
    for (const name of tracked()) copy(name, home);
    say('Building the dashboard.');
    execFileSync(process.execPath, [path.join(root, 'apps/dashboard/build.ts'), path.join(draft, DASHBOARD)], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, NODE_ENV: 'production' },
    });
    const ket = path.join(draft, 'usr/bin/ket');
    mkdirSync(path.dirname(ket), { recursive: true });
    writeFileSync(ket, `#!/bin/sh\nexec /usr/bin/node ${HOME}/apps/cli/src/main.ts "$@"\n`);
    chmodSync(ket, 0o755);
    mkdirSync(path.join(draft, 'var/lib/kethub'), { recursive: true });
    normalize(draft);
    chmodSync(path.join(draft, 'var/lib/kethub'), 0o700);
    return await packLayer(draft, path.join(cache, 'program.tar.gz'), ['var/lib/kethub']);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Sources that Git knows, without tests. */
function tracked(): string[] {
  return trackedFiles(SOURCES).filter((name) => !/\.test\.ts$|\/testing\//.test(name));
}

function copy(name: string, home: string): void {
  const to = path.join(home, name);
  mkdirSync(path.dirname(to), { recursive: true });
  cpSync(path.join(root, name), to, { verbatimSymlinks: true });
}

/** Leaves only folders `node_modules` of a workspace. */
function keepOnlyPackages(at: string): void {
  execFileSync('find', [at, '-name', 'node_modules', '-prune', '-o', '-type', 'f', '-exec', 'rm', '-f', '{}', '+']);
}

/** Modes do not depend on the umask of whoever builds. */
function normalize(at: string): void {
  execFileSync('chmod', ['-R', 'u=rwX,go=rX,a-s', at]);
}

/** Node as the project gets it: this one, or the package of its version from the npm registry. */
function nodeBinary(cache: string): string {
  if (process.version === `v${NODE_VERSION}` && process.execPath.includes('/node_modules/node-linux-'))
    return process.execPath;
  const name = `node-linux-${process.arch}`;
  const folder = path.join(cache, `node-${NODE_VERSION}`);
  const binary = path.join(folder, 'node_modules', name, 'bin/node');
  if (!existsSync(binary)) fetchNode(folder, name);
  return binary;
}

function npm(folder: string, args: readonly string[]): void {
  const run = spawnSync('npm', [...args, '--ignore-scripts', '--no-fund', '--no-audit', '--loglevel=error'], {
    cwd: folder,
    stdio: ['ignore', 2, 2],
  });
  if (run.status !== 0)
    throw new Error('npm failed. Check that the npm registry can be reached (npm ping), then try again.');
}
