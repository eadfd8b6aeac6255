import path from 'node:path';
import { usageFailure } from '../failures.ts';
import { parseObject } from '../json.ts';
import { readIfThere, type Manifest } from './manifest-content.ts';

/** Configuration files of other platforms that `ket` accepts instead of `kethub.json`. The first that exists counts. */
export const foreignManifests = ['qhub.json', 'planqk.json'] as const;

/** Members without meaning for a service here. `ket up` leaves them out silently. */
const ignored = ['serviceId', 'quantumBackend', '$schema'];

/** A configuration file of another platform. */
interface ForeignManifest {
  /** Name of the file in the folder. */
  readonly file: string;
  readonly manifest: Manifest;
  /** Members that it has without meaning here, and that no note names. */
  readonly ignored: readonly string[];
}

/** Reads a configuration file of another platform; null when the folder has none. */
export async function readForeignManifest(folder: string): Promise<ForeignManifest | null> {
  for (const name of foreignManifests) {
    const file = path.join(folder, name);
    const text = await readIfThere(file);
    if (text === null) continue;
    const present = Object.keys(parseObject(text, file)).filter((member) => ignored.includes(member));
    return { file: name, manifest: await parse(text, file, folder), ignored: present };
  }
  return null;
}

async function parse(text: string, file: string, folder: string): Promise<Manifest> {
  const value = parseObject(text, file);
  const { name, description, descriptionFile, resources = {}, runtime = 'PYTHON_TEMPLATE', ...rest } = value;
  if (typeof name !== 'string' || name.trim() === '')
    throw usageFailure(`${file}: "name" must be a text that is not empty.`);
  if (runtime !== 'PYTHON_TEMPLATE' && runtime !== 'DOCKER')
    throw usageFailure(`${file}: "runtime" must be PYTHON_TEMPLATE or DOCKER, not ${JSON.stringify(runtime)}.`);
  if (typeof resources !== 'object' || resources === null || Array.isArray(resources))
    throw usageFailure(`${file}: "resources" must be an object such as {"cpu": 1, "memory": 1}.`);
  const { cpu, memory, gpu, ...unknown }: Record<string, unknown> = { ...resources };
  const left = [
    ...Object.keys(rest).filter((member) => !ignored.includes(member)),
    ...Object.keys(unknown).map((member) => `resources.${member}`),
  ];
  return {
    name,
    description: typeof description === 'string' ? description : await describe(descriptionFile, file, folder),
    // The platform names wrong values, in the words of its own configuration.
    configuration: {
      runtime,
      ...(cpu !== undefined && { cpus: Number(cpu) }),
      ...(memory !== undefined && { memoryGb: Number(memory) }),
      ...(isGpu(gpu) && { gpu }),
    },
    workflow: null,
    services: {},
    notes: left.length === 0 ? [] : [`${path.basename(file)}: ${left.join(', ')} has no meaning here and is left out.`],
  };
}

/** The text of the file in `descriptionFile`, which must be in the folder itself. */
async function describe(descriptionFile: unknown, file: string, folder: string): Promise<string> {
  if (descriptionFile === undefined || descriptionFile === null) return '';
  if (typeof descriptionFile !== 'string' || path.basename(descriptionFile) !== descriptionFile)
    throw usageFailure(`${file}: "descriptionFile" must name a file in the same folder.`);
  const text = await readIfThere(path.join(folder, descriptionFile));
  if (text !== null) return text;
  throw usageFailure(`${file}: the "descriptionFile" ${descriptionFile} is not there.`);
}

function isGpu(gpu: unknown): gpu is { readonly count: number; readonly type?: string } {
  return typeof gpu === 'object' && gpu !== null && 'count' in gpu && Number(gpu.count) > 0;
}
