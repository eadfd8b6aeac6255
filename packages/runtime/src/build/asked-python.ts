import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../errors.ts';
import { show } from './archive-entry.ts';
import { pythonRange } from './python-range.ts';

/** Bytes of a file that are searched. A version after them is not found. */
export const TEXT_BYTES = 64 * 1024;
/** Files of a project that may name its Python. */
export const PYTHON_FILES = ['.python-version', 'pyproject.toml'] as const;

/** Implementations other than CPython, as pyenv and uv name them: `pypy3.9`, `pypy3.10-7.3.15`, `graalpy-24.0`. */
const OTHER_IMPLEMENTATION =
  /^(?:pypy|graalpy|graalpython|jython|ironpython|stackless|micropython|pyston|cinder)(?:-community)?(?:[-@]?\d[\w.+@-]*)?$/i;

/** The Python that a project asks for. */
export interface AskedPython {
  /** The text in the file, for example `>=3.12,<4` or `pypy3.9`. */
  text: string;
  /** The file that holds it. */
  file: string;
  /** Returns whether a version such as `3.12` fits. */
  fits: (version: string) => boolean;
}

/**
 * Finds the Python that a project asks for. The first source that names one counts: the configuration of the service,
 * `.python-version` of pyenv and uv, then pyproject.toml with `requires-python` or Poetry's dependency `python`. Null
 * when none does. Patch versions are ignored: `3.12.4` asks for 3.12. An implementation other than CPython fits nothing.
 * `warn` receives a sentence for each text that names a Python in no known form, and which is therefore not followed.
 */
export async function askedPython(
  folder: string,
  configured: string | null,
  warn: (message: string) => void,
): Promise<AskedPython | null> {
  if (configured !== null) return exactly(configured, 'The configuration of the service');
  const texts = new Map<string, string>();
  for (const file of PYTHON_FILES) texts.set(file, await beginningOf(join(folder, file)));
  return pythonAskedIn(texts, warn);
}

/** Finds the Python in the texts of the {@link PYTHON_FILES}, which are given by name. */
export function pythonAskedIn(
  texts: ReadonlyMap<string, string>,
  warn: (message: string) => void = () => undefined,
): AskedPython | null {
  const named = firstName(texts.get('.python-version') ?? '');
  if (named !== null && OTHER_IMPLEMENTATION.test(named))
    return { text: named, file: '.python-version', fits: () => false };
  const pinned = /^\s*(?:cpython-|python-)?(\d+\.\d+)(?:\.\d+)?\s*$/m.exec(texts.get('.python-version') ?? '')?.[1];
  if (pinned !== undefined) return exactly(pinned, '.python-version');
  if (named !== null) warn(`.python-version is not followed: ${show(named)} is no version such as 3.12.`);
  const project = texts.get('pyproject.toml') ?? '';
  const text =
    /^\s*requires-python\s*=\s*["']([^"'\n]*)["']/m.exec(project)?.[1] ??
    /^\[tool\.poetry\.dependencies\][^[]*?^\s*python\s*=\s*["']([^"'\n]*)["']/ms.exec(project)?.[1];
  const fits = text === undefined ? null : pythonRange(text);
  if (text !== undefined && fits === null)
    warn(`The Python of pyproject.toml is not followed: ${show(text)} is no range of versions such as >=3.12.`);
  return text === undefined || fits === null ? null : { text, file: 'pyproject.toml', fits };
}

/** The first line of a `.python-version` that is neither empty nor a comment. */
function firstName(text: string): string | null {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.find((line) => line !== '' && !line.startsWith('#')) ?? null;
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
