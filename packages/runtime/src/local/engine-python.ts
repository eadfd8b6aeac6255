import { createHash } from 'node:crypto';
import { chmodSync, chownSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspectImage } from '../build/image-build.ts';
import { ImageLog } from '../build/image-log.ts';
import { createBuildLog, type OnLine } from '../build/build-log.ts';
import { bind } from '../containers/description.ts';
import { EngineRefusal, type Engine } from '../containers/engine.ts';
import { pythonSideIn } from './engine-driver.ts';
import type { LocalEngine } from './find-engine.ts';
import type { Ask } from './inspect-local.ts';
import { runInContainer } from './run-in-container.ts';

/** Milliseconds for the installation of packages. Beyond them it is ended. */
const INSTALL_MS = 30 * 60_000;
/** Lines of pip that a failure shows. */
const SHOWN_LINES = 12;
const DEPS = '/deps';

/** The engine cannot do what a service needs. The message is for the person at this machine. */
export class EngineProblem extends Error {
  override readonly name = 'EngineProblem';
}

/** An image with an interpreter, and what is needed to use it. */
export interface EnginePython {
  readonly engine: LocalEngine;
  readonly image: string;
  /** Folder of the state, as of the driver. */
  readonly dir: string;
  readonly labels: Readonly<Record<string, string>>;
  /** The engine's network for pip. */
  readonly network: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Fetches the image if the engine does not have it. @returns the version of its Python, such as `3.12`. */
export async function pythonInImage(python: EnginePython, onLine: OnLine, signal: AbortSignal): Promise<string> {
  const { engine, image, labels } = python;
  if ((await inspectImage(engine.engine, image)) === null) await pull(engine.engine, image, onLine, signal);
  const command = ['python3', '-I', '-S', '-c', 'import sys; print("%d.%d" % sys.version_info[:2])'];
  try {
    const { stdout, stderr, code } = await runInContainer(engine, { image, command, binds: [], labels }, signal);
    if (code === 0) return stdout.trim();
    throw new EngineProblem(`The image ${image} has no python3 that runs: ${stderr.trim()}`);
  } catch (error) {
    if (!(error instanceof EngineRefusal)) throw error;
    throw new EngineProblem(`The image ${image} cannot run python3: ${error.message}`);
  }
}

async function pull(engine: Engine, image: string, onLine: OnLine, signal: AbortSignal): Promise<void> {
  const [, name = image, tag = 'latest'] = /^(.*?)(?::([\w.-]+))?$/s.exec(image) ?? [];
  const log = new ImageLog(createBuildLog(onLine, Date.now), () => undefined);
  const failed = (why: string): EngineProblem =>
    new EngineProblem(`The image ${image} could not be fetched: ${why} Another one: --image <name>.`);
  try {
    const answer = await engine.open('POST', '/images/create', { query: { fromImage: name, tag }, signal });
    for await (const chunk of answer as AsyncIterable<Buffer>) log.push(chunk);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof EngineRefusal) throw failed(error.message);
    throw error;
  }
  if (log.problem !== null) throw failed(log.problem);
}

/**
 * Installs requirements by the pip of the image, once for each text.
 * @returns the folder with the packages; null when nothing is required.
 */
export async function packagesInImage(
  python: EnginePython,
  requirements: string | null,
  onLine: OnLine,
  signal: AbortSignal,
): Promise<string | null> {
  if (requirements === null) return null;
  const { engine, image, dir, labels, network } = python;
  const found = await inspectImage(engine.engine, image);
  const digest = createHash('sha256')
    .update(`${found?.Id ?? ''}\n${requirements}`)
    .digest('hex')
    .slice(0, 16);
  const layer = join(dir, 'layers', digest);
  if (existsSync(layer)) return layer;
  createBuildLog(onLine, Date.now).info(`Installing the packages of requirements.txt in ${image} ...`);
  const draft = join(dir, 'layers', `draft-${process.pid}`);
  rmSync(draft, { recursive: true, force: true });
  for (const name of ['packages', 'tmp']) {
    mkdirSync(join(draft, name), { recursive: true });
    if (engine.owner !== null) chownSync(join(draft, name), engine.owner, engine.owner);
  }
  const list = join(draft, 'requirements.txt');
  writeFileSync(list, requirements);
  chmodSync(list, 0o644);
  const { variables, files } = pipSettings(python.environment);
  const command = ['python3', '-m', 'pip', 'install', '--quiet', '--no-cache-dir', '--no-compile'];
  const { code, stdout, stderr } = await runInContainer(
    engine,
    {
      image,
      command: [...command, '--target', DEPS, '--upgrade', '-r', '/requirements.txt'],
      binds: [
        bind(join(draft, 'packages'), DEPS, true),
        bind(join(draft, 'tmp'), '/tmp', true),
        bind(list, '/requirements.txt', false),
        ...files.map((file) => bind(file, file, false)),
      ],
      labels,
      network,
      environment: { PIP_DISABLE_PIP_VERSION_CHECK: '1', ...variables },
      limitMs: INSTALL_MS,
    },
    signal,
  );
  if (code !== 0) {
    rmSync(draft, { recursive: true, force: true });
    const last = `${stdout}${stderr}`.trim().split('\n').slice(-SHOWN_LINES).join('\n');
    throw new EngineProblem(`The packages could not be installed:\n${last}`);
  }
  renameSync(join(draft, 'packages'), layer);
  rmSync(draft, { recursive: true, force: true });
  return layer;
}

/** Variables of this shell by which pip finds its index, and files that these name. */
function pipSettings(environment: EnginePython['environment']): {
  variables: Record<string, string>;
  files: string[];
} {
  const given = Object.entries(environment).filter(
    (one): one is [string, string] => /^(PIP_\w+|https?_proxy|no_proxy)$/i.test(one[0]) && one[1] !== undefined,
  );
  const files = ['PIP_CERT', 'PIP_CONFIG_FILE'].flatMap((name) => environment[name] ?? []);
  return { variables: Object.fromEntries(given), files: files.filter((file) => existsSync(file)) };
}

/** Asks Python scripts of ours about a copy of the code, in containers without a network. */
export function askInImage(
  python: EnginePython,
  code: {
    readonly sourceDir: string;
    readonly packages: string | null;
    readonly environment: Readonly<Record<string, string>>;
  },
): Ask {
  const { engine, image, dir, labels } = python;
  return async (script, signal, onStderr) => {
    const binds = [bind(code.sourceDir, '/app', false), bind(pythonSideIn(dir), '/runner', false)];
    if (code.packages !== null) binds.push(bind(code.packages, DEPS, false));
    const command = ['python3', '-I', '-S', '-B', '-u', `/runner/${script}`];
    const { environment } = code;
    const asked = await runInContainer(engine, { image, command, binds, labels, environment }, signal);
    for (const line of asked.stderr.split('\n')) if (line !== '') onStderr?.(line);
    return asked;
  };
}
