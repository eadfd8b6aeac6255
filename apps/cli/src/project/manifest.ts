import path from 'node:path';
import { usageFailure } from '../failures.ts';
import { parseObject } from '../json.ts';
import { foreignManifests, readForeignManifest } from './foreign-manifest.ts';
import { readIfThere, type Manifest } from './manifest-content.ts';

export const manifestName = 'kethub.json';
/** Files that make a folder a service. The first that exists counts. */
export const manifestNames = [manifestName, ...foreignManifests];

/**
 * Reads `kethub.json` of a folder, or a file of another platform. Null when there is none. The platform checks the
 * configuration.
 */
export async function readManifest(folder: string): Promise<Manifest | null> {
  const file = path.join(folder, manifestName);
  const text = await readIfThere(file);
  return text === null ? ((await readForeignManifest(folder))?.manifest ?? null) : parseManifest(text, file);
}

/** Reads `kethub.json`, or a file that replaces it. Fails when there is none. */
export async function requireManifest(folder: string): Promise<Manifest> {
  const manifest = await readManifest(folder);
  if (manifest) return manifest;
  throw usageFailure(
    `${path.join(folder, manifestName)} does not exist: this folder is no service yet.`,
    'ket init <folder>',
  );
}

export function parseManifest(text: string, file: string): Manifest {
  const value = parseObject(text, file);
  const unknown = Object.keys(value).filter(
    (key) => !['name', 'description', 'configuration', 'workflow', 'services', 'serve', '$schema'].includes(key),
  );
  if (unknown.length > 0)
    throw usageFailure(
      `${file}: ${unknown.join(', ')} is unknown. It takes name, description and configuration; of a workflow workflow and services.`,
    );
  const { name, description = '', configuration = {}, workflow = null, services = {} } = value;
  if (typeof name !== 'string' || name.trim() === '')
    throw usageFailure(`${file}: "name" must be a text that is not empty.`);
  if (typeof description !== 'string') throw usageFailure(`${file}: "description" must be a text.`);
  if (typeof configuration !== 'object' || configuration === null || Array.isArray(configuration))
    throw usageFailure(`${file}: "configuration" must be an object such as {"cpus": 1, "memoryGb": 1}.`);
  if (workflow !== null && (typeof workflow !== 'string' || workflow === ''))
    throw usageFailure(`${file}: "workflow" must be the name of a BPMN file.`);
  if (!isTexts(services)) throw usageFailure(`${file}: "services" must map ids in the BPMN file to names of services.`);
  // The platform checks the members, and its answer names each wrong one.
  return { name, description, configuration, workflow, services, notes: [] };
}

function isTexts(value: unknown): value is Readonly<Record<string, string>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((one) => typeof one === 'string');
}
