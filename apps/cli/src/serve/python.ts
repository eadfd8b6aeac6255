import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { CliFailure, usageFailure } from '../failures.ts';
import { translateConda } from '../project/conda.ts';
import { isThere, readIfThere } from '../project/manifest-content.ts';
import type { Shell } from '../shell.ts';
import type { Output } from '../terminal/output.ts';
import { stateFolder } from './settings.ts';

const run = promisify(execFile);

/** The oldest Python that the Python side of the platform runs on. */
const OLDEST = [3, 10] as const;

/** The Python of a service on this machine. */
export interface LocalPython {
  /** Path of the interpreter. */
  readonly python: string;
  /** Such as `3.12`. */
  readonly version: string;
  /** `site-packages` of its environment; null without one. */
  readonly packages: string | null;
  /** Origin, for the first line. */
  readonly from: string;
}

/**
 * The interpreter and packages of a project: those of `--python`, else of the active environment, else of `.venv` or
 * `venv` in the folder. Without any, ket makes `.kethub/venv` from requirements.txt.
 */
export async function choosePython(
  shell: Shell,
  output: Output,
  folder: string,
  asked: string | undefined,
): Promise<LocalPython> {
  if (asked !== undefined) return describe(shell, path.resolve(shell.folder, asked), asked);
  for (const name of ['VIRTUAL_ENV', 'CONDA_PREFIX'] as const) {
    const prefix = shell.environment[name];
    if (prefix !== undefined && prefix !== '') return describe(shell, path.join(prefix, 'bin/python'), `$${name}`);
  }
  for (const name of ['.venv', 'venv']) {
    const python = path.join(folder, name, 'bin/python');
    if (await isThere(python)) return describe(shell, python, name);
  }
  const requirements = await requirementsOf(folder);
  if (requirements === null) {
    const { packages: _packages, ...plain } = await describe(shell, 'python3', 'PATH');
    return { ...plain, packages: null };
  }
  return describe(shell, await madeEnvironment(shell, output, folder, requirements), '.kethub/venv');
}

/** The text of requirements.txt, or one made from a conda environment; null when nothing is required. */
export async function requirementsOf(folder: string): Promise<string | null> {
  const own = await readIfThere(path.join(folder, 'requirements.txt'));
  const text = own ?? (await translateConda(folder))?.requirements.join('\n') ?? '';
  return text.split('\n').some((line) => line.trim() !== '' && !line.trim().startsWith('#')) ? text : null;
}

/** The interpreter of an environment with these packages, which is made, or changed when the requirements have. */
async function madeEnvironment(shell: Shell, output: Output, folder: string, requirements: string): Promise<string> {
  const venv = stateFolder(shell, folder, 'venv');
  const python = path.join(venv, 'bin/python');
  const stamp = path.join(venv, '.requirements');
  const wanted = createHash('sha256').update(requirements).digest('hex');
  if ((await readIfThere(stamp)) === wanted && (await isThere(python))) return python;
  output.note(`Installing the packages of requirements.txt into ${path.relative(folder, venv)} ...`);
  const list = path.join(venv, 'requirements.txt');
  const usesUv = await hasUv(shell);
  if (!usesUv) await describe(shell, 'python3', 'PATH'); // fails with a sentence where there is none
  const made = path.join(venv, '.made');
  const kind = await readIfThere(made);
  // One that was cut off while it was made has no pip; one that uv has made has none either.
  if (kind === null || (kind === 'uv' && !usesUv) || !(await isThere(python))) {
    await rm(venv, { recursive: true, force: true });
    if (usesUv) await install(shell, 'uv', ['venv', '--quiet', venv], folder);
    else await install(shell, 'python3', ['-m', 'venv', venv], folder);
    await writeFile(made, usesUv ? 'uv' : 'venv');
  }
  await writeFile(list, requirements);
  if (usesUv) await install(shell, 'uv', ['pip', 'install', '--quiet', '--python', python, '-r', list], folder);
  else
    await install(
      shell,
      python,
      ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', list],
      folder,
    );
  await writeFile(stamp, wanted);
  return python;
}

async function hasUv(shell: Shell): Promise<boolean> {
  return run('uv', ['--version'], { env: shell.environment }).then(
    () => true,
    () => false,
  );
}

/** Lines of a failing installation that are shown. */
const SHOWN_LINES = 12;

async function install(shell: Shell, program: string, args: readonly string[], cwd: string): Promise<void> {
  const child = spawn(program, args, { cwd, env: shell.environment, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-20_000);
    });
  const code = await new Promise<number | null>((resolve) => {
    child.once('error', (error) => {
      said += error.message;
      resolve(null);
    });
    child.once('close', resolve);
  });
  if (code === 0) return;
  const last = said.trim().split('\n').slice(-SHOWN_LINES).join('\n');
  throw new CliFailure('usage', 'packages-not-installed', `The packages could not be installed:\n${last}`, [
    'ket serve --python <interpreter of an environment of yours>',
  ]);
}

/** Milliseconds for the answer. An interpreter that takes longer is refused. */
const ANSWER_MS = 60_000;
const QUESTION = `
import json, sys, sysconfig
paths = sysconfig.get_paths()
print(json.dumps([list(sys.version_info[:2]), sys.executable, paths["purelib"], paths["platlib"]]))
`;

/** The answer to {@link QUESTION}. */
function answerIn(text: string, from: string): [version: number[], executable: string, packages: string] {
  try {
    const [version, executable, packages] = JSON.parse(text) as unknown[];
    if (Array.isArray(version) && typeof executable === 'string' && typeof packages === 'string')
      return [version.map(Number), executable, packages];
  } catch {
    // Some other program.
  }
  const said = JSON.stringify(text.slice(0, 100));
  throw usageFailure(`The program of ${from} is no Python: it answers ${said}.`, 'ket serve --python <interpreter>');
}

async function describe(shell: Shell, python: string, from: string): Promise<LocalPython> {
  const { stdout } = await run(python, ['-I', '-c', QUESTION], { env: shell.environment, timeout: ANSWER_MS }).catch(
    (error: unknown) => {
      const why = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
      throw usageFailure(
        `${from === 'PATH' ? 'There is no Python' : `The Python of ${from} does not run`}: ${why}`,
        'ket serve --python <interpreter>',
      );
    },
  );
  const [[major = 0, minor = 0], executable, packages] = answerIn(stdout, from);
  if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]))
    throw usageFailure(
      `Python ${major}.${minor} (${from}) is too old: a service needs ${OLDEST.join('.')} or later.`,
      'ket serve --python <interpreter>',
    );
  // Debian's own Python names a folder that is made with its first package.
  const there = (await isThere(packages)) ? packages : null;
  return { python: executable, version: `${major}.${minor}`, packages: there, from };
}
