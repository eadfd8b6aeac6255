import { execFile as execFileOf } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { errorCode } from '../errors.ts';
import type { Runtime } from '../types.ts';
import { askedPython } from './asked-python.ts';
import { choosePython } from './choose-python.ts';
import { compileTree } from './compile.ts';
import { removeTree, sealTree } from './folders.ts';
import { askHostPython, ownPython, type HostPython } from './host-python.ts';
import { inDraft } from './in-draft.ts';
import { inspectService } from './inspect.ts';
import { installLayer, layerName, makeLayer, publish } from './layer.ts';
import { listLayers, purgeLayer, removePurged, touchLayer, type LayerStore } from './layers.ts';
import { preparePip, type PipContext } from './pip-run.ts';
import { readLock, type EnvironmentLock } from './lock.ts';
import { createBuildLog, type BuildLog } from './build-log.ts';
import type { BuildRequest, BuiltCode, Parameter, PythonBuilder } from './outcome.ts';
import { BuildError } from './problem.ts';
import { createPythons } from './pythons.ts';
import { receive } from './receive.ts';
import { withProvided } from './provided.ts';
import { readRequirements, type Requirement } from './requirements.ts';
import { resolveRequirements, type Resolved } from './resolve.ts';
import type { BuiltPackage } from './source-packages.ts';
import { shareWork } from './share-work.ts';
import { unpackPip } from './unpack-pip.ts';
import { DEFAULT_UNPACK_LIMITS, unpackSource, type UnpackLimits } from './unpack.ts';

export interface BuilderOptions {
  /** The data folder of the runtime. Sources and layers are in `runtime` below it. */
  dataDir: string;
  runtime: Pick<Runtime, 'sandboxed'>;
  /** The source of pip's settings, proxies and certificates. Default: the environment of this process. */
  environment?: NodeJS.ProcessEnv;
  unpackLimits?: UnpackLimits;
  /** Epoch milliseconds, default `Date.now`. */
  now?: () => number;
}

const execFile = promisify(execFileOf);

/** Milliseconds after which a draft is removed as a leftover of a dead process: longer than any build takes. */
const STALE_DRAFT_MS = 6 * 3_600_000;

