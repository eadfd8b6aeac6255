import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { RuntimeConfiguration } from '@kethub/contract';
import { usageFailure } from '../failures.ts';
import { parseObject } from '../json.ts';

/** `kethub.json`: what a folder is published as. */
export interface Manifest {
  readonly name: string;
  readonly description: string;
  /** Members that are left out have the platform's defaults. */
  readonly configuration: Partial<RuntimeConfiguration>;
}

export const manifestName = 'kethub.json';

/** Reads `kethub.json` of a folder; null when there is none. The platform checks the configuration itself. */
export async function readManifest(folder: string): Promise<Manifest | null> {
  const file = path.join(folder, manifestName);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
  return parseManifest(text, file);
}

/** Reads `kethub.json`, which has to be there. */
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
    (key) => !['name', 'description', 'configuration', '$schema'].includes(key),
  );
  if (unknown.length > 0)
    throw usageFailure(`${file}: ${unknown.join(', ')} is unknown. It takes name, description and configuration.`);
  const { name, description = '', configuration = {} } = value;
  if (typeof name !== 'string' || name.trim() === '')
    throw usageFailure(`${file}: "name" must be a text that is not empty.`);
  if (typeof description !== 'string') throw usageFailure(`${file}: "description" must be a text.`);
  if (typeof configuration !== 'object' || configuration === null || Array.isArray(configuration))
    throw usageFailure(`${file}: "configuration" must be an object such as {"cpus": 1, "memoryGb": 1}.`);
  // The members are checked by the platform, whose answer names each wrong one.
  return { name, description, configuration };
}
