import type { HostPython } from './host-python.ts';
import { BuildError } from './problem.ts';
import type { Requirement } from './requirements.ts';

const MISSING = /satisfies the requirement (?<demand>.+?) \(from versions: (?<versions>.*)\)$/;

/** The name of the package of which pip has found nothing that fits; null when it failed for another reason. */
export function missingPackage(output: readonly string[]): string | null {
  const demand = firstMatch(output, MISSING)?.['demand'];
  return demand === undefined ? null : nameOf(demand);
}

/**
 * Turns the messages of a failed `pip install` into a problem that names the line of requirements.txt.
 * `sources` are the versions of the package that is missing which there are as source code.
 * Read from the output of pip 23 to 25; what is not recognised is shown as pip said it.
 */
export function pipProblem(
  output: readonly string[],
  requirements: readonly Requirement[],
  python: HostPython,
  sources: readonly string[] = [],
): BuildError {
  const missing = firstMatch(output, MISSING);
  if (missing !== null) {
    const versions = (missing['versions'] ?? '').split(', ').filter((version) => version !== '' && version !== 'none');
    const [demand = '', source] = (missing['demand'] ?? '').split(' (from ');
    const place = placeOf(demand, source, requirements);
    if (versions.length === 0 && output.some((line) => line.includes('after connection broken by')))
      return unreachable(output);
    return new BuildError(
      'package-not-found',
      `${place}${notFound(demand, versions, python, sources)}${forOtherPythons(output)}`,
    );
  }
  const changed = firstMatch(output, /^\s{4}(?<demand>[A-Za-z0-9][^ ]*==[^ ]+) from /);
  if (changed !== null && output.some((line) => line.includes('DO NOT MATCH THE HASHES'))) {
    const detail = `the package index has another file for ${changed['demand'] ?? ''} than the one that was resolved. Upload the source again to take what the index has now.`;
    return new BuildError('install-failed', detail);
  }
  if (output.some((line) => line.includes('conflicting dependencies') || line.includes('ResolutionImpossible'))) {
    return new BuildError('packages-conflict', conflict(output, requirements));
  }
  if (output.some((line) => line.includes('after connection broken by') || line.includes('Max retries exceeded'))) {
    return unreachable(output);
  }
  const errors = output.filter((line) => line.startsWith('ERROR: ')).map((line) => line.slice('ERROR: '.length));
  const said = (errors.length > 0 ? errors : output).slice(-3).join(' ');
  return new BuildError('install-failed', `pip ended without installing the packages. It said: ${shorten(said, 600)}`);
}

function firstMatch(output: readonly string[], pattern: RegExp): Record<string, string> | null {
  for (const line of output) {
    const groups = pattern.exec(line)?.groups;
    if (groups !== undefined) return groups;
  }
  return null;
}

function notFound(demand: string, versions: readonly string[], python: HostPython, sources: readonly string[]): string {
  const name = nameOf(demand);
  const exact = /===?\s*([^,;\s]+)$/.exec(demand)?.[1];
  if (sources.length > 0 && (versions.length === 0 || (exact !== undefined && sources.includes(exact)))) {
    const which = exact === undefined ? name : `${name} ${exact}`;
    const others = versions.length === 0 ? '' : `Versions with a wheel: ${versions.slice(-8).join(', ')}. `;
    return (
      `${which} exists as source code only: the package index has no wheel of it for Python ${python.version}. Source packages ` +
      `are not built here, because that would run their code with a network. ${others}Take a version that has a wheel, or put the code of the package into src.`
    );
  }
  if (versions.length > 0) {
    const newest = versions.filter((version) => /^[\d.]+$/.test(version)).slice(-8);
    return `no version of ${name} for Python ${python.version} fits \`${demand}\`. The newest that there are: ${newest.join(', ')}.`;
  }
  return (
    `the package index has no package ${name} for Python ${python.version}. Check the spelling, and whether the package is ` +
    'on the index that this platform uses.'
  );
}

/** What there is for other versions of Python, as pip tells it; empty when it tells nothing. */
function forOtherPythons(output: readonly string[]): string {
  const ignored = firstMatch(output, /require a different python version: (?<versions>.+)$/)?.['versions'];
  if (ignored === undefined) return '';
  const newest = ignored
    .split('; ')
    .slice(-3)
    .map((one) => one.replace(/ Requires-Python (.*)$/, ' (Python $1)'));
  return ` Versions for another Python: ${shorten(newest.join(', '), 300)}.`;
}

/** `requirements.txt, line 3: ` for what the file demands itself, otherwise who demands it. */
function placeOf(demand: string, source: string | undefined, requirements: readonly Requirement[]): string {
  const own = requirements.find((one) => one.name === nameOf(demand));
  if (own?.line === 0) return `src imports ${own.name}: `;
  if (own !== undefined) return `requirements.txt, line ${own.line}: `;
  const demanding = source?.replace(/\)$/, '');
  return demanding === undefined ? '' : `requirements.txt: demanded by ${demanding}: `;
}

function conflict(output: readonly string[], requirements: readonly Requirement[]): string {
  const start = output.findIndex((line) => line.startsWith('The conflict is caused by:'));
  const end = output.findIndex((line, index) => index > start && line.startsWith('To fix this'));
  const causes = output
    .slice(start + 1, end < 0 ? start + 9 : end)
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const involved = requirements.filter((one) =>
    causes.some((cause) => nameOf(cause.replace(/^The user requested /, '')) === one.name),
  );
  const lines = involved.map((one) => one.line).toSorted((a, b) => a - b);
  const place = lines.length === 0 ? 'requirements.txt: ' : `requirements.txt, line ${lines.join(' and ')}: `;
  const said = start < 0 ? 'these packages do not fit together' : causes.join('; ');
  return `${place}${shorten(said, 600)}. Loosen the versions, or leave out those that need not be fixed.`;
}

function unreachable(output: readonly string[]): BuildError {
  const why = firstMatch(output, /after connection broken by '(?<error>.+)': /)?.['error'] ?? '';
  const reason = /(?<error>\[Errno.*?\].*?|timed out.*?|SSL.*?|Name or service.*?)['")]/.exec(why)?.groups?.['error'];
  const said = reason === undefined ? '' : ` (${shorten(reason, 200)})`;
  return new BuildError(
    'index-unreachable',
    `The package index did not answer${said}. Try again later; the operator of the platform can check pip's settings.`,
  );
}

/** The normal form of the name at the start of a requirement (PEP 503). */
function nameOf(demand: string): string {
  return (/^[A-Za-z0-9._-]+/.exec(demand)?.[0] ?? '').toLowerCase().replaceAll(/[-_.]+/g, '-');
}

function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 3)}...` : text;
}
