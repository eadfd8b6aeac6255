import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { ImageConfig } from '../containers/description.ts';
import { EngineRefusal, type Engine } from '../containers/engine.ts';
import { messageOf } from '../errors.ts';
import { watchDisk } from './disk-watch.ts';
import { ImageLog } from './image-log.ts';
import type { BuildLog } from './build-log.ts';
import { BuildError } from './problem.ts';

const REMOVE_ATTEMPTS = 100;
const LOOK_AGAIN_MS = 100;
const CUT_MS = 10_000;
/** Between one and the next. */
const LIMIT_AFTER_MS = [0, 200, 500, 2_000];

/** Limits of a build and of the image that it makes. */
export interface ImageLimits {
  buildMs: number;
  memoryBytes: number;
  cpus: number;
  /** Processes of one command, threads included. */
  processes: number;
  imageBytes: number;
  /** How much less the disk of the engine may hold meanwhile, whoever fills it. */
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

/** Null when there is no such image. */
export async function inspectImage(engine: Engine, image: string): Promise<Image | null> {
  try {
    return (await engine.ask('GET', `/images/${image}/json`)) as Image;
  } catch (error) {
    if (error instanceof EngineRefusal && error.status === 404) return null;
    throw error;
  }
}

/**
 * Has the engine build a folder, within limits. Nothing but the named image stays, however it ends.
 * @param names what the image is called and labelled, as the engine takes it.
 * @throws BuildError when the Dockerfile is at fault, the reason of `signal` when that ended it.
 */
export async function buildImage(
  engine: Engine,
  folder: string,
  names: Readonly<Record<string, string>>,
  { network, limits }: { network: string; limits: ImageLimits },
  log: BuildLog,
  signal: AbortSignal,
): Promise<void> {
  const engineLog = new ImageLog(log, (container) => {
    void limitProcesses(engine, container, limits.processes);
  });
  const bounds = new Bounds(engine, engineLog, signal, limits);
  const stopDisk = await watchDisk(engine, limits.diskBytes, (detail) => {
    bounds.end(detail);
  });
  const query = { ...names, ...resources(limits), networkmode: network, nocache: true, rm: true, forcerm: true };
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
    await removeRest(engine, engineLog);
  }
  signal.throwIfAborted();
  if (bounds.detail !== null) throw new BuildError('image-limit-exceeded', bounds.detail);
  if (engineLog.problem !== null)
    throw new BuildError('image-build-failed', `${engineLog.problem} The log of the build says more.`);
}

/**
 * Ends a build early: its commands are killed, so that the engine fails it in good order and reports all that it
 * has made. Only one that goes on all the same is cut off.
 */
class Bounds {
  /** Why it was ended by a limit; null when it was not. */
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
        this.#cut.abort(); // the engine is gone, or does not kill: nothing more can be done in good order
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
 * A build cannot be given this limit, but its containers can, also while they run. While one is being started the engine
 * takes a limit and does not set it, so it is told again.
 */
async function limitProcesses(engine: Engine, container: string, processes: number): Promise<void> {
  for (const wait of LIMIT_AFTER_MS) {
    await pause(wait, null, { ref: false });
    try {
      await engine.ask('POST', `/containers/${container}/update`, { body: { PidsLimit: processes } });
    } catch (error) {
      if (error instanceof EngineRefusal) continue; // it does not run, or not any more
      console.error(`processes of the build container ${container} are not limited: ${messageOf(error)}`);
      return;
    }
  }
}

function resources({ memoryBytes, cpus, imageBytes }: ImageLimits): Record<string, string | number> {
  const ulimits = [
    { Name: 'fsize', Soft: imageBytes, Hard: imageBytes },
    { Name: 'core', Soft: 0, Hard: 0 },
  ];
  return {
    memory: memoryBytes,
    memswap: memoryBytes,
    cpuperiod: 100_000,
    cpuquota: Math.round(cpus * 100_000),
    ulimits: JSON.stringify(ulimits),
  };
}

/** The steps of a build are images too: those on which the built one does not stand would stay on the disk for good. */
async function removeRest(engine: Engine, log: ImageLog): Promise<void> {
  for (const container of log.containers) await removeContainer(engine, container);
  for (const id of log.images.toReversed()) {
    const found = await inspectImage(engine, id);
    // Named ones are somebody's, such as what a Dockerfile begins with.
    if (found !== null && (found.RepoTags ?? []).length === 0) await engine.settle('DELETE', `/images/${id}`);
  }
}

/** A folder as the engine takes it; everything belongs to root in it. */
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

/** The engine may be removing it already, which takes a while; as long as it is there, its image stays. */
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
