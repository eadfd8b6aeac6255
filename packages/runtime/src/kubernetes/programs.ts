import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { InputRefused, writeInputFiles } from '../containers/input-files.ts';
import type { JobHeader } from '../protocol/messages.ts';
import type { Code, ContainerImage } from '../types.ts';
import { PYTHON_SIDE } from '../version.ts';
import type { Transfer } from '../transfers/transfers.ts';
import { buildPod } from './build-pod.ts';
import { inputOf } from './claims.ts';
import { handoverOf, imagePod, makeHelper } from './image-pod.ts';
import { pythonPod, type Order } from './objects.ts';
import type { RegistrySettings } from './settings.ts';

/** Hosts behind docker.io: the registry, its tokens and its layers. */
const DOCKER_HUB = ['registry-1.docker.io', 'auth.docker.io', 'production.cloudflare.docker.com'];

/** A program in the form in which a cluster runs it. */
export interface ClusterProgram {
  /** Content that is handed over in the secret of its pod. */
  readonly handover: string;
  /** Folders that its pod fetches. */
  readonly parts: Transfer['parts'];
  readonly pod: (order: Order) => object;
  /** True if its result is the file `output.json` of its output. */
  readonly leavesFile: boolean;
  /** Hosts that its pod reaches besides those of the version, as `host:port`. */
  readonly hosts: readonly string[];
  /** Set when its input cannot be handed over, in words for its sender. */
  readonly inputRefused?: string;
}

/** @throws when the folders of the code are not there. */
export function pythonProgram(job: JobHeader, code: Code, input: Buffer, folder: string, python: string): ClusterProgram {
  const { secrets, secretEnvironment = {}, dataPools } = job;
  for (const path of [code.sourceDir, ...(code.layerDir === null ? [] : [code.layerDir])])
    if (!existsSync(path)) throw new Error(`There is no folder ${path}.`);
  writeFileSync(inputOf(folder), input, { mode: 0o600 });
  const header = { secrets, environment: secretEnvironment, dataPools: dataPools.map(({ parameter }) => parameter) };
  return {
    handover: JSON.stringify(header),
    parts: {
      app: { from: code.sourceDir, to: 'exchange/app' },
      runner: { from: PYTHON_SIDE, to: 'exchange/runner' },
      ...(code.layerDir !== null && { deps: { from: code.layerDir, to: 'exchange/deps' } }),
    },
    pod: (order) => pythonPod(order, { python, hasLayer: code.layerDir !== null }),
    leavesFile: false,
    hosts: [],
  };
} // prettier-ignore

/** A Docker service. Input that cannot be handed over is a failure of its execution. */
export function imageProgram(
  { secrets, secretEnvironment = {} }: JobHeader,
  image: ContainerImage,
  input: Buffer,
  folder: string,
  registry: RegistrySettings,
): ClusterProgram {
  const pod = (order: Order): object => imagePod(order, registry, image);
  try {
    const handover = handoverOf(secrets, secretEnvironment);
    const files = join(folder, 'input-files');
    mkdirSync(files, { mode: 0o700 });
    writeInputFiles(input, files);
    const helper = makeHelper(folder);
    const parts = { input: { from: files, to: 'exchange/input' }, helper: { from: helper, to: 'exchange/helper' } };
    return { handover, parts, pod, leavesFile: true, hosts: [] };
  } catch (error) {
    if (!(error instanceof InputRefused)) throw error;
    return { handover: '', parts: {}, pod, leavesFile: true, hosts: [], inputRefused: error.message };
  }
}

/** @throws when the folder of the project is not there. */
export function buildProgram(
  image: ContainerImage,
  source: NonNullable<ContainerImage['build']>,
  registry: RegistrySettings,
): ClusterProgram {
  if (!existsSync(source.folder)) throw new Error(`There is no folder ${source.folder}.`);
  const { repository, baseRegistry, isPlain, hosts } = registry;
  const bases = [repository, ...(baseRegistry === 'docker.io' ? DOCKER_HUB : [baseRegistry])].map((name) =>
    withPort(name.split('/')[0] ?? '', isPlain),
  );
  return {
    handover: '',
    parts: { context: { from: source.folder, to: 'exchange/context' } },
    pod: (order) => buildPod(order, registry, image, source),
    leavesFile: false,
    hosts: [...new Set([...bases, ...hosts])],
  };
}

function withPort(host: string, isPlain: boolean): string {
  return /:\d+$/.test(host) ? host : `${host}:${isPlain ? 80 : 443}`;
}
