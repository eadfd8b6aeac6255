import { existsSync } from 'node:fs';
import type { ExecutionJob } from '../types.ts';

/** A folder of the code or of its packages that is not there; null when all are. */
export function missingFolder(code: ExecutionJob['code']): string | null {
  if ('image' in code) return null;
  return [code.sourceDir, code.layerDir].find((folder) => folder !== null && !existsSync(folder)) ?? null;
}
