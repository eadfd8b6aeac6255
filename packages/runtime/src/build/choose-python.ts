import { byVersion } from '../pythons/index.ts';
import type { AskedPython } from './asked-python.ts';
import { BuildError } from './problem.ts';

/** Versions such as `3.12` that services can have. A service that asks for none gets the usual one. */
export interface OfferedPythons {
  usual: string;
  others: readonly string[];
}

/**
 * Chooses the Python of a service: the usual version if it fits, otherwise the next newer one that fits, otherwise the
 * next older.
 * @throws BuildError that lists the available versions, when none fits.
 */
export function choosePython(asked: AskedPython | null, { usual, others }: OfferedPythons): string {
  const all = [usual, ...others.filter((one) => one !== usual)].toSorted(byVersion);
  const newer = all.filter((one) => byVersion(one, usual) > 0);
  const older = all.filter((one) => byVersion(one, usual) < 0).toReversed();
  const chosen = [usual, ...newer, ...older].find((one) => asked === null || asked.fits(one));
  if (chosen !== undefined || asked === null) return chosen ?? usual;
  throw new BuildError('python-unavailable', pythonUnavailable(asked, all));
}

/** The message for a project that asks for a version that is not available, with the remedy. */
export function pythonUnavailable(asked: Pick<AskedPython, 'file' | 'text'>, versions: readonly string[]): string {
  return `${askedText(asked)}. This platform has Python ${listed(versions.toSorted(byVersion))}. Ask for one of these versions.`;
}

/** The demand of a project in words: `.python-version asks for Python 3.9`. */
export function askedText({ file, text }: Pick<AskedPython, 'file' | 'text'>): string {
  return `${file} asks for ${/^[a-z]/i.test(text) ? text : `Python ${text}`}`;
}

function listed(versions: readonly string[]): string {
  return versions.length < 2 ? versions.join('') : `${versions.slice(0, -1).join(', ')} and ${versions.at(-1) ?? ''}`;
}
