import { access, readFile } from 'node:fs/promises';
import type { RuntimeConfiguration } from '@kethub/contract';

/** The content of `kethub.json`: the service as which a folder is published. */
export interface Manifest {
  readonly name: string;
  readonly description: string;
  /** Missing members have the platform's defaults. */
  readonly configuration: Partial<RuntimeConfiguration>;
  /** The BPMN file of a workflow; null for code. */
  readonly workflow: string | null;
  /** Names of services, by the ids that replace them in the BPMN file. */
  readonly services: Readonly<Record<string, string>>;
  /** Notes for the user on how the file was read. */
  readonly notes: readonly string[];
}

/** The text of a file, or null when it does not exist. */
export async function readIfThere(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

export function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
