import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { installationOf } from '../containers/installation.ts';
import type { RegistrySettings } from '../kubernetes/settings.ts';
import {
  RuntimeUnavailable,
  type ExecutionEnd,
  type ExecutionJob,
  type KnownExecution,
  type LogLine,
  type Runtime,
} from '../types.ts';
import { createBuildLog, type BuildLog, type OnLine } from './build-log.ts';
import { checkDockerfile } from './dockerfile.ts';
import { removeTree } from './folders.ts';
import type { ImageLimits } from './image-build.ts';
import { BUILD_FILES, DEFAULT_IMAGE_LIMITS, dockerProject } from './image-of-folder.ts';
import type { BuildOutcome, BuiltImage, ImageBuilder } from './outcome.ts';
import { BuildError, isBuildProblemCode } from './problem.ts';
import { receive } from './receive.ts';
import { shareWork } from './share-work.ts';
import { DEFAULT_UNPACK_LIMITS, unpackSource, type UnpackLimits } from './unpack.ts';

const MiB = 2 ** 20;
/** Beginning of the ids of builds among executions. */
const BUILD = 'build-';
/** Milliseconds between two looks at a build, which make up for lost notices. */
const LOOK_MS = 1_000;
/** Milliseconds after which the end of a build that nobody collects is removed. */
const UNCOLLECTED_MS = 3_600_000;
/** Attempts at a build that the cluster has not begun, or that was lost with its node. */
const ATTEMPTS = 3;

/** The reason by which a caller leaves a build that goes on: the next process of the platform follows it. */
export class PlatformStops extends Error {
  override readonly name = 'PlatformStops';
}

export interface ClusterImagesOptions {
  /** The data folder of the runtime. */
  dataDir: string;
  runtime: Runtime;
  registry: RegistrySettings;
  limits?: Partial<ImageLimits>;
  unpackLimits?: UnpackLimits;
  /** Epoch milliseconds, default `Date.now`. */
  now?: () => number;
}

/** A runtime without the builds, which are executions of nobody. */
export function withoutBuilds(runtime: Runtime): Runtime {
  const isBuild = (id: string): boolean => id.startsWith(BUILD);
  return new Proxy(runtime, {
    get(of, name) {
      if (name === 'list') return async () => (await of.list()).filter(({ executionId }) => !isBuild(executionId));
      if (name === 'onEnded')
        return (listener: (end: ExecutionEnd) => void) =>
          of.onEnded((end) => {
            if (!isBuild(end.executionId)) listener(end);
          });
      const value: unknown = Reflect.get(of, name);
      return typeof value === 'function' ? (value.bind(of) as unknown) : value;
    },
  });
}

/**
 * Makes a builder of images in a cluster. A build is an execution of the runner, named by its source: it outlives the
 * platform, whose next process follows it.
 */
