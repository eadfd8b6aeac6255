import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../errors.ts';

const LOOKED_AT = 64 * 1024;

/** The Python that a project asks for, for example `3.12`, and where it says so; null when it asks for none. */
export async function askedPython(folder: string): Promise<{ version: string; file: string } | null> {
  const pinned = /^\s*(?:cpython-)?(\d+\.\d+)(?:\.\d+)?\s*$/m.exec(
    await beginningOf(join(folder, '.python-version')),
  )?.[1];
  if (pinned !== undefined) return { version: pinned, file: '.python-version' };
  const range = /^\s*requires-python\s*=\s*["']([^"'\n]*)["']/m.exec(
    await beginningOf(join(folder, 'pyproject.toml')),
  )?.[1];
  // Only what excludes all others, or everything below it, is a question of one version.
  const least = range === undefined ? undefined : /(?:==|~=|>=)\s*(\d+\.\d+)/.exec(range)?.[1];
  return least === undefined
    ? null
    : { version: `${range?.includes('>=') === true ? '>=' : ''}${least}`, file: 'pyproject.toml' };
}

/** Says that a project asks for another Python than the one it gets; null when it gets what it asks for. */
export async function otherPython(folder: string, offered: string): Promise<string | null> {
  const asked = await askedPython(folder);
  if (asked === null) return null;
  const { version, file } = asked;
  const fits = version.startsWith('>=') ? minorOf(offered) >= minorOf(version.slice(2)) : version === offered;
  return fits
    ? null
    : `${file} asks for Python ${version}. This platform offers Python ${offered} only, and the service runs with it.`;
}

function minorOf(version: string): number {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major * 1_000 + minor;
}

async function beginningOf(file: string): Promise<string> {
  try {
    const handle = await open(file, 'r');
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(LOOKED_AT), 0, LOOKED_AT, 0);
      return buffer.toString('utf8', 0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes(errorCode(error) ?? '')) return '';
    throw error;
  }
}
