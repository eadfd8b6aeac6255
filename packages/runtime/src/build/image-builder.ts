import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { LABELS } from '../containers/description.ts';
import { Engine } from '../containers/engine.ts';
import { installationOf } from '../containers/installation.ts';
import { buildImage, inspectImage, type Image, type ImageLimits } from './image-build.ts';
import { keepVolumeContent } from './image-volumes.ts';
import { inDraft } from './in-draft.ts';
import type { BuildLog } from './build-log.ts';
import type { BuiltImage, ImageBuilder } from './outcome.ts';
import { checkDockerfile } from './dockerfile.ts';
import { BuildError } from './problem.ts';
import { receive } from './receive.ts';
import { imageProject } from './project.ts';
import { DEFAULT_UNPACK_LIMITS, unpackSource, type UnpackLimits } from './unpack.ts';

export interface ImageBuilderOptions {
  /** The data folder of the runtime. */
  dataDir: string;
  socketPath: string;
  /** The engine's network for the commands of a build; `none` for none. */
  network: string;
  limits?: Partial<ImageLimits>;
  unpackLimits?: UnpackLimits;
  /** Epoch milliseconds, default `Date.now`. */
  now?: () => number;
}

const GiB = 2 ** 30;
const DEFAULTS: ImageLimits = {
  buildMs: 30 * 60_000,
  memoryBytes: 2 * GiB,
  cpus: 2,
  processes: 4_096,
  imageBytes: 10 * GiB,
  diskBytes: 20 * GiB,
};
const NAMES = ['Dockerfile', 'Containerfile'];

/**
 * Makes a builder of images with a container engine. An image name is derived from its source, so a built image is
 * found again.
 */
export function createImageBuilder(options: ImageBuilderOptions): ImageBuilder {
  const { socketPath, network, unpackLimits = DEFAULT_UNPACK_LIMITS, now = Date.now } = options;
  const limits = { ...DEFAULTS, ...options.limits };
  const runtimeDir = join(options.dataDir, 'runtime');
  const engine = new Engine(socketPath);
  const installation = installationOf(runtimeDir);
  async function buildIn(
    draft: string,
    archive: Readable,
    digest: string,
    log: BuildLog,
    signal: AbortSignal,
  ): Promise<BuiltImage> {
    const image = installation.imageFor(digest);
    const built = { image, parameters: [], result: null };
    if (await inspectImage(engine, image)) {
      archive.destroy();
      log.info('This image is already built.');
      return built;
    }
    await receive(archive, digest, join(draft, 'archive.zip'), signal);
    const folder = join(draft, 'source');
    const { files } = await unpackSource(join(draft, 'archive.zip'), folder, unpackLimits, imageProject(NAMES));
    log.info(`Unpacked ${files} ${files === 1 ? 'file' : 'files'}.`);
    const dockerfile = NAMES.find((name) => existsSync(join(folder, name))) ?? '';
    checkDockerfile(dockerfile, readFileSync(join(folder, dockerfile), 'utf8'), { network: network !== 'none' });
    const labels = { [LABELS.installation]: installation.id, [LABELS.source]: digest };
    const names = { t: image, dockerfile, labels: JSON.stringify(labels) };
    try {
      await buildImage(engine, folder, names, { network, limits }, log, signal);
      await keepVolumeContent(engine, image, await checkImage(image), join(draft, 'image'), log);
    } catch (error) {
      await engine.settle('DELETE', `/images/${image}`);
      throw error;
    }
    return built;
  }

  async function checkImage(image: string): Promise<Image> {
    const found = await inspectImage(engine, image);
    if (found === null) throw new Error(`The image ${image} is gone right after its build.`);
    const problem = problemOf(found, limits);
    if (problem !== null) throw problem;
    return found;
  }

  return {
    build: inDraft(runtimeDir, now, buildIn),
    isPresent: async ({ image }) => (await inspectImage(engine, image)) !== null,
    async lockOf({ image }) {
      const found = await inspectImage(engine, image);
      if (found === null) throw new Error(`The image ${image} is not at the engine.`);
      const digest = found.Id.replace(/^sha256:/, '');
      return { digest, image: `sha256:${digest}`, platform: `${found.Os}/${found.Architecture}` };
    },
    async sweep(areNeeded) {
      const filters = JSON.stringify({ label: [`${LABELS.installation}=${installation.id}`] });
      const images = (await engine.ask('GET', '/images/json', { query: { filters } })) as {
        RepoTags: string[] | null;
        Labels: Record<string, string>;
      }[];
      const ours = images.flatMap(({ RepoTags, Labels }) =>
        (RepoTags ?? []).flatMap((tag) =>
          tag.startsWith(`${installation.repository}:`) ? [{ tag, digest: Labels[LABELS.source] ?? '' }] : [],
        ),
      );
      const needed = await areNeeded(ours.map(({ digest }) => digest));
      // The engine refuses to remove an image that is in use; the next sweep removes it.
      for (const { tag, digest } of ours) if (!needed.has(digest)) await engine.settle('DELETE', `/images/${tag}`);
    },
  };
}

function problemOf({ Config, Size }: Image, { imageBytes }: ImageLimits): BuildError | null {
  if (Size > imageBytes)
    return new BuildError('image-limit-exceeded', `The image has ${Size} bytes; at most ${imageBytes} are accepted.`);
  if ([...(Config.Entrypoint ?? []), ...(Config.Cmd ?? [])].length > 0) return null;
  const detail = 'The Dockerfile has neither CMD nor ENTRYPOINT, so nothing would run. Add one.';
  return new BuildError('image-without-command', detail);
}
