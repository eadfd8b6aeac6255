import { createHash, randomUUID } from 'node:crypto';
import { chmod, mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../errors.ts';
import type { Runtime } from '../types.ts';
import { compileTree } from './compile.ts';
import { bytesOf, removeTree, sealTree, syncFolder } from './folders.ts';
import type { HostPython } from './host-python.ts';
import type { Tell } from './log.ts';
import { pipInstall } from './pip-install.ts';
import { BuildError } from './problem.ts';
import type { Requirement } from './requirements.ts';

const MAX_LAYER_BYTES = 6 * 2 ** 30;

/** What the layers of this machine are made with. */
export interface LayerGround {
  runtime: Pick<Runtime, 'sandboxed'>;
  /** `<dataDir>/runtime`. */
  runtimeDir: string;
  python: HostPython;
  /** Where pip's settings are read from. */
  environment: NodeJS.ProcessEnv;
}

/**
 * Names a layer by its content: the same demands for the same Python are the same layer, whichever service has them.
 * Returns `layers/<key>`, relative to the runtime folder.
 */
export function layerName(requirements: readonly Requirement[], python: HostPython): string {
  const content = JSON.stringify({
    form: 1,
    version: python.version,
    platform: python.platform,
    pip: python.pip?.version,
    requirements: requirements.map((one) => one.text),
  });
  return `layers/${createHash('sha256').update(content).digest('hex').slice(0, 40)}`;
}

/**
 * Installs requirements into a new layer. It appears whole or not at all; when another process was faster, its layer stays.
 * @throws BuildError when the packages cannot be had.
 */
export async function installLayer(
  ground: LayerGround,
  requirements: readonly Requirement[],
  tell: Tell,
  signal: AbortSignal,
): Promise<void> {
  const { runtime, runtimeDir, python, environment } = ground;
  const draft = join(runtimeDir, 'drafts', randomUUID());
  const packages = join(draft, 'packages');
  try {
    for (const folder of ['packages', 'tmp', 'settings'])
      await mkdir(join(draft, folder), { recursive: true, mode: 0o755 });
    const text = requirements.map((one) => `${one.text}\n`).join('');
    await writeFile(join(draft, 'requirements.txt'), text, { mode: 0o644 });
    await pipInstall({ runtime, python, environment, draft, requirements, onLine: tell.line, signal });
    const bytes = await bytesOf(packages);
    if (bytes > MAX_LAYER_BYTES) {
      const detail = `The packages take ${gigabytes(bytes)} GiB, at most ${gigabytes(MAX_LAYER_BYTES)} GiB are allowed.`;
      throw new BuildError('install-failed', detail);
    }
    tell.info(`The packages take ${Math.ceil(bytes / 2 ** 20)} MiB. Compiling them.`);
    await compileTree(runtime, packages, '/deps', signal);
    await sealTree(packages);
    await publish(packages, join(runtimeDir, layerName(requirements, python)));
  } finally {
    await removeTree(draft);
  }
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
