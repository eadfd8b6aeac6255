import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../errors.ts';
import { pythonRange } from './python-range.ts';

/** Bytes of a file that are searched. A version after them is not found. */
export const TEXT_BYTES = 64 * 1024;
/** Files of a project that may name its Python. */
export const PYTHON_FILES = ['.python-version', 'pyproject.toml'] as const;

/** The Python that a project asks for. */
export interface AskedPython {
  /** The text in the file, for example `>=3.12,<4`. */
  text: string;
  /** The file that holds it. */
  file: string;
  /** Whether a version such as `3.12` fits. */
  fits: (version: string) => boolean;
}

/**
 * Finds the Python that a project asks for. The first source that names one counts: the configuration of the service,
 * `.python-version` of pyenv and uv, then pyproject.toml with `requires-python` or Poetry's dependency `python`. Null
 * when none does. Patch versions are ignored: `3.12.4` asks for 3.12.
 */
export async function askedPython(folder: string, configured: string | null): Promise<AskedPython | null> {
  if (configured !== null) return exactly(configured, 'The configuration of the service');
  const texts = new Map<string, string>();
  for (const file of PYTHON_FILES) texts.set(file, await beginningOf(join(folder, file)));
  return pythonAskedIn(texts);
}

/** Finds the Python in the texts of the {@link PYTHON_FILES}, which are given by name. */
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
