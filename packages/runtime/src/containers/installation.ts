import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../errors.ts';

/**
 * Names this data folder at an engine that others use too: only what carries this name is ours to end or remove. It cannot
 * be guessed, so a Dockerfile of somebody else cannot name an image of ours either. Made once.
 */
export function installationOf(runtimeDir: string): string {
  const file = join(runtimeDir, 'installation');
  try {
    return readFileSync(file, 'latin1');
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
  // Appears whole or not at all, and of two that make it one wins.
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, randomBytes(16).toString('hex'), { mode: 0o600 });
  try {
    linkSync(draft, file);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  } finally {
    rmSync(draft);
  }
  return readFileSync(file, 'latin1');
}