/** Makes the builder of one machine. Several builders, in one process or many, may share a data folder. */
export function createBuilder(options: BuilderOptions): PythonBuilder {
  const { runtime, environment = process.env, now = Date.now, unpackLimits = DEFAULT_UNPACK_LIMITS } = options;
  const runtimeDir = join(options.dataDir, 'runtime');
  const installing = shareWork<void>();
  const pythons = createPythons(runtimeDir, runtime);
  /** Environment locks by layer and Python. A layer does not change. */
  const locks = new Map<string, Promise<EnvironmentLock>>();
  let prepared: Promise<HostPython> | null = null;

  async function prepare(): Promise<HostPython> {
    for (const folder of ['sources', 'layers', 'drafts'])
      await mkdir(join(runtimeDir, folder), { recursive: true, mode: 0o711 });
    await removeStaleDrafts(join(runtimeDir, 'drafts'), now());
    return askHostPython();
  }

  async function ready(): Promise<HostPython> {
    prepared ??= prepare().catch((error: unknown) => {
      prepared = null;
      throw error;
    });
    const ofMachine = await prepared;
    return unpackPip(runtimeDir, ownPython(runtimeDir) ?? ofMachine);
  }

  const forgetLocks = (layer: string): void => {
    for (const key of locks.keys()) if (key.startsWith(`${layer} `)) locks.delete(key);
  };

  async function layerFor(
    build: Omit<PipContext, 'settings'>,
    requirements: readonly Requirement[],
    known: Resolved | null,
    sourcePackages: boolean,
  ): Promise<{ layer: string | null; resolved: Resolved | null }> {
    const { python, log, signal } = build;
    if (requirements.length === 0) {
      log.info('No requirements.');
      return { layer: null, resolved: null };
    }
    const isKnown = known !== null && known.python === python.version && known.platform === python.platform;
    if (isKnown && existsSync(join(runtimeDir, layerName(known)))) return { layer: layerName(known), resolved: known };
    const context = await preparePip(build, environment);
    let resolved = known;
    let own: BuiltPackage[] = [];
    if (!isKnown || resolved === null) {
      log.info(`Resolving ${requirements.map((one) => one.text).join(', ')} for Python ${python.version}`);
      ({ resolved, built: own } = await resolveRequirements(context, requirements, sourcePackages));
    }
    const exact = resolved;
    const layer = layerName(exact);
    const names = [...exact.packages, ...(exact.sources ?? [])].map((one) => one.split(' ')[0]).join(', ');
    if (existsSync(join(runtimeDir, layer))) {
      log.info(`Already installed here: ${names}`);
      await touchLayer(runtimeDir, layer);
      return { layer, resolved };
    }
    log.info(`Installing ${names}`);
    await installing(layer, signal, () => installLayer(context, runtimeDir, exact, requirements, own));
    return { layer, resolved };
  }

  async function buildIn(
    draft: string,
    archive: Readable,
    digest: string,
    log: BuildLog,
    signal: AbortSignal,
    { resolved: known = null, python: configured = null, sourcePackages = false }: BuildRequest,
  ): Promise<BuiltCode> {
    const usual = await ready();
    let folder = await unpackedSource(draft, archive, digest, log, signal);
    const version = choosePython(
      await askedPython(folder, configured, (message) => log.warning(message)),
      pythons.offered(usual),
    );
    const python = await pythons.take(version, usual, log, signal);
    // The bytecode fits one Python only.
    const source = `sources/${digest}${python.isOther === true ? `-python${version}` : ''}`;
    const isKnown = existsSync(join(runtimeDir, source));
    if (isKnown) folder = join(runtimeDir, source);
    else if (!folder.startsWith(draft)) folder = await copyOf(folder, join(draft, 'source'));
    if (python.isOther === true) log.info(`The service runs with Python ${version}.`);
    const text = await requirementsText(folder);
    noteConda(folder, text !== null, log);
    const requirements = await withProvided(readRequirements(text ?? ''), join(folder, 'src'));
    for (const { name, line } of requirements)
      if (line === 0)
        log.info(`Adding ${name}, which every service may import. requirements.txt can choose its version.`);
    const pip = { runtime, python, draft: join(draft, 'pip'), log, signal };
    const { layer, resolved } = await layerFor(pip, requirements, known, sourcePackages);
    if (!isKnown) await compileTree(runtime, folder, '/app', python, signal);
    const { parameters, result, imports } = await inspectService(
      runtime,
      folder,
      layer && join(runtimeDir, layer),
      python,
      log,
      signal,
    );
    log.info(`Found run(${parameters.map(shown).join(', ')}).`);
    if (!isKnown) {
      await sealTree(folder);
      await publish(folder, join(runtimeDir, source));
    }
    return { source, layer, resolved, python: version, imports, parameters, result };
  }

  /** The folder of a source: from an earlier build, or newly unpacked in the draft. */
  async function unpackedSource(
    draft: string,
    archive: Readable,
    digest: string,
    log: BuildLog,
    signal: AbortSignal,
  ): Promise<string> {
    const before = join(runtimeDir, 'sources', digest);
    if (existsSync(before)) {
      archive.destroy();
      log.info('This source is already unpacked.');
      return before;
    }
    await receive(archive, digest, join(draft, 'archive.zip'), signal);
    const folder = join(draft, 'source');
    const { files, bytes } = await unpackSource(join(draft, 'archive.zip'), folder, unpackLimits);
    log.info(`Unpacked ${files} ${files === 1 ? 'file' : 'files'}, ${size(bytes)}.`);
    return folder;
  }

  async function rebuildLayer(layer: string, now: number): Promise<string | null> {
    const usual = await ready();
    const resolved = (await listLayers(runtimeDir)).find((one) => one.layer === layer);
    if (!resolved || resolved.packages.length + (resolved.sources ?? []).length === 0)
      return 'It was made before versions and hashes were kept. Purge it instead.';
    if (layerName(resolved) !== layer) return 'What it was made of does not fit its name. Purge it instead.';
    const python = pythons.isPresent(resolved.python, usual) ? await pythons.take(resolved.python, usual) : null;
    if (python === null || resolved.platform !== python.platform)
      return `It is for Python ${resolved.python}, which this worker does not have. Purge it instead.`;
    const draft = join(runtimeDir, 'drafts', randomUUID());
    try {
      const log = createBuildLog(
        () => undefined,
        () => now,
      );
      const { signal } = new AbortController();
      const context = await preparePip({ runtime, python, draft, log, signal }, environment);
      const made = await makeLayer(context, resolved, []);
      await purgeLayer(runtimeDir, layer, now);
      await publish(made, join(runtimeDir, layer));
      forgetLocks(layer);
      return null;
    } catch (error) {
      if (error instanceof BuildError) return error.message;
      throw error;
    } finally {
      await removeTree(draft);
    }
  }

  const layers: LayerStore = {
    list: async () => listLayers(runtimeDir),
    async purge(layer, at) {
      await purgeLayer(runtimeDir, layer, at);
      forgetLocks(layer);
    },
    rebuild: rebuildLayer,
    removePurged: async (before) => removePurged(runtimeDir, before),
  };

  return {
    layers,
    async pythons() {
      const { usual, others } = pythons.offered(await ready());
      return [...new Set([usual, ...others])];
    },
    build: inDraft(runtimeDir, now, buildIn),
    async lockOf({ layer, python: version }) {
      const known = `${layer ?? ''} ${version ?? ''}`;
      let lock = locks.get(known);
      if (!lock) {
        lock = ready()
          .then(async (usual) => (version === undefined ? usual : pythons.take(version, usual)))
          .then((python) => readLock(layer === null ? null : join(runtimeDir, layer), python));
        locks.set(known, lock);
        lock.catch(() => locks.delete(known));
      }
      return lock;
    },
    isPresent: async ({ source, layer, python }) =>
      [source, layer].every((name) => name === null || existsSync(join(runtimeDir, name))) &&
      (python === undefined || pythons.isPresent(python, await ready())),
  };
}

