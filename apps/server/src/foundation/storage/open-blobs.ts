import path from 'node:path';
import type { BlobSettings } from '../config/index.ts';
import { openBlobFolder, type Blobs } from './blobs.ts';

/** Opens the configured store. The client of S3 (26 packages, 160 ms, 32 MB) is loaded only if it is used. */
export async function openBlobs(settings: BlobSettings, dataDir: string): Promise<Blobs> {
  if (settings.kind === 'FOLDER') return openBlobFolder(settings.folder ?? path.join(dataDir, 'blobs'));
  const { openS3 } = await import('./blobs-s3.ts');
  return openS3(settings);
}
