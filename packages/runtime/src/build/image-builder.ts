import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { LABELS } from '../containers/description.ts';
import { Engine } from '../containers/engine.ts';
import { installationOf } from '../containers/installation.ts';
import { OtherPlaces } from '../containers/other-places.ts';
import { inspectImage, type ImageLimits } from './image-build.ts';
import { buildFolder, DEFAULT_IMAGE_LIMITS, dockerProject } from './image-of-folder.ts';
import { inDraft } from './in-draft.ts';
import type { BuildLog } from './build-log.ts';
import type { BuiltImage, ImageBuilder } from './outcome.ts';
import { receive } from './receive.ts';
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

/**
 * Makes a builder of images with a container engine. An image name is derived from its source, so a built image is
 * found again.
 */
export function createImageBuilder(options: ImageBuilderOptions): ImageBuilder {
  const { socketPath, network, unpackLimits = DEFAULT_UNPACK_LIMITS, now = Date.now } = options;
  const limits = { ...DEFAULT_IMAGE_LIMITS, ...options.limits };
  const runtimeDir = join(options.dataDir, 'runtime');
  const engine = new Engine(socketPath);
  const installation = installationOf(runtimeDir);
  const others = new OtherPlaces('images');
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
    const { files } = await unpackSource(join(draft, 'archive.zip'), folder, unpackLimits, dockerProject);
    log.info(`Unpacked ${files} ${files === 1 ? 'file' : 'files'}.`);
    const { id, place } = installation;
    const labels = { [LABELS.installation]: id, [LABELS.place]: place, [LABELS.source]: digest };
    await buildFolder(
      engine,
      folder,
      { name: image, labels, network, limits },
      { draft: join(draft, 'image'), log, signal },
    );
    return built;
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
      // Images of earlier versions name no place.
      const tagged = images.flatMap(({ RepoTags, Labels }) =>
        (RepoTags ?? []).flatMap((tag) => {
          const { [LABELS.source]: digest = '', [LABELS.place]: place = installation.place } = Labels;
          return tag.startsWith(`${installation.repository}:`) ? [{ tag, digest, place }] : [];
        }),
      );
      const needed = await areNeeded(tagged.map(({ digest }) => digest));
      const ours = tagged.filter(({ place }) => place === installation.place);
      const alone = tagged.filter(({ place, digest }) => place !== installation.place && !needed.has(digest));
      others.note(
        alone.map(({ place }) => `docker rmi $(docker images --quiet --filter label=${LABELS.place}=${place})`),
      );
      // The engine refuses to remove an image that is in use; the next sweep removes it.
      for (const { tag, digest } of ours) if (!needed.has(digest)) await engine.settle('DELETE', `/images/${tag}`);
    },
  };
}