/** Makes a writable copy of a folder. */
async function copyOf(folder: string, target: string): Promise<string> {
  await execFile('/bin/cp', ['-r', '--no-preserve=mode', '--no-target-directory', folder, target], { env: {} });
  return target;
}

/** The text of requirements.txt, or null when there is none. */
async function requirementsText(folder: string): Promise<string | null> {
  try {
    return await readFile(join(folder, 'requirements.txt'), 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    if (errorCode(error) === 'EISDIR')
      throw new BuildError('requirements-invalid', 'requirements.txt is a folder. It must be a text file.');
    throw error;
  }
}

/** Says of a conda environment that the build does not read it, and what to do where nothing replaces it. */
function noteConda(folder: string, isReplaced: boolean, log: BuildLog): void {
  const file = ['environment.yml', 'environment.yaml'].find((name) => existsSync(join(folder, name)));
  if (file === undefined) return;
  if (isReplaced) log.info(`${file} is not read: requirements.txt names the packages.`);
  else
    log.warning(
      `${file} is not read, and none of its packages is installed. Upload with \`ket up\`, which translates it, or write a requirements.txt.`,
    );
}

async function removeStaleDrafts(folder: string, now: number): Promise<void> {
  for (const name of await readdir(folder)) {
    try {
      const { mtimeMs } = await stat(join(folder, name));
      if (now - mtimeMs > STALE_DRAFT_MS) await removeTree(join(folder, name));
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
    }
  }
}

function shown({ name, annotation }: Parameter): string {
  return annotation === null ? name : `${name}: ${annotation}`;
}

function size(bytes: number): string {
  return bytes < 2 ** 20 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 2 ** 20).toFixed(1)} MiB`;
}
