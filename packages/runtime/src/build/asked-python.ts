import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../errors.ts';
import { pythonRange } from './python-range.ts';

/** Bytes of a file that are looked at; a version that stands behind them is not found. */
export const TEXT_BYTES = 64 * 1024;
/** Files of a project that say which Python it asks for. */
export const PYTHON_FILES = ['.python-version', 'pyproject.toml'] as const;

/** The Python that a project asks for. */
export interface AskedPython {
  /** As it is written, for example `>=3.12,<4`. */
  text: string;
  /** Where it stands. */
  file: string;
  /** Whether some release of a version such as `3.12` is asked for. */
  fits: (version: string) => boolean;
}

/**
 * Reads which Python a project asks for: the configuration of the service, `.python-version` of pyenv and uv, and
 * `requires-python` or the dependency `python` of Poetry in pyproject.toml. The first that says something counts. Null when
 * none does. A patch version is not chosen: `3.12.4` asks for 3.12.
 */
export async function askedPython(folder: string, configured: string | null): Promise<AskedPython | null> {
  if (configured !== null) return exactly(configured, 'The configuration of the service');
  const texts = new Map<string, string>();
  for (const file of PYTHON_FILES) texts.set(file, await beginningOf(join(folder, file)));
  return pythonAskedIn(texts);
}

/** Reads which Python the {@link PYTHON_FILES} of a project ask for, from their texts by name. */
export function pythonAskedIn(texts: ReadonlyMap<string, string>): AskedPython | null {
  const pinned = /^\s*(?:cpython-|python-)?(\d+\.\d+)(?:\.\d+)?\s*$/m.exec(texts.get('.python-version') ?? '')?.[1];
  if (pinned !== undefined) return exactly(pinned, '.python-version');
  const project = texts.get('pyproject.toml') ?? '';
  const text =
    /^\s*requires-python\s*=\s*["']([^"'\n]*)["']/m.exec(project)?.[1] ??
    /^\[tool\.poetry\.dependencies\][^[]*?^\s*python\s*=\s*["']([^"'\n]*)["']/ms.exec(project)?.[1];
  const fits = text === undefined ? null : pythonRange(text);
  return text === undefined || fits === null ? null : { text, file: 'pyproject.toml', fits };
}

function exactly(version: string, file: string): AskedPython {
  return { text: version, file, fits: (one) => one === version };
}

async function beginningOf(file: string): Promise<string> {
  try {
    const handle = await open(file, 'r');
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(TEXT_BYTES), 0, TEXT_BYTES, 0);
      return buffer.toString('utf8', 0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes(errorCode(error) ?? '')) return '';
    throw error;
  }
}
