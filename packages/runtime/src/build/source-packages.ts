import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { inspectJson } from '../json/index.ts';
import { inPython } from './host-python.ts';
import { PYTHON } from '../sandbox/root.ts';
import { BUILD_SHARE } from './build-limits.ts';
import { ALWAYS, pipPath, runPip, runWithPip, type PipContext } from './pip-run.ts';
import { BuildError } from './problem.ts';
import { normalName, readRequirements } from './requirements.ts';

// Limits for the code of a package that is being built.
const LIMITS = {
  ...BUILD_SHARE,
  processes: 64,
  runTimeMs: 15 * 60_000,
  tmpBytes: 64 * 2 ** 20,
  fileBytes: 2 ** 30,
  logBytes: 2 ** 20,
};
/** Build requirements that PEP 517 assumes without a pyproject.toml. Older versions of setuptools also need wheel. */
const USUAL_REQUIRES = ['setuptools>=40.8.0', 'wheel'];
/** Build requirements of one package. More are left out. */
const MOST_REQUIRES = 50;
const SHA256 = /^[0-9a-f]{64}$/;

/** A package that was built from its source code. */
export interface BuiltPackage {
  name: string;
  version: string;
  /** SHA-256 of the source code. */
  sha256: string;
  /** The wheel, in the folder `wheels` of the draft. */
  wheel: string;
  wheelSha256: string;
}

interface Source {
  name: string;
  version: string;
  file: string;
  sha256: string;
  requires: string[] | null;
}

/**
 * Builds a package from its source code at the index. The download has a network and runs none of the code. The build
 * runs the code without a network, and sees neither the settings of pip nor other packages than those it needs.
 * @param demand name and versions, for example `alpha>=2`.
 * @param sha256 the source code of an earlier build, or null.
 * @throws BuildError naming the package and the reason.
 */
export async function buildPackage(context: PipContext, demand: string, sha256: string | null): Promise<BuiltPackage> {
  const number = String((await readdirOrNone(join(context.draft, 'sources'))).length);
  const folder = join(context.draft, 'sources', number);
  for (const name of ['source', 'tools', 'out', 'tmp'])
    await mkdir(join(folder, name), { recursive: true, mode: 0o755 });
  await mkdir(join(context.draft, 'wheels'), { recursive: true, mode: 0o755 });
  const source = await fetchSource(context, demand, `/build/sources/${number}/source`);
  if (sha256 !== null && source.sha256 !== sha256)
    throw new BuildError(
      'install-failed',
      `the package index has other source code for ${source.name} ${source.version} than the one that was resolved. Upload the source again to take what the index has now.`,
    );
  const subject = `${source.name} ${source.version}`;
  context.log.info(`Building ${subject} from its source code.`);
  await fetchTools(context, source, number, subject);
  await runBuild(context, folder, source.file, subject);
  return keepWheel(context.draft, folder, source, subject);
}

async function fetchSource(context: PipContext, demand: string, target: string): Promise<Source> {
  const command = ['/runner/fetch_source.py', pipPath(context.python), demand, target];
  const { output, exitCode, stdout } = await runWithPip(context, command, () => undefined);
  const last = stdout.trimEnd().split('\n').at(-1) ?? '';
  const bytes = Buffer.from(last);
  if (exitCode !== 0 || 'problem' in inspectJson(bytes, { bytes: 256 * 1024, depth: 4 }))
    throw new BuildError(
      'package-not-found',
      `The source code of ${demand} could not be downloaded: ${lastOf(output)}`,
    );
  const { name, version, file, sha256, requires } = JSON.parse(last) as Record<string, unknown>;
  if (typeof name !== 'string' || typeof version !== 'string' || typeof file !== 'string' || file.includes('/'))
    throw new BuildError(
      'install-failed',
      `The package index describes the source code of ${demand} in a way that cannot be read.`,
    );
  const listed = Array.isArray(requires) ? requires.map(String).slice(0, MOST_REQUIRES) : null;
  if (typeof sha256 !== 'string' || !SHA256.test(sha256)) throw new Error('The SHA-256 of a source is missing');
  return { name: normalName(name), version, file, sha256, requires: listed };
}

/**
 * Downloads the tools of the build. Only wheels are taken, so that none of their code runs while there is a network.
 */
async function fetchTools(context: PipContext, { requires }: Source, number: string, subject: string): Promise<void> {
  const wanted = requires ?? USUAL_REQUIRES;
  const usesSetuptools = wanted.some((one) => /^setuptools\b/i.test(one));
  const lines = usesSetuptools && !wanted.some((one) => /^wheel\b/i.test(one)) ? [...wanted, 'wheel'] : wanted;
  const path = `/build/sources/${number}`;
  let text: string;
  try {
    text = readRequirements(lines.join('\n'))
      .map((one) => `${one.text}\n`)
      .join(''); // no options and no addresses
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    throw new BuildError(
      'install-failed',
      `The pyproject.toml of ${subject} wants for its build what cannot be had here: ${error.message}`,
    );
  }
  if (text === '') return;
  await writeFile(join(context.draft, 'sources', number, 'tools.txt'), text, { mode: 0o644 });
  const options = ['--only-binary', ':all:', '--progress-bar', 'off', ...ALWAYS, '--dest', `${path}/tools`];
  const command = ['download', ...options, '--requirement', `${path}/tools.txt`];
  const { output, exitCode } = await runPip(context, command, () => undefined);
  if (exitCode !== 0)
    throw new BuildError(
      'install-failed',
      `What the build of ${subject} needs could not be downloaded: ${lastOf(output)}`,
    );
}

