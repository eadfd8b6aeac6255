import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostPython } from './host-python.ts';
import { NO_FINDINGS, readFindings, type IndexFindings } from './index-findings.ts';
import { missingDemand, pipProblem } from './pip-problem.ts';
import { INSTALL, LINKS, runPip, type PipContext } from './pip-run.ts';
import { BuildError } from './problem.ts';
import { normalName, type Requirement } from './requirements.ts';
import { buildPackage, type BuiltPackage } from './source-packages.ts';

/** Bytes of pip's report. A larger one fails the build. */
const REPORT_BYTES = 64 * 2 ** 20;
/** Packages of one service. More fail the build. */
const MAX_PACKAGES = 2_000;
const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,200}[A-Za-z0-9])?$/;
const VERSION = /^[A-Za-z0-9.!+_-]{1,200}$/;
const SHA256 = /^[0-9a-f]{64}$/;

/** Resolved requirements for one Python: exact versions with the hashes of their files. */
export interface Resolved {
  /** For example `3.11`. */
  python: string;
  /** The ABI and platform that compiled packages fit. */
  platform: string;
  /** `name==version --hash=sha256:<digest>`, sorted. Holds no address. */
  packages: string[];
  /**
   * Packages built from source code: `name==version --hash=sha256:<digest of the source>`, in the order of their
   * builds.
   */
  sources?: string[];
}

/** Resolved requirements, and the packages that were built from source code for them. */
interface Resolution {
  resolved: Resolved;
  built: BuiltPackage[];
}

/** Packages that one build makes from source code. More fail the build. */
const MOST_SOURCES = 20;

/**
 * Resolves the requirements at the package index to names, versions and hashes, without installing anything. Packages
 * that exist as source code only are built if the service asks for that.
 * @throws BuildError when a package is not available.
 */
export async function resolveRequirements(
  context: PipContext,
  requirements: readonly Requirement[],
  sourcePackages: boolean,
): Promise<Resolution> {
  const { draft, python, log } = context;
  const text = requirements.map((one) => `${one.text}\n`).join('');
  await writeFile(join(draft, 'requirements.txt'), text, { mode: 0o644 });
  const options = ['--dry-run', '--ignore-installed', '--report', '/build/report.json'];
  const built: BuiltPackage[] = [];
  for (;;) {
    const own = built.length === 0 ? [] : ['--find-links', '/build/wheels'];
    const command = [...INSTALL, ...options, ...own, '--requirement', '/build/requirements.txt'];
    const { output, exitCode } = await runPip(context, command, log.line);
    if (exitCode === 0) break;
    const demand = missingDemand(output);
    const name = demand === null ? null : normalName(/^[A-Za-z0-9._-]+/.exec(demand)?.[0] ?? '');
    const findings = name === null ? NO_FINDINGS : await lookInto(context, name);
    const problem = pipProblem(output, requirements, python, findings, sourcePackages);
    const isNew = built.length < MOST_SOURCES && built.every((one) => one.name !== name);
    if (!sourcePackages || demand === null || findings.sources.length === 0 || !isNew) throw problem;
    built.push(await buildPackage(context, demand, null));
  }
  const all = readReport(await readBounded(join(draft, 'report.json')));
  const isBuilt = (line: string): boolean => built.some((one) => line.startsWith(`${one.name}==`));
  const used = built.filter(({ name }) => all.some((line) => line.startsWith(`${name}==`)));
  const packages = all.filter((line) => !isBuilt(line));
  const sources = used.map(({ name, version, sha256 }) => `${name}==${version} --hash=sha256:${sha256}`);
  const resolved = { ...identityOf(python), packages, ...(sources.length > 0 && { sources }) };
  return { resolved, built: used };
}

/** Asks the index which files it has of a missing package. */
async function lookInto(context: PipContext, name: string): Promise<IndexFindings> {
  const { output } = await runPip(context, [...LINKS, name], () => undefined);
  return readFindings(output);
}

export function identityOf({ version, platform }: HostPython): Pick<Resolved, 'python' | 'platform'> {
  return { python: version, platform };
}

/** Reads the packages of a pip report (version 1). Parts of it come from the index, so nothing in it is trusted. */
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
    throw new BuildError('install-failed', `The package index has no SHA-256 for ${name} ${version}.`);
  return `${normalName(name)}==${version} --hash=sha256:${sha256}`;
}

/** Reads pip's report up to a limit, and never through a link, because pip works on data of the index. */
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
