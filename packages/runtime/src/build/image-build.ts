import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { ImageConfig } from '../containers/description.ts';
import { EngineRefusal, type Engine } from '../containers/engine.ts';
import { hasNoCgroups, podmanVersion } from '../containers/podman.ts';
import { messageOf } from '../errors.ts';
import { watchDisk } from './disk-watch.ts';
import { ImageLog } from './image-log.ts';
import type { BuildLog } from './build-log.ts';
import { BuildError } from './problem.ts';

/** Attempts to remove a container, one each {@link LOOK_AGAIN_MS}. */
const REMOVE_ATTEMPTS = 100;
const LOOK_AGAIN_MS = 100;
/** Milliseconds from the first kill until a build that goes on is cut off. */
const CUT_MS = 10_000;
/** Milliseconds before each attempt to set a limit, counted from the one before. */
const LIMIT_AFTER_MS = [0, 200, 500, 2_000];

/** Limits of a build and of the image that it makes. */
export interface ImageLimits {
  buildMs: number;
  memoryBytes: number;
  cpus: number;
  /** Processes of one command, threads included. */
  processes: number;
  imageBytes: number;
  /** Bytes that the engine's disk may lose during the build, whoever fills it. */
  diskBytes: number;
}

export interface Image {
  Id: string;
  Os: string;
  Architecture: string;
  Created: string;
  Config: ImageConfig;
  RootFS: { Layers: string[] };
  Size: number;
  RepoTags?: string[];
}

/** Null when the image does not exist. */
export async function inspectImage(engine: Engine, image: string): Promise<Image | null> {
  try {
    return (await engine.ask('GET', `/images/${image}/json`)) as Image;
  } catch (error) {
    if (error instanceof EngineRefusal && error.status === 404) return null;
    throw error;
  }
}

/**
 * Makes the engine build a folder, within limits. Only the named image stays, however the build ends; a cached build
 * uses the steps of earlier ones, and keeps its own.
 * @param names name and labels of the image, as query parameters of the engine.
 * @throws BuildError when the Dockerfile is at fault; the reason of `signal` when that ended the build.
 */
export async function buildImage(
  engine: Engine,
  folder: string,
  names: Readonly<Record<string, string>>,
  { network, limits, cached = false }: { network: string; limits: ImageLimits; cached?: boolean },
  log: BuildLog,
  signal: AbortSignal,
): Promise<void> {
  const isPodman = (await podmanVersion(engine)) !== null;
  const bounded = resources(limits, { isPodman, hasCgroups: !isPodman || !(await hasNoCgroups(engine)) });
  const engineLog = new ImageLog(log, (container) => {
    void limitProcesses(engine, container, limits.processes);
  });
  const bounds = new Bounds(engine, engineLog, signal, limits);
  const stopDisk = await watchDisk(engine, limits.diskBytes, (detail) => {
    bounds.end(detail);
  });
  const query = { ...names, ...bounded, networkmode: network, nocache: !cached, rm: true, forcerm: true };
  try {
    const answer = await engine.open('POST', '/build', { query, archive: tarOf(folder), signal: bounds.cut });
    for await (const chunk of answer as AsyncIterable<Buffer>) engineLog.push(chunk);
  } catch (error) {
    if (error instanceof EngineRefusal)
      throw new BuildError('image-build-failed', `The engine refuses: ${error.message}`);
    if (!bounds.cut.aborted) throw error;
  } finally {
    engineLog.end();
    stopDisk();
    bounds.stop();
    await removeIntermediate(engine, engineLog, cached);
  }
  signal.throwIfAborted();
  if (bounds.detail !== null) throw new BuildError('image-limit-exceeded', bounds.detail);
  if (engineLog.problem !== null)
    throw new BuildError('image-build-failed', `${engineLog.problem} The log of the build says more.`);
}

/**
 * Ends a build early. It kills the commands, so that the engine fails the build normally and reports everything that it
 * made. A build that goes on all the same is cut off.
 */
class Bounds {
  /** The limit that ended it; null when none did. */
  detail: string | null = null;
  readonly #cut = new AbortController();
  readonly #engine: Engine;
  readonly #log: ImageLog;
  readonly #outer: AbortSignal;
  readonly #timers: NodeJS.Timeout[] = [];
  #isEnding = false;

  constructor(engine: Engine, log: ImageLog, outer: AbortSignal, { buildMs }: ImageLimits) {
    this.#engine = engine;
    this.#log = log;
    this.#outer = outer;
    if (outer.aborted) this.#cut.abort();
    else outer.addEventListener('abort', this.#end, { once: true });
    const late = `The build took longer than ${buildMs / 1000} seconds, which is its limit.`;
    this.#timers.push(
      setTimeout(() => {
        this.end(late);
      }, buildMs),
    );
  }

