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

/** Bytes of a layer. A larger one is refused. */
const MAX_LAYER_BYTES = 6 * 2 ** 30;

/** A file in every layer: the requirements that it was installed from. */
export const LAYER_RECORD = '.kethub-layer.json';

/**
 * Names a layer by its resolved packages: the same files for the same Python are the same layer, for all services.
 * Returns `layers/<key>`, relative to the runtime folder.
 */
export function layerName({ python, platform, packages, sources = [] }: Resolved): string {
  const content = JSON.stringify({ form: 2, python, platform, packages, ...(sources.length > 0 && { sources }) });
  return `layers/${createHash('sha256').update(content).digest('hex').slice(0, 40)}`;
}

/**
 * Installs resolved packages as a new layer, which appears only when it is complete. If another process was faster, its
 * layer stays.
 */
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
 * Installs exactly the resolved files into the draft; a file with another hash is refused. Returns the finished folder.
 * @throws BuildError when a package is not available.
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
  // The log already shows the downloads, from the time of resolving.
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

/**
 * Lock lines for packages that exist as source code only: wheels that were just built, or are built again from the same
 * source.
 */
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

/** Moves a finished folder to its final path. An existing one has the same content and may be in use, so it stays. */
export async function publish(folder: string, target: string): Promise<void> {
  await syncFolder(folder);
  try {
    await rename(folder, target);
  } catch (error) {
    if (errorCode(error) === 'ENOTEMPTY' || errorCode(error) === 'EEXIST') return;
    throw error;
  }
  // Only after the move: except for root, moving a folder that its owner may not write fails.
  await chmod(target, 0o555);
}

function gigabytes(bytes: number): string {
  return (bytes / 2 ** 30).toFixed(1);
}
