import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createImageBuilder } from '../build/index.ts';
import { connectRuntime } from '../client/connect.ts';
import type { ImageConfig } from '../containers/description.ts';
import { Engine } from '../containers/engine.ts';
import { makeRunnerPaths } from '../paths.ts';
import { takeRoots } from '../root/index.ts';
import { prepareRoot } from '../sandbox/root.ts';
import { PYTHON_SIDE } from '../version.ts';
import { BUILD_LIMITS, HOSTILE_IMAGES } from './images.ts';
import { hostileZip } from './hostile-zip.ts';
import { importImage } from './python-image.ts';
import { EVIL, filesOfAll } from './programs.ts';
import { endAll } from './sandbox-driver.ts';
import type { EscapeDriver } from './types.ts';
import { uploadTo } from './upload.ts';

/** Parts of an image that help an attack: a setuid program of root, and devices that everybody may open. */
const DOCKERFILE = `
COPY . /app
RUN ["/usr/bin/python3", "-I", "-S", "-c", "import os; os.umask(0); os.mkdir('/app/scratch')"]
RUN ["/usr/bin/python3", "-I", "-S", "-c", "import os, shutil; os.chmod(shutil.copy('/bin/sh', '/usr/bin/setuid-sh'), 0o6755)"]
RUN ["/usr/bin/python3", "-I", "-S", "-c", "import os; os.umask(0); os.mkdir('/app/devices'); [os.mknod(f'/app/devices/{n}', k | 0o666, os.makedev(*d)) for n, k, d in (('disk', 0o060000, (8, 0)), ('virtual', 0o060000, (254, 0)), ('memory', 0o020000, (1, 1)))]"]
ENTRYPOINT ["/usr/bin/python3", "-I", "-S", "-u", "-B", "/app/src/container_start.py"]
`;

/**
 * The container engine at a socket, with a data folder and a runner of its own below `parent`. Its image holds the
 * Python of sandboxes, so that hostile programs run there as well.
 * @param rootsDir the folder of the installation's roots, or null to use the Python of this machine.
 */
export async function openContainerDriver(
  socketPath: string,
  parent: string = tmpdir(),
  rootsDir: string | null = null,
): Promise<EscapeDriver> {
  const dataDir = mkdtempSync(join(parent, 'kethub-doctor-'));
  const paths = makeRunnerPaths(dataDir);
  if (rootsDir !== null) await takeRoots(rootsDir, paths.runtimeDir);
  const engine = new Engine(socketPath);
  const base = `kethub-doctor:${paths.mark}`;
  const containers = { socketPath, network: 'none' };
  const runtime = await connectRuntime({ dataDir, containers, idleExitMs: 500, cancelGraceMs: 300, warmBytes: 0 });
  const builder = createImageBuilder({ dataDir, socketPath, network: 'none', limits: BUILD_LIMITS });
  const built = once(async () => {
    await importImage(engine, base, prepareRoot(paths, PYTHON_SIDE, false));
    const files = { ...filesOfAll(), ...EVIL, Dockerfile: `FROM ${base}${DOCKERFILE}` };
    const entries = Object.entries(files).map(([name, content]) => ({ name, content }));
    const { outcome, said } = await uploadTo(builder, hostileZip(entries));
    if (!outcome.ok) throw new Error(`The image of the hostile programs was not built: ${said}`);
    return outcome.built as { image: string };
  });
  return {
    name: 'container',
    runtime,
    folders: [dataDir, paths.runtimeDir],
    sockets: [paths.socket, socketPath],
    program: async (name) => ({ code: { image: (await built()).image }, environment: { ESCAPE: name } }),
    honest: [{ name: 'Dockerfile', content: 'FROM scratch\nCOPY . .\nCMD ["x"]\n' }],
    builds: HOSTILE_IMAGES,
    builder: () => builder,
    imageId: async (image) => ((await engine.ask('GET', `/images/${image}/json`)) as ImageConfig & { Id: string }).Id,
    folderOf: (executionId) => join(paths.executions, executionId),
    async close() {
      await endAll(runtime, dataDir, async () => builder.sweep(async () => Promise.resolve(new Set())));
      await engine.settle('DELETE', `/images/${base}`);
    },
  };
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return async () => (made ??= make());
}
