import { mkdirSync, accessSync, constants, writeFileSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createHash } from 'node:crypto';
import os from 'node:os';
import path from 'node:path';
import { defaultConfiguration, limits, type RuntimeConfiguration } from '@kethub/contract';
import type { DataPoolMount, Limits } from '@kethub/runtime/local';
import { usageFailure } from '../failures.ts';
import { parseObject } from '../json.ts';
import { manifestName } from '../project/manifest.ts';
import { isThere, readIfThere } from '../project/manifest-content.ts';
import type { Shell } from '../shell.ts';
import { readVariables } from './variables.ts';

export interface ValueOptions {
  readonly envFile?: readonly string[];
  readonly inheritEnv?: boolean;
  readonly dataPool?: readonly string[];
  readonly writePools?: boolean;
}

/**
 * The folder for the state of a project: `.kethub/<use>` in it, or where it cannot be written, one of the user's.
 * The cases of `ket test` have a state of their own; `venv` is the environment that ket makes.
 */
export function stateFolder(shell: Shell, folder: string, use: 'serve' | 'test' | 'venv'): string {
  try {
    accessSync(folder, constants.W_OK);
    const own = path.join(folder, '.kethub');
    mkdirSync(path.join(own, use), { recursive: true });
    writeFileSync(path.join(own, '.gitignore'), '*\n');
    return path.join(own, use);
  } catch {
    const cache = shell.environment['XDG_CACHE_HOME'] ?? path.join(shell.environment['HOME'] ?? os.tmpdir(), '.cache');
    const name = createHash('sha256').update(folder).digest('hex').slice(0, 16);
    const state = path.join(cache, 'kethub', use, name);
    mkdirSync(state, { recursive: true });
    return state;
  }
}

/** Makes this process the only one that serves a project. Returns the function that ends this. */
export function lockState(state: string): () => void {
  const file = path.join(state, 'pid');
  try {
    const other = Number(readFileSync(file, 'utf8'));
    if (other !== process.pid && isAlive(other))
      throw usageFailure(`This folder is being served already, by the process ${other}. End that one first.`);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  writeFileSync(file, String(process.pid));
  return () => {
    rmSync(file, { force: true });
  };
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The limits that the platform would set for this configuration. */
export function limitsOf(configuration: Partial<RuntimeConfiguration>, isDebugged: boolean): Limits {
  const { cpus, memoryGb, runTimeSeconds } = { ...defaultConfiguration, ...configuration };
  return {
    memoryBytes: Math.round(memoryGb * 2 ** 30),
    cpus,
    processes: 512,
    runTimeMs: isDebugged ? limits.runTimeMs : runTimeSeconds * 1000,
    tmpBytes: Math.round((memoryGb * 2 ** 30) / 2),
    fileBytes: limits.outputBytes,
    outputBytes: limits.outputBytes,
    outputFiles: limits.outputFiles,
    resultBytes: limits.resultBytes,
    logBytes: limits.logBytes,
  };
}

/** The variables of the code: those of kethub.json, of `.env`, and of the files that are named. */
export async function environmentOf(
  shell: Shell,
  folder: string,
  configuration: Partial<RuntimeConfiguration>,
  { envFile, inheritEnv = false }: ValueOptions,
): Promise<Record<string, string>> {
  const files = envFile?.map((file) => path.resolve(shell.folder, file)) ?? [];
  const usual = path.join(folder, '.env');
  if (envFile === undefined && (await isThere(usual))) files.push(usual);
  const inherited = inheritEnv
    ? Object.fromEntries(
        Object.entries(shell.environment).filter((one): one is [string, string] => one[1] !== undefined),
      )
    : {};
  const read = await Promise.all(files.map(readVariables));
  return { ...inherited, ...configuration.environment, ...Object.assign({}, ...read) };
}

/** Secrets of `.env.secrets`; none without that file. */
export async function secretsOf(folder: string): Promise<Record<string, string>> {
  const file = path.join(folder, '.env.secrets');
  return (await isThere(file)) ? readVariables(file) : {};
}

/**
 * The folder that stands for a data pool: of `--data-pool`, of `serve.dataPools` in kethub.json, or
 * `datapool/<parameter>`.
 */
export async function poolFor(
  shell: Shell,
  folder: string,
  parameter: string,
  { dataPool = [], writePools = false }: ValueOptions,
): Promise<Omit<DataPoolMount, 'parameter'> | null> {
  const given = new Map(dataPool.map((text) => mappingIn(shell, text)));
  const declared = await declaredPools(folder);
  const from = given.get(parameter) ?? declared.get(parameter) ?? path.join(folder, 'datapool', parameter);
  if (path.basename(parameter) !== parameter || !(await isThere(from))) return null;
  return { path: from, writable: writePools };
}

/** Refuses a `--data-pool` whose folder is not there. */
export function requirePools(shell: Shell, { dataPool = [] }: ValueOptions): void {
  for (const text of dataPool) {
    const [parameter, at] = mappingIn(shell, text);
    if (statSync(at, { throwIfNoEntry: false })?.isDirectory() !== true)
      throw usageFailure(`--data-pool ${parameter}=...: there is no folder ${at}.`);
  }
}

/** Refuses a `--data-pool` for a parameter that `run` does not have. Code whose parameters are unknown is passed over. */
export function requirePoolParameters(
  shell: Shell,
  { dataPool = [] }: ValueOptions,
  parameters: readonly { readonly name: string; readonly kind: string }[] | undefined,
): void {
  if (parameters === undefined || parameters.some(({ kind }) => kind === 'other')) return;
  const names = parameters.map(({ name }) => name);
  for (const text of dataPool) {
    const [parameter] = mappingIn(shell, text);
    if (names.includes(parameter)) continue;
    const known = names.length === 0 ? 'none' : names.join(', ');
    throw usageFailure(
      `--data-pool ${parameter}=...: run() has no parameter "${parameter}". Its parameters: ${known}.`,
    );
  }
}

function mappingIn(shell: Shell, text: string): [parameter: string, folder: string] {
  const [, parameter, folder] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
  if (parameter === undefined || folder === undefined) throw usageFailure('--data-pool takes parameter=folder.');
  return [parameter, path.resolve(shell.folder, folder)];
}

async function declaredPools(folder: string): Promise<Map<string, string>> {
  const file = path.join(folder, manifestName);
  const text = await readIfThere(file);
  if (text === null) return new Map();
  const { serve = {} } = parseObject(text, file) as { serve?: { dataPools?: Record<string, unknown> } };
  return new Map(
    Object.entries(serve.dataPools ?? {}).map(([parameter, at]) => [parameter, path.resolve(folder, String(at))]),
  );
}
