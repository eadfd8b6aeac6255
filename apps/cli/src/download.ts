import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { lstat, mkdir, realpath, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CliFailure } from './failures.ts';

/**
 * Streams a file into a folder, under a temporary name until it is complete. The name is not trusted: one that leads
 * out of the folder, directly or through a symbolic link, is refused. Returns the path.
 */
export async function download(folder: string, name: string, open: () => Promise<Response>): Promise<string> {
  await mkdir(folder, { recursive: true });
  const root = await realpath(folder);
  const target = await targetOf(root, name);
  const response = await open();
  const temporary = path.join(path.dirname(target), `.${randomBytes(6).toString('hex')}.part`);
  try {
    const body = response.body ? Readable.fromWeb(response.body) : Readable.from([]);
    await pipeline(body, createWriteStream(temporary, { flags: 'wx' }));
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  return target;
}

/** The path for a file of this name. Creates its parent folders. */
export async function targetOf(root: string, name: string): Promise<string> {
  const parts = name.split(/[/\\]/);
  if (parts.some((part) => part === '' || part === '.' || part === '..' || part.includes('\0'))) throw refused(name);
  let folder = root;
  for (const part of parts.slice(0, -1)) {
    folder = path.join(folder, part);
    await mkdir(folder, { recursive: true });
    // A link to a folder would lead elsewhere. The last part may be a link, because rename replaces it.
    if ((await lstat(folder)).isSymbolicLink()) throw refused(name);
  }
  return path.join(folder, parts.at(-1) ?? '');
}

function refused(name: string): CliFailure {
  return new CliFailure(
    'refused',
    'unsafe-file-name',
    `The result file ${JSON.stringify(name)} would be written outside the folder; it is left out.`,
    ['ket result <id> --file <name> --output -'],
  );
}