export function createClusterImages(options: ClusterImagesOptions): ImageBuilder {
  const { runtime, registry, unpackLimits = DEFAULT_UNPACK_LIMITS, now = Date.now } = options;
  const limits = { ...DEFAULT_IMAGE_LIMITS, ...options.limits };
  const runtimeDir = join(options.dataDir, 'runtime');
  const builds = join(runtimeDir, 'builds');
  const installation = installationOf(runtimeDir);
  const sharing = shareWork<BuiltImage>();
  /** Digests of the builds that this process does. */
  const underWay = new Set<string>();
  /** Mark of a build that is being ended, which the next process of the platform finds as well. */
  const endMark = (digest: string): string => join(builds, digest, 'unwanted');

  async function cancel(id: string, digest: string): Promise<void> {
    await mkdir(join(builds, digest), { recursive: true, mode: 0o711 });
    await writeFile(endMark(digest), '');
    await runtime.cancel(id);
  }

  /** Puts the project where pods fetch it until the build is over. */
  async function unpack(archive: Readable, digest: string, log: BuildLog, signal: AbortSignal): Promise<void> {
    const draft = join(builds, digest);
    const folder = join(draft, 'source');
    await removeTree(draft);
    await mkdir(draft, { recursive: true, mode: 0o711 });
    await receive(archive, digest, join(draft, 'archive.zip'), signal);
    const { files } = await unpackSource(join(draft, 'archive.zip'), folder, unpackLimits, dockerProject);
    log.info(`Unpacked ${files} ${files === 1 ? 'file' : 'files'}.`);
    const dockerfile = BUILD_FILES.find((one) => existsSync(join(folder, one))) ?? '';
    if (dockerfile === '') dockerProject.check({ files: new Set(await readdir(folder)), folders: new Set() });
    checkDockerfile(dockerfile, await readFile(join(folder, dockerfile), 'utf8'), { network: true });
  }

  /** The job of a build whose project is unpacked. */
  function jobOf(digest: string): ExecutionJob {
    const folder = join(builds, digest, 'source');
    const dockerfile = BUILD_FILES.find((one) => existsSync(join(folder, one))) ?? '';
    // Each build has a tag of its own: a tag that moves would leave an image that runs without a name.
    const tag = `${installation.imageFor(digest).replace(':', '-')}-${now().toString(36)}`;
    return {
      // Each attempt has a name of its own: objects of an earlier one may still be leaving the cluster.
      executionId: `${prefixOf(digest)}${now().toString(36)}`,
      code: {
        image: `${registry.repository}:${tag}`,
        build: { folder, dockerfile, imageBytes: limits.imageBytes, diskBytes: limits.diskBytes },
      },
      input: '{}',
      secrets: {},
      environment: {},
      dataPools: [],
      limits: {
        memoryBytes: limits.memoryBytes,
        cpus: limits.cpus,
        processes: limits.processes,
        runTimeMs: limits.buildMs,
        tmpBytes: 256 * MiB,
        // A layer is a file for a while, and so is a copy of Buildah itself.
        fileBytes: Math.max(limits.imageBytes * 2, 256 * MiB),
        outputBytes: 16 * MiB,
        outputFiles: 1,
        resultBytes: MiB,
        logBytes: 10 * MiB,
      },
    };
  }

  async function buildOnce(archive: Readable, digest: string, log: BuildLog, signal: AbortSignal): Promise<BuiltImage> {
    const begun = async (): Promise<KnownExecution | undefined> =>
      buildOf(digest, await patiently(() => runtime.list(), signal));
    let before = await begun();
    while (before?.state === 'RUNNING' && existsSync(endMark(digest))) {
      await changed(before.executionId, signal);
      before = await begun();
    }
    if (before?.state === 'ENDED' && !['SUCCEEDED', 'FAILED'].includes(before.end.outcome)) {
      const { executionId } = before;
      await patiently(() => forget(executionId, digest), signal);
    } else if (before !== undefined) {
      archive.destroy();
      log.info('This build was begun before, and goes on.');
      return follow(before.executionId, digest, log, signal);
    }
    return follow(await begin(() => unpack(archive, digest, log, signal), digest, signal), digest, log, signal);
  }

  /** Starts a build when its project is there, and returns its id. */
  async function begin(prepare: () => Promise<void>, digest: string, signal: AbortSignal): Promise<string> {
    try {
      await prepare();
      const job = jobOf(digest);
      await patiently(() => runtime.start(job), signal);
      return job.executionId;
    } catch (error) {
      if (!(signal.reason instanceof PlatformStops)) await removeTree(join(builds, digest));
      throw error;
    }
  }

  /** Follows a build to its end. One that is not wanted any more is ended; one that came to no end is begun again. */
  async function follow(first: string, digest: string, log: BuildLog, signal: AbortSignal): Promise<BuiltImage> {
    let id = first;
    try {
      for (let attempt = 1; ; attempt++) {
        const { end, words } = await endOf(id, log, signal);
        if (!['NOT_STARTED', 'LOST'].includes(end.outcome) || attempt === ATTEMPTS)
          return await collect(end, words, digest);
        log.info('The cluster did not bring this build to its end. It begins again.');
        id = await begin(() => patiently(() => runtime.forget(end.executionId), signal), digest, signal);
      }
    } catch (error) {
      if (signal.aborted && !(signal.reason instanceof PlatformStops)) await cancel(id, digest).catch(() => undefined);
      throw error;
    }
  }

  /** The image of a build that has ended. Nothing is kept of the build any more. */
  async function collect(end: ExecutionEnd, words: string, digest: string): Promise<BuiltImage> {
    try {
      return builtOf(end, words);
    } finally {
      await forget(end.executionId, digest);
    }
  }

  /** Passes on the log of a build until its end, which it returns with the last words of the program. */
  async function endOf(id: string, log: BuildLog, signal: AbortSignal): Promise<{ end: ExecutionEnd; words: string }> {
    const reader = new LogReader(runtime, id);
    for (;;) {
      signal.throwIfAborted();
      const known = (await patiently(() => runtime.list(), signal)).find(({ executionId }) => executionId === id);
      const lines = await patiently(() => reader.read(), signal);
      const end = known?.state === 'ENDED' ? known.end : null;
      const ours = end?.cause ? `${end.cause.title}: ${end.cause.detail}` : null;
      for (const line of lines) if (line.message !== ours) log.line(line);
      if (known === undefined) throw new Error(`The build ${id} is not known any more.`);
      if (end !== null && lines.length === 0) return { end, words: reader.words };
      if (lines.length === 0) await changed(id, signal);
    }
  }

  async function forget(id: string, digest: string): Promise<void> {
    await runtime.forget(id);
    await removeTree(join(builds, digest));
  }

  /** Waits until there is more to see of a build. */
  async function changed(id: string, signal: AbortSignal): Promise<void> {
    const news = new AbortController();
    const notify = (executionId: string): void => {
      if (executionId === id) news.abort();
    };
    const stops = [runtime.onLog(notify), runtime.onEnded(({ executionId }) => notify(executionId))];
    await pause(LOOK_MS, null, { signal: AbortSignal.any([signal, news.signal]) }).catch(() => undefined);
    for (const stop of stops) stop();
  }

  function builtOf(end: ExecutionEnd, words: string): BuiltImage {
    if (end.outcome === 'SUCCEEDED') return { ...reported(end, registry.repository), parameters: [], result: null };
    const { type = '', title = '', detail = 'Nobody knows why.' } = end.cause ?? {};
    if (end.outcome !== 'FAILED') throw new Error(`The build ended as ${end.outcome}: ${detail}`);
    const limit = limitWords(type, limits);
    if (limit !== null) throw new BuildError('image-limit-exceeded', limit);
    if (isBuildProblemCode(type)) throw new BuildError(type, detail);
    if (type === 'push-failed') {
      console.error(`an image could not be brought to ${registry.repository}: ${detail}`);
      throw new BuildError('image-build-failed', `${detail} Ask the operator, then upload the source again.`);
    }
    if (title === 'No result')
      throw new BuildError('image-build-failed', 'What brings the image to the registry was ended in the cluster. Upload the source again.'); // prettier-ignore
    if (type === 'ProgramEnded')
      throw new BuildError('image-build-failed', `${words || detail} The log of the build says more.`);
    const again = detail.replace('Start the execution again', 'Upload the source again');
    throw new BuildError('image-build-failed', `${title}: ${again}`);
  }

  return {
    async build(archive, digest, onLine: OnLine, signal): Promise<BuildOutcome<BuiltImage>> {
      if (!/^[0-9a-f]{64}$/.test(digest)) throw new Error(`Not a SHA-256 digest in hexadecimal digits: ${digest}`);
      try {
        signal.throwIfAborted();
        const log = createBuildLog(onLine, now);
        const built = await sharing(digest, signal, async () => {
          underWay.add(digest);
          return buildOnce(archive, digest, log, signal).finally(() => underWay.delete(digest));
        });
        return { ok: true, built };
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof BuildError) return { ok: false, problem: error.problem };
        throw error;
      } finally {
        archive.destroy();
      }
    },
    // Pods that cannot be started report that a registry has lost an image.
    isPresent: ({ image }) => Promise.resolve(image.startsWith(`${registry.repository}@`)),
    lockOf({ image, platform = 'linux/amd64' }) {
      const digest = /@sha256:([0-9a-f]{64})$/.exec(image)?.[1];
      if (digest === undefined) throw new Error(`The image ${image} is not of the registry ${registry.repository}.`);
      return Promise.resolve({ digest, image: `sha256:${digest}`, platform });
    },
    /** Ends builds of sources that nobody needs, and forgets ends that nobody collects. Images are left to the registry. */
    async sweep(areNeeded) {
      const folders = existsSync(builds) ? await readdir(builds) : [];
      const needed = await areNeeded(folders);
      const known = await runtime.list();
      for (const digest of folders) {
        if (underWay.has(digest)) continue;
        const one = buildOf(digest, known);
        if (one?.state === 'RUNNING' && !needed.has(digest)) await cancel(one.executionId, digest);
        else if (one === undefined) await removeTree(join(builds, digest));
        else if (one.state === 'ENDED' && now() - one.end.endedAt > UNCOLLECTED_MS)
          await forget(one.executionId, digest);
      }
      // Builds that were given up while the runner was asked to start them.
      const ours = [...folders, ...underWay].map(prefixOf);
      for (const { executionId, state } of known) {
        if (!executionId.startsWith(BUILD) || ours.some((prefix) => executionId.startsWith(prefix))) continue;
        await (state === 'RUNNING' ? runtime.cancel(executionId) : runtime.forget(executionId));
      }
    },
  };
}

