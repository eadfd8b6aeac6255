import { rmSync } from 'node:fs';
import path from 'node:path';
import {
  askedPython,
  askInImage,
  buildFolder,
  createBuildLog,
  DEFAULT_IMAGE_LIMITS,
  ENGINE_REMEDY,
  EngineDriver,
  EngineProblem,
  findEngine,
  inspectBy,
  LocalRuntime,
  packagesInImage,
  pythonInImage,
  type LocalEngine,
} from '@kethub/runtime/local';
import { usageFailure } from '../failures.ts';
import type { Shell } from '../shell.ts';
import type { Output } from '../terminal/output.ts';
import type { Loader, OpenedRuntime } from './loader.ts';
import { requirementsOf } from './python.ts';

export interface EngineModeOptions {
  readonly shell: Shell;
  readonly output: Output;
  readonly folder: string;
  /** Folder of the state of this project. */
  readonly state: string;
  /** True for a service with a Dockerfile. */
  readonly isImage: boolean;
  /** The image for services of the Python template. */
  readonly image: string | undefined;
  /** The engine's network for packages, builds, and services that declare hosts. */
  readonly network: string | undefined;
  /** True if the service declares hosts. */
  readonly hasHosts: boolean;
}

/** Versions of Python for which there is an image, the usual one first. */
const PYTHONS = ['3.12', '3.13', '3.11', '3.10'];

/** Opens the mode `engine`: each execution runs in a container of an engine of this machine. */
export async function openEngine(options: EngineModeOptions): Promise<OpenedRuntime> {
  const { shell, output, folder, state, isImage, network = 'default' } = options;
  const engine = await findEngine(shell.environment);
  if (typeof engine === 'string')
    throw usageFailure(`${isImage ? `${folder} is a container (runtime DOCKER): ` : ''}${engine}. ${ENGINE_REMEDY}`);
  const dir = path.join(state, 'runtime');
  const image = options.image ?? `python:${await versionFor(folder)}-slim`;
  const driver = new EngineDriver({ dir, engine, pythonImage: image, network });
  const runtime = new LocalRuntime({ dir, driver });
  const reach = options.hasHosts ? 'all hosts of its network' : 'no network';
  const about = `in containers of ${engine.name}, with ${reach}`;
  await runtime.takeOver();
  const common = { mode: 'engine', runtime } as const;
  if (isImage) {
    const load = imageLoader(engine, { dir, labels: driver.labels, network, name: driver.imageName });
    return { ...common, about, environment: 'the image of its Dockerfile', load };
  }
  const python = { engine, image, dir, labels: driver.labels, network, environment: shell.environment };
  const onLine = (line: Parameters<Output['log']>[0]): void => {
    output.log(line);
  };
  const version = await pythonInImage(python, onLine, new AbortController().signal).catch((error: unknown) => {
    throw error instanceof EngineProblem
      ? usageFailure(error.message, 'ket serve --mode engine --image <name>')
      : error;
  });
  const load: Loader = async ({ dir: sourceDir }, { environment, signal, onLine: onCode }) => {
    const packages = await packagesInImage(python, await requirementsOf(sourceDir), onLine, signal);
    return {
      key: packages ?? '',
      packages: null,
      async load() {
        const ask = askInImage(python, { sourceDir, packages, environment });
        const inspection = await inspectBy(ask, sourceDir, signal, onCode);
        return { code: { sourceDir, layerDir: packages, imports: [], python: version }, inspection };
      },
    };
  };
  return { ...common, about, environment: `Python ${version} (image ${image})`, load };
}

async function versionFor(folder: string): Promise<string> {
  const asked = await askedPython(folder, null, () => undefined);
  return PYTHONS.find((version) => asked?.fits(version) ?? true) ?? '3.12';
}

interface ImageOptions {
  readonly dir: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly network: string;
  /** The name of the image for a copy of the code. */
  readonly name: (digest: string) => string;
}

/** Builds the image of each copy of the code, with the steps of earlier builds where they are the same. */
function imageLoader({ engine }: LocalEngine, { dir, labels, network, name }: ImageOptions): Loader {
  let last: string | null = null;
  return (snapshot, { signal, onLine }) =>
    Promise.resolve({
      key: '',
      packages: null,
      async load() {
        const image = name(snapshot.digest);
        const draft = path.join(dir, `image-${process.pid}`);
        const log = createBuildLog(onLine, Date.now);
        const wanted = { name: image, labels, network, limits: DEFAULT_IMAGE_LIMITS, cached: true };
        try {
          await buildFolder(engine, snapshot.dir, wanted, { draft, log, signal });
        } finally {
          rmSync(draft, { recursive: true, force: true });
        }
        // An image that a running container has stays until the next build.
        if (last !== null && last !== image) await engine.settle('DELETE', `/images/${last}`);
        last = image;
        return { code: { image }, inspection: null };
      },
    });
}
