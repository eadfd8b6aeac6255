import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostPython } from './host-python.ts';
import type { OnLine } from './outcome.ts';
import { missingPackage, pipProblem } from './pip-problem.ts';
import { INSTALL, runPip, SOURCE_VERSIONS, type PipGround } from './pip-run.ts';
import { BuildError } from './problem.ts';
import type { Requirement } from './requirements.ts';

const REPORT_BYTES = 64 * 2 ** 20;
const MAX_PACKAGES = 2_000;
const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,200}[A-Za-z0-9])?$/;
const VERSION = /^[A-Za-z0-9.!+_-]{1,200}$/;
const SHA256 = /^[0-9a-f]{64}$/;

/** What requirements came to, on one Python: exact versions with the hashes of their files. */
export interface Resolved {
  /** For example `3.11`. */
  python: string;
  /** What compiled packages fit. */
  platform: string;
  /** `name==version --hash=sha256:<digest>`, sorted. Holds no address. */
  packages: string[];
  /** Those that were built from source code: `name==version --hash=sha256:<digest of the source>`, in the order of their builds. */
  sources?: string[];
}

/**
 * Asks the package index what the requirements are now: names, versions and hashes, without installing anything.
 * @throws BuildError when the packages cannot be had.
 */
export async function resolveRequirements(
  ground: PipGround,
  requirements: readonly Requirement[],
  onLine: OnLine,
  signal: AbortSignal,
): Promise<Resolved> {
  const { draft, python } = ground;
  const text = requirements.map((one) => `${one.text}\n`).join('');
  await writeFile(join(draft, 'requirements.txt'), text, { mode: 0o644 });
  const options = ['--dry-run', '--ignore-installed', '--report', '/build/report.json'];
  const command = [...INSTALL, ...options, '--requirement', '/build/requirements.txt'];
  const { output, exitCode } = await runPip(ground, command, onLine, signal);
  if (exitCode !== 0) {
    const name = missingPackage(output);
    throw pipProblem(output, requirements, python, name === null ? [] : await sourceVersions(ground, name, signal));
  }
  return { ...identityOf(python), packages: readReport(await readBounded(join(draft, 'report.json'))) };
}

/** The versions of a package that the index has as source code; empty when there are none, or nobody can tell. */
async function sourceVersions(ground: PipGround, name: string, signal: AbortSignal): Promise<string[]> {
  const { output, exitCode } = await runPip(ground, [...SOURCE_VERSIONS, name], () => undefined, signal);
  const found = output.map((line) => /^Available versions: (.*)$/.exec(line)?.[1]).find((one) => one !== undefined);
  return exitCode === 0 && found !== undefined ? found.split(', ') : [];
}

export function identityOf({ version, platform }: HostPython): Pick<Resolved, 'python' | 'platform'> {
  return { python: version, platform };
}

/** Reads the packages of a report of pip (version 1), of which the index has written a part. */
export function readReport(text: string): string[] {
  const report = JSON.parse(text) as { install?: unknown };
  const entries = Array.isArray(report.install) ? (report.install as unknown[]) : [];
  if (entries.length > MAX_PACKAGES)
    throw new BuildError(
      'install-failed',
      `The requirements come to ${entries.length} packages, at most ${MAX_PACKAGES} are allowed.`,
    );
  return entries.map(lineOf).toSorted();
}

interface ReportEntry {
  metadata?: { name?: unknown; version?: unknown };
  download_info?: { archive_info?: { hash?: unknown; hashes?: { sha256?: unknown } } };
}

function lineOf(entry: unknown): string {
  const { metadata = {}, download_info: download = {} } = entry as ReportEntry;
  const name = String(metadata.name);
  const version = String(metadata.version);
  const { hash, hashes } = download.archive_info ?? {};
  const sha256 = hashes?.sha256 ?? (typeof hash === 'string' ? hash.replace(/^sha256=/, '') : null);
  if (!NAME.test(name) || !VERSION.test(version))
    throw new BuildError(
      'install-failed',
      `The package index names a package ${JSON.stringify(name.slice(0, 100))} that cannot be installed.`,
    );
  if (typeof sha256 !== 'string' || !SHA256.test(sha256))
    throw new BuildError('install-failed', `The package index tells no SHA-256 of ${name} ${version}.`);
  return `${normalName(name)}==${version} --hash=sha256:${sha256}`;
}

/** The normal form of the name of a package (PEP 503). */
export function normalName(name: string): string {
  return name.toLowerCase().replaceAll(/[-_.]+/g, '-');
}

/** Pip runs on data of the index, so its report is read up to a limit, and never through a link. */
async function readBounded(file: string): Promise<string> {
  const handle = await open(file, 'r');
  try {
    const { size } = await handle.stat();
    if (size > REPORT_BYTES)
      throw new BuildError('install-failed', 'The package index describes more than can be read.');
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}
