import type { HostPython } from './host-python.ts';
import { NO_FINDINGS, type IndexFindings } from './index-findings.ts';
import { BuildError } from './problem.ts';
import type { Requirement } from './requirements.ts';

const MISSING = /satisfies the requirement (?<demand>.+?) \(from versions: (?<versions>.*)\)$/;

/** The demand, without extras and markers, for which pip found no version. Null when pip failed for another reason. */
export function missingDemand(output: readonly string[]): string | null {
  const demand = firstMatch(output, MISSING)?.['demand']?.split(' (from ')[0];
  return (
    demand
      ?.replace(/\[[^\]]*\]/, '')
      .split(';')[0]
      ?.trim() ?? null
  );
}

/**
 * Turns the messages of a failed `pip install` into a problem that names the line of requirements.txt. It knows the
 * output of pip 23 to 25; messages that it does not recognize are shown in pip's words.
 * @param findings the files of the missing package at the index; null when resolved packages are being installed.
 */
export function pipProblem(
  output: readonly string[],
  requirements: readonly Requirement[],
  python: HostPython,
  findings: IndexFindings | null = null,
  sourcePackages = false,
): BuildError {
  const missing = firstMatch(output, MISSING);
  if (missing !== null) {
    const versions = (missing['versions'] ?? '').split(', ').filter((version) => version !== '' && version !== 'none');
    const [demand = '', source] = (missing['demand'] ?? '').split(' (from ');
    const where = lineOf(demand, source, requirements);
    if (versions.length === 0 && findings !== null && findings.refused !== null) return refused(findings.refused);
    if (versions.length === 0 && output.some((line) => line.includes('after connection broken by')))
      return unreachable(output);
    return new BuildError(
      'package-not-found',
      `${where}${notFound(demand, versions, python, findings ?? NO_FINDINGS, sourcePackages)}${forOtherPythons(output)}`,
    );
  }
  const changed = firstMatch(output, /^\s{4}(?<demand>[A-Za-z0-9][^ ]*)(?: \(from [^)]*\))? from /);
  if (changed !== null && output.some((line) => line.includes('DO NOT MATCH THE HASHES'))) {
    const demand = changed['demand'] ?? '';
    const detail =
      findings === null
        ? `the package index has another file for ${demand} than the one that was resolved. Upload the source again to take what the index has now.`
        : `the file that the package index sends for ${demand} is not the one that it lists: their SHA-256 differ. Try again later; the operator of the platform can check the index.`;
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

function notFound(
  demand: string,
  versions: readonly string[],
  python: HostPython,
  { sources, otherWheels, yanked }: IndexFindings,
  sourcePackages: boolean,
): string {
  const name = nameOf(demand);
  const exact = /===?\s*([^,;\s]+)$/.exec(demand)?.[1];
  if (sources.length > 0 && (versions.length === 0 || (exact !== undefined && sources.includes(exact)))) {
    const which = exact === undefined ? name : `${name} ${exact}`;
    const others = versions.length === 0 ? '' : `Versions with a wheel: ${versions.slice(-8).join(', ')}. `;
    const remedy = sourcePackages
      ? ''
      : 'Set `"sourcePackages": true` in the configuration of the service to have it built, or take a version that has a wheel.';
    return `${which} exists as source code only: the package index has no wheel of it for Python ${python.version}. ${others}${remedy}`;
  }
  const withdrawn = yanked.filter(({ version }) => exact === undefined || version === exact);
  if (withdrawn.length > 0) {
    const shown = unique(withdrawn.map((one) => `${one.version} (${one.reason})`)).slice(-4);
    return `no version of ${name} for Python ${python.version} fits \`${demand}\` that its authors have not withdrawn. Withdrawn: ${shown.join(', ')}. Allow another version, or name a withdrawn one exactly with \`==\`.`;
  }
  if (versions.length === 0 && otherWheels.length > 0) {
    const shown = unique(otherWheels.map((one) => `${one.version} for ${one.tags}`)).slice(-4);
    return `${name} has wheels for other versions of Python or machines only: ${shorten(shown.join('; '), 300)}. This build is for Python ${python.version} (${python.platform}). Choose another Python, or another version of the package.`;
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

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}

/** The index gave no list of the package. */
function refused(reason: string): BuildError {
  const status = /^\d{3} (?:Client|Server) Error|too many \d{3} error responses/.exec(reason)?.[0];
  const said = status ?? /\[Errno[^\]]*\][^'")]*|timed out/.exec(reason)?.[0] ?? 'no connection';
  return new BuildError(
    'index-unreachable',
    `The package index did not answer as it should (${said.trim()}). Try again later; the operator of the platform can check pip's settings.`,
  );
}

/** Lists the versions for other Pythons that pip reports; empty when it reports none. */
function forOtherPythons(output: readonly string[]): string {
  const ignored = firstMatch(output, /require a different python version: (?<versions>.+)$/)?.['versions'];
  if (ignored === undefined) return '';
  const newest = ignored
    .split('; ')
    .slice(-3)
    .map((one) => one.replace(/ Requires-Python (.*)$/, ' (Python $1)'));
  return ` Versions for another Python: ${shorten(newest.join(', '), 300)}.`;
}

/** `requirements.txt, line 3: ` for a demand of the file itself, otherwise the package that demands it. */
function lineOf(demand: string, source: string | undefined, requirements: readonly Requirement[]): string {
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
  const where = lines.length === 0 ? 'requirements.txt: ' : `requirements.txt, line ${lines.join(' and ')}: `;
  const said = start < 0 ? 'these packages do not fit together' : causes.join('; ');
  return `${where}${shorten(said, 600)}. Loosen the versions, or leave out those that need not be fixed.`;
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

/** The normalized name at the start of a requirement (PEP 503). */
function nameOf(demand: string): string {
  return (/^[A-Za-z0-9._-]+/.exec(demand)?.[0] ?? '').toLowerCase().replaceAll(/[-_.]+/g, '-');
}

function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 3)}...` : text;
}