  get cut(): AbortSignal {
    return this.#cut.signal;
  }

  end(detail: string): void {
    this.detail ??= detail;
    this.#end();
  }

  stop(): void {
    this.#outer.removeEventListener('abort', this.#end);
    for (const timer of this.#timers) clearTimeout(timer);
  }

  readonly #end = (): void => {
    if (this.#isEnding) return;
    this.#isEnding = true;
    const killNewest = (): void => {
      const newest = this.#log.containers.at(-1);
      if (newest === undefined) return;
      this.#engine.settle('POST', `/containers/${newest}/kill`).catch(() => {
        this.#cut.abort(); // the engine is gone or cannot kill, so the build cannot end normally
      });
    };
    killNewest();
    const cut = setTimeout(() => {
      this.#cut.abort();
    }, CUT_MS);
    this.#timers.push(setInterval(killNewest, LOOK_AGAIN_MS), cut);
  };
}

/**
 * Limits the processes of a build's container. The engine has no such limit for builds, but accepts one for containers,
 * also while they run. During the start of a container it accepts the limit without setting it, so the request is
 * repeated.
 */
async function limitProcesses(engine: Engine, container: string, processes: number): Promise<void> {
  for (const wait of LIMIT_AFTER_MS) {
    await pause(wait, null, { ref: false });
    try {
      await engine.ask('POST', `/containers/${container}/update`, { body: { PidsLimit: processes } });
    } catch (error) {
      if (error instanceof EngineRefusal) continue; // it does not run yet, or no longer
      console.error(`processes of the build container ${container} are not limited: ${messageOf(error)}`);
      return;
    }
  }
}

function resources(
  { memoryBytes, cpus, imageBytes }: ImageLimits,
  { isPodman, hasCgroups }: { isPodman: boolean; hasCgroups: boolean },
): Record<string, string | number> {
  const limits = [
    { Name: 'fsize', Soft: imageBytes, Hard: imageBytes },
    { Name: 'core', Soft: 0, Hard: 0 },
  ];
  const ulimits = isPodman ? limits.map(({ Name, Soft, Hard }) => `${Name}=${Soft}:${Hard}`) : limits;
  return {
    ...(hasCgroups && {
      memory: memoryBytes,
      memswap: memoryBytes,
      cpuperiod: 100_000,
      cpuquota: Math.round(cpus * 100_000),
    }),
    ulimits: JSON.stringify(ulimits),
  };
}

/**
 * Removes the containers and unnamed images of a build. Images of its steps that the built one does not use would stay
 * for ever.
 */
async function removeIntermediate(engine: Engine, log: ImageLog, cached: boolean): Promise<void> {
  for (const container of log.containers) await removeContainer(engine, container);
  if (cached) return;
  for (const id of log.images.toReversed()) {
    const found = await inspectImage(engine, id);
    // A named image belongs to somebody, such as the base of a Dockerfile.
    if (found !== null && (found.RepoTags ?? []).length === 0) await engine.settle('DELETE', `/images/${id}`);
  }
}

/** A folder as a tar archive for the engine. Everything in it belongs to root. */
export function tarOf(folder: string): Readable {
  const options = [
    '--create',
    '--format=pax',
    '--pax-option=delete=atime,delete=ctime',
    '--sort=name',
    '--owner=0',
    '--group=0',
    '--numeric-owner',
  ];
  const tar = spawn('tar', [...options, '--directory', folder, '.'], {
    env: { PATH: '/usr/bin:/bin' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  tar.once('error', (error) => tar.stdout.destroy(error));
  tar.once('exit', (code) => {
    if (code !== 0) tar.stdout.destroy(new Error(`tar ended with ${code}`));
  });
  return tar.stdout;
}

/** Waits until a container is gone. The engine may be removing it already, and its image stays as long as it exists. */
async function removeContainer(engine: Engine, id: string): Promise<void> {
  for (let attempt = 0; attempt < REMOVE_ATTEMPTS; attempt++) {
    await engine.settle('DELETE', `/containers/${id}`, { query: { force: true, v: true } });
    try {
      await engine.ask('GET', `/containers/${id}/json`);
    } catch (error) {
      if (error instanceof EngineRefusal && error.status === 404) return;
      throw error;
    }
    await pause(LOOK_AGAIN_MS);
  }
}