async function runBuild(context: PipContext, folder: string, file: string, subject: string): Promise<void> {
  const { runtime, python, log, signal } = context;
  const options = [
    '--no-index',
    '--find-links',
    '/tools',
    '--no-deps',
    '--no-cache-dir',
    '--progress-bar',
    'off',
    '--no-color',
  ];
  const output: string[] = [];
  const ended = await runtime.sandboxed({
    command: [
      PYTHON,
      '-I',
      '-S',
      '-B',
      '-u',
      pipPath(python),
      'wheel',
      ...options,
      '--wheel-dir',
      '/out',
      `/source/${file}`,
    ],
    binds: [
      { from: join(folder, 'source'), to: '/source', writable: false },
      { from: join(folder, 'tools'), to: '/tools', writable: false },
      { from: join(folder, 'out'), to: '/out', writable: true },
      { from: join(folder, 'tmp'), to: '/work', writable: true },
      { from: python.pip?.path ?? '', to: pipPath(python), writable: false },
    ],
    environment: { HOME: '/work', TMPDIR: '/work', PIP_CONFIG_FILE: '/dev/null', PIP_DISABLE_PIP_VERSION_CHECK: '1' },
    ...inPython(python),
    workingDirectory: '/work',
    network: 'NONE',
    limits: LIMITS,
    onLine(line) {
      output.push(line.message);
      log.line({ ...line, severity: line.message.startsWith('ERROR') ? 'WARNING' : 'INFO' });
    },
    signal,
  });
  signal.throwIfAborted();
  if (ended.cause === null && ended.exitCode === 0) return;
  throw new BuildError(
    'install-failed',
    `${subject} could not be built from its source code: ${ended.cause?.detail ?? whyOf(output)}`,
  );
}

/** Finds a helpful reason in the output of a failed build. */
function whyOf(output: readonly string[]): string {
  const text = output.join('\n');
  const compiler =
    /command '[^']*(?:gcc|cc|g\+\+|clang|gfortran|cl)[^']*' failed|Unknown compiler|[Nn]o (?:C|C\+\+|Fortran) compiler|(?:gcc|cc|cmake|make|cargo|rustc): (?:command )?not found|can't find Rust compiler|CMAKE_C_COMPILER not set|error: Microsoft Visual/;
  if (compiler.test(text))
    return 'it has to be compiled, and the sandbox of builds has no compiler. Take a version that has a wheel.';
  if (
    /Temporary failure in name resolution|Network is unreachable|Could not fetch URL|urlopen error|NameResolutionError/.test(
      text,
    )
  )
    return 'its build wants to reach the network, which builds do not have. Take a version that has a wheel.';
  const errors = output
    .filter((line) => /^\s*(?:[\w.]*(?:Error|Exception)|error): /.test(line))
    .map((line) => line.trim())
    .filter((line) => !/^error: [a-z]+(-[a-z]+)+$/.test(line)); // pip's own
  return (errors.at(-1) ?? lastOf(output)).slice(0, 400);
}

/** Keeps the wheel. The code of the package must have left one of its name and version, and nothing else. */
async function keepWheel(draft: string, folder: string, source: Source, subject: string): Promise<BuiltPackage> {
  const { name, version, sha256 } = source;
  const found = (await readdir(join(folder, 'out'), { withFileTypes: true })).filter(
    (one) => one.isFile() && one.name.endsWith('.whl'),
  );
  const wheel = found.find(
    (one) => normalName(one.name.split('-')[0] ?? '') === name && sameVersion(one.name.split('-')[1] ?? '', version),
  )?.name;
  if (wheel === undefined || found.length !== 1 || !/^[\w.+-]+$/.test(wheel))
    throw new BuildError(
      'install-failed',
      `${subject} could not be built from its source code: it left ${
        found
          .map((one) => one.name)
          .join(', ')
          .slice(0, 200) || 'nothing'
      }.`,
    );
  await rename(join(folder, 'out', wheel), join(draft, 'wheels', wheel));
  const hash = createHash('sha256');
  await pipeline(createReadStream(join(draft, 'wheels', wheel)), hash);
  return { name, version, sha256, wheel, wheelSha256: hash.digest('hex') };
}

/** Compares versions; file names replace `-` and `_` of local versions. */
function sameVersion(one: string, other: string): boolean {
  const plain = (text: string): string => text.toLowerCase().replaceAll(/[-_.]+/g, '.');
  return plain(one) === plain(other);
}

function lastOf(output: readonly string[]): string {
  const errors = output.filter((line) => line.startsWith('ERROR: ')).map((line) => line.slice('ERROR: '.length));
  const lines = errors.length > 0 ? errors : output.filter((line) => line.trim() !== '');
  return lines.slice(-2).join(' ').trim().slice(0, 400);
}

async function readdirOrNone(folder: string): Promise<string[]> {
  await mkdir(folder, { recursive: true, mode: 0o755 });
  return readdir(folder);
}