/** Beginning of the ids of all builds of a source. */
function prefixOf(digest: string): string {
  return `${BUILD}${digest.slice(0, 24)}-`;
}

/** The build of a source among executions, of whichever attempt. */
function buildOf(digest: string, known: readonly KnownExecution[]): KnownExecution | undefined {
  return known.find(({ executionId }) => executionId.startsWith(prefixOf(digest)));
}

/** Repeats a request to the runner while it is away. */
async function patiently<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    signal.throwIfAborted();
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof RuntimeUnavailable)) throw error;
      await pause(LOOK_MS, null, { signal }).catch(() => undefined);
    }
  }
}

/** Reads the log of a build, each line once. */
class LogReader {
  /** The latest line that names an error. */
  words = '';
  readonly #runtime: Runtime;
  readonly #id: string;
  #position = 0;

  constructor(runtime: Runtime, id: string) {
    this.#runtime = runtime;
    this.#id = id;
  }

  async read(): Promise<LogLine[]> {
    const { bytes, nextByte } = await this.#runtime.readLog(this.#id, this.#position);
    this.#position = nextByte;
    const lines = bytes.toString('utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line) as LogLine); // prettier-ignore
    for (const { message } of lines) if (/^error/i.test(message)) this.words = message.slice(0, 1_000);
    return lines;
  }
}

/** The limit that ended a build, in words; null for another cause. */
function limitWords(type: string, limits: ImageLimits): string | null {
  switch (type) {
    case 'RuntimeLimitExceeded':
    case 'RunTimeLimitExceeded':
      return `The build took longer than ${limits.buildMs / 1000} seconds, which is its limit.`;
    case 'MemoryLimitExceeded':
      return `The build needed more than ${Math.floor(limits.memoryBytes / MiB)} MiB of memory, which is its limit.`;
    case 'DiskLimitExceeded':
      return `The build filled more than ${Math.floor(limits.diskBytes / MiB)} MiB of the disk, which is its limit. Files of all layers count, and copies of them.`;
    default:
      return null;
  }
}

/** The image that the pod of a build has reported, which is judged: it stood beside commands of a Dockerfile. */
function reported({ result }: ExecutionEnd, repository: string): Omit<BuiltImage, 'parameters' | 'result'> {
  const text = result === null ? 'null' : (result.text ?? readFileSync(result.path, 'utf8'));
  const report = JSON.parse(text) as {
    digest?: unknown;
    command?: unknown;
    volumes?: unknown;
    platform?: unknown;
  } | null;
  const { digest, command, volumes, platform } = report ?? {};
  if (typeof digest !== 'string' || !/^sha256:[0-9a-f]{64}$/.test(digest) || !isTexts(command) || !isTexts(volumes))
    throw new Error('The pod of a build has reported no image.');
  return {
    image: `${repository}@${digest}`,
    command,
    volumes,
    platform: typeof platform === 'string' ? platform.slice(0, 100) : 'linux/amd64',
  };
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}
