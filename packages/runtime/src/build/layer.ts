import { createHash } from 'node:crypto';
import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../errors.ts';
import { compileTree } from './compile.ts';
import { bytesOf, sealTree, syncFolder } from './folders.ts';
import type { OnLine } from './build-log.ts';
import { pipProblem } from './pip-problem.ts';
import { INSTALL, runPip, type PipContext } from './pip-run.ts';
import { BuildError } from './problem.ts';
import type { Requirement } from './requirements.ts';
import type { Resolved } from './resolve.ts';
import { buildPackage, type BuiltPackage } from './source-packages.ts';

const MAX_LAYER_BYTES = 6 * 2 ** 30;

/** Lies in every layer: what it was installed from. */
export const LAYER_RECORD = '.kethub-layer.json';

/**
 * Names a layer by what was resolved: the same files for the same Python are the same layer, whichever service demands
 * them. Returns `layers/<key>`, relative to the runtime folder.
 */
export function layerName({ python, platform, packages, sources = [] }: Resolved): string {
  const content = JSON.stringify({ form: 2, python, platform, packages, ...(sources.length > 0 && { sources }) });
  return `layers/${createHash('sha256').update(content).digest('hex').slice(0, 40)}`;
}

/** Installs what was resolved as a new layer. It appears whole or not at all; when another process was faster, its layer stays. */
export async function installLayer(
  context: PipContext,
  runtimeDir: string,
  resolved: Resolved,
  requirements: readonly Requirement[],
  built: readonly BuiltPackage[] = [],
): Promise<void> {
  const packages = await makeLayer(context, resolved, requirements, built);
  await publish(packages, join(runtimeDir, layerName(resolved)));
}

/**
 * Installs exactly what was resolved into the draft; a file with another hash is refused. Returns the finished folder.
 * @throws BuildError when the packages cannot be had.
 */
export async function makeLayer(
  context: PipContext,
  resolved: Resolved,
  requirements: readonly Requirement[],
  built: readonly BuiltPackage[] = [],
): Promise<string> {
  const { draft, runtime, python, log, signal } = context;
  const own = await ownWheels(context, resolved, built);
  const packages = join(draft, 'packages');
  await mkdir(packages, { mode: 0o755 });
  await writeFile(join(draft, 'lock.txt'), [...resolved.packages, ...own].map((one) => `${one}\n`).join(''), {
    mode: 0o644,
  });
  const options = ['--require-hashes', '--no-deps', '--requirement', '/build/lock.txt', '--target', '/build/packages'];
  if (own.length > 0) options.push('--find-links', '/build/wheels');
  // The log has the downloads already, from when the requirements were resolved.
  const onLine: OnLine = (line) => {
    if (line.severity !== 'INFO') log.line(line);
  };
  const { output, exitCode } = await runPip(context, [...INSTALL, ...options], onLine);
  if (exitCode !== 0) throw pipProblem(output, requirements, python);
  const bytes = await bytesOf(packages);
  if (bytes > MAX_LAYER_BYTES) {
    const detail = `The packages take ${gigabytes(bytes)} GiB, at most ${gigabytes(MAX_LAYER_BYTES)} GiB are allowed.`;
    throw new BuildError('install-failed', detail);
  }
  log.info(`The packages take ${Math.ceil(bytes / 2 ** 20)} MiB. Compiling them.`);
  await compileTree(runtime, packages, '/deps', python, signal);
  await rm(join(packages, LAYER_RECORD), { recursive: true, force: true });
  await writeFile(join(packages, LAYER_RECORD), JSON.stringify({ ...resolved, bytes }), { flag: 'wx' });
  await sealTree(packages);
  return packages;
}

/** Lines for the wheels of what there is as source code only: those that were just built, or else built from the same source again. */
async function ownWheels(
  context: PipContext,
  { sources = [] }: Resolved,
  built: readonly BuiltPackage[],
): Promise<string[]> {
  const lines: string[] = [];
  for (const source of sources) {
    const [demand = '', sha256 = ''] = source.split(' --hash=sha256:');
    const there = built.find((one) => one.sha256 === sha256 && demand === `${one.name}==${one.version}`);
    const { name, version, wheelSha256 } = there ?? (await buildPackage(context, demand, sha256));
    lines.push(`${name}==${version} --hash=sha256:${wheelSha256}`);
  }
  return lines;
}

/** Moves a finished folder to its place. One that is there already has the same content, and may be in use. */
export async function publish(folder: string, target: string): Promise<void> {
  await syncFolder(folder);
  try {
    await rename(folder, target);
  } catch (error) {
    if (errorCode(error) === 'ENOTEMPTY' || errorCode(error) === 'EEXIST') return;
    throw error;
  }
  // Only now: moving a folder that its owner may not write fails for everyone but root.
  await chmod(target, 0o555);
}

function gigabytes(bytes: number): string {
  return (bytes / 2 ** 30).toFixed(1);
}
