import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import { mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

/** Folder of the repository. */
const ROOT = path.resolve(import.meta.dirname, '../../../..');
const BUILD_PROGRAM = path.join(ROOT, 'apps/dashboard/build.ts');
const BUILDS = path.join(ROOT, '.runtime/dashboard');
/** Everything that the build reads. The lock file stands for the packages. */
const SOURCES = [
  'apps/dashboard/{src,public}/**/*',
  'apps/dashboard/*.{ts,html,json}',
  'packages/{client,contract,feel,workflow}/src/**/*.{ts,json}',
  'package-lock.json',
];
/** Lines of the build's output that are reported when it fails. */
const REPORTED_LINES = 20;

/**
 * Folder of the build of the present sources. Builds in a child process of low priority unless that build is there
 * already. Throws when the build fails or `signal` ends it.
 */
export async function buildDashboard(signal: AbortSignal): Promise<string> {
  const folder = path.join(BUILDS, await hashOfSources());
  if (await isFolder(folder)) return folder;
  const temporary = `${folder}.${process.pid}.${Date.now()}.tmp`;
  await mkdir(BUILDS, { recursive: true });
  try {
    await runBuild(temporary, signal);
    await rename(temporary, folder).catch(async (error: unknown) => {
      // Another platform has finished the same build in the meantime.
      if (!(await isFolder(folder))) throw error;
    });
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
  return folder;
}

async function hashOfSources(): Promise<string> {
  const hash = createHash('sha256');
  const files = SOURCES.flatMap((pattern) => globSync(pattern, { cwd: ROOT, withFileTypes: true }))
    .filter((entry) => entry.isFile() && !entry.name.includes('.test.'))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .toSorted();
  for (const file of files) {
    const content = await readFile(file);
    hash.update(`${path.relative(ROOT, file)}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex').slice(0, 16);
}

async function runBuild(folder: string, signal: AbortSignal): Promise<void> {
  const child = spawn(process.execPath, [BUILD_PROGRAM, folder], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'] ?? '', HOME: os.tmpdir(), NODE_ENV: 'production' },
    signal,
  });
  if (child.pid !== undefined) os.setPriority(child.pid, os.constants.priority.PRIORITY_BELOW_NORMAL);
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => output.push(piece));
  const [status] = (await once(child, 'close')) as [number | null];
  if (status === 0) return;
  const lines = Buffer.concat(output).toString('utf8').trim().split('\n').slice(-REPORTED_LINES);
  throw new Error(`The build of the dashboard ended with status ${status}:\n${lines.join('\n')}`);
}

async function isFolder(folder: string): Promise<boolean> {
  try {
    return (await stat(folder)).isDirectory();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}
