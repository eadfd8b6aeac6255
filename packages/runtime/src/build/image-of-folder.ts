import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from '../containers/engine.ts';
import type { BuildLog } from './build-log.ts';
import { checkDockerfile } from './dockerfile.ts';
import { buildImage, inspectImage, type Image, type ImageLimits } from './image-build.ts';
import { keepVolumeContent } from './image-volumes.ts';
import { BuildError } from './problem.ts';
import { imageProject } from './project.ts';

const GiB = 2 ** 30;
export const DEFAULT_IMAGE_LIMITS: ImageLimits = {
  buildMs: 30 * 60_000,
  memoryBytes: 2 * GiB,
  cpus: 2,
  processes: 4_096,
  imageBytes: 10 * GiB,
  diskBytes: 20 * GiB,
};
/** Names of a build file, the first one that is there counts. */
export const BUILD_FILES = ['Dockerfile', 'Containerfile'];
/** A project that is built to an image. */
export const dockerProject = imageProject(BUILD_FILES);

export interface FolderImage {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly network: string;
  readonly limits: ImageLimits;
  /** True if steps of earlier builds may be used again, and are kept. Default false. */
  readonly cached?: boolean;
}

/**
 * Builds the image of a folder by its Dockerfile, and checks it. No image of this name is left after a failure.
 * @param draft the path of a folder that does not exist yet.
 * @throws BuildError when the Dockerfile is at fault.
 */
export async function buildFolder(
  engine: Engine,
  folder: string,
  { name, labels, network, limits, cached = false }: FolderImage,
  { draft, log, signal }: { draft: string; log: BuildLog; signal: AbortSignal },
): Promise<void> {
  const dockerfile = BUILD_FILES.find((one) => existsSync(join(folder, one))) ?? '';
  if (dockerfile === '') dockerProject.check({ files: new Set(readdirSync(folder)), folders: new Set() });
  checkDockerfile(dockerfile, readFileSync(join(folder, dockerfile), 'utf8'), { network: network !== 'none' });
  const names = { t: name, dockerfile, labels: JSON.stringify(labels) };
  try {
    await buildImage(engine, folder, names, { network, limits, cached }, log, signal);
    await keepVolumeContent(engine, name, await checkImage(engine, name, limits), draft, log);
  } catch (error) {
    await engine.settle('DELETE', `/images/${name}`);
    throw error;
  }
}

async function checkImage(engine: Engine, name: string, { imageBytes }: ImageLimits): Promise<Image> {
  const found = await inspectImage(engine, name);
  if (found === null) throw new Error(`The image ${name} is gone right after its build.`);
  const { Config, Size } = found;
  if (Size > imageBytes)
    throw new BuildError('image-limit-exceeded', `The image has ${Size} bytes; at most ${imageBytes} are accepted.`);
  if ([...(Config.Entrypoint ?? []), ...(Config.Cmd ?? [])].length === 0)
    throw new BuildError(
      'image-without-command',
      'The Dockerfile has neither CMD nor ENTRYPOINT, so nothing would run. Add one.',
    );
  return found;
}
