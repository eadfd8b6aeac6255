import path from 'node:path';
import { missingSpace } from '@kethub/runtime';
import type { Configuration } from '../../foundation/config/index.ts';
import { Problem } from '../../foundation/http/index.ts';
import type { Platform } from '../../foundation/platform.ts';

/** MiB that must be freed on the disk of the blobs or of the data folder; 0 when enough is free. */
export function missingMb({ blobs, dataDir, freeDiskBytes }: Configuration): number {
  const folders = blobs.kind === 'FOLDER' ? [dataDir, blobs.folder ?? path.join(dataDir, 'blobs')] : [dataDir];
  return Math.ceil(Math.max(...folders.map((folder) => missingSpace(folder, freeDiskBytes))) / 2 ** 20);
}

/** Throws insufficient-storage when less is free than must stay free. Called before an upload is read. */
export function requireFreeSpace({ configuration }: Platform): void {
  const missing = missingMb(configuration);
  if (missing === 0) return;
  throw new Problem(
    'insufficient-storage',
    `The disk of the platform is nearly full: the operator has to free ${missing} MiB. Nothing was changed.`,
  );
}
