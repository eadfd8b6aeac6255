import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { unknownToRest, type SlurmRestSettings, type StagingSettings } from '@kethub/runtime/slurm';
import { Type, type Static, type TObject } from 'typebox';
import { Refusal } from './refusal.ts';
import { transferTlsOf, type TransferTlsGiven } from './transfers.ts';

/** Batch jobs of Slurm, in which a worker runs the executions of Python services. */
export interface SlurmSettings {
  /** Folder that the worker and the nodes share at the same path, unless jobs are staged. */
  readonly folder: string;
  /** The way of jobs to the worker where no folder is shared; null where one is. */
  readonly staging: StagingSettings | null;
  /** The REST interface of Slurm; null for its command line. */
  readonly rest: SlurmRestSettings | null;
  /** Command of Node on the nodes. */
  readonly node: string;
  /** Folder of Kethub on the nodes; null for that of this machine. */
  readonly programFolder: string | null;
  /** User id of the jobs; null for that of the platform. */
  readonly uid: number | null;
  /** Options of sbatch for every job. */
  readonly options: readonly string[];
  /** Further options for the jobs of single services, by id. */
  readonly serviceOptions: Readonly<Record<string, readonly string[]>>;
  /** Path of slurm.conf; null for the usual one. */
  readonly configuration: string | null;
}

/** The settings of Slurm. */
export const SlurmFields = {
  KETHUB_SLURM: Type.Enum(['off', 'on'], {
    default: 'off',
    description:
      '`on` runs the executions of Python services as batch jobs of the Slurm that this machine submits to. See [Operations](operations.md).',
  }),
  KETHUB_SLURM_FOLDER: Type.Optional(
    Type.String({
      pattern: '^/',
      description:
        'Folder for the inputs, logs and results of jobs. This machine and the nodes share it at the same path. With `KETHUB_SLURM_URL`, only this machine uses it. Default: `slurm` in the data folder.',
    }),
  ),
  KETHUB_SLURM_URL: Type.Optional(
    Type.String({
      pattern: '^https?://[^/]+/?$',
      description:
        'Address of this worker as the nodes see it, such as `https://worker:8091`, for nodes that share no folder with it. Jobs fetch their input there and bring their results. Default: jobs use the shared folder.',
    }),
  ),
  KETHUB_SLURM_PORT: Type.Integer({
    default: 8091,
    minimum: 1,
    maximum: 65_535,
    description: 'Port of this worker for `KETHUB_SLURM_URL`.',
  }),
  KETHUB_SLURM_REST_URL: Type.Optional(
    Type.String({
      pattern: '^https?://[^/]+/?$',
      description: 'Address of `slurmrestd`, such as `http://slurm:6820`. Default: the command line of Slurm.',
    }),
  ),
  KETHUB_SLURM_REST_TOKEN_FILE: Type.Optional(
    Type.String({
      pattern: '^/',
      description:
        'File with a token of the user that jobs run as (`scontrol token`). It is read for each request. Needed with `KETHUB_SLURM_REST_URL`. Default: none.',
    }),
  ),
  KETHUB_SLURM_REST_CA_FILE: Type.Optional(
    Type.String({
      pattern: '^/',
      description:
        'File with the certificates of the authority of `slurmrestd`. Default: the authorities that Node knows.',
    }),
  ),
  KETHUB_SLURM_REST_VERSION: Type.String({
    default: 'v0.0.38',
    pattern: '^v\\d+\\.\\d+\\.\\d+$',
    description: 'Version of the interface of `slurmrestd`. Tried with `v0.0.38`.',
  }),
  KETHUB_SLURM_NODE: Type.Optional(
    Type.String({ pattern: '^/', description: 'Path of Node on the nodes. Default: that of this machine.' }),
  ),
  KETHUB_SLURM_PROGRAM_FOLDER: Type.Optional(
    Type.String({ pattern: '^/', description: 'Folder of Kethub on the nodes. Default: that of this machine.' }),
  ),
  KETHUB_SLURM_OPTIONS: Type.String({
    default: '',
    maxLength: 2_000,
    description:
      'Options of `sbatch` for every job, separated by blanks: `--partition=long --account=chem --licenses=cplex:1`. Time, memory, processors and GPUs come from the version of the service.',
  }),
  KETHUB_SLURM_SERVICES_FILE: Type.Optional(
    Type.String({
      pattern: '^/',
      description:
        'File with options for the jobs of single services. They take precedence over `KETHUB_SLURM_OPTIONS`. A line is the id of a service and its options: `0198c1f0-… --partition=gpu --qos=high`. It is read at the start. Default: all services have the same options.',
    }),
  ),
  KETHUB_SLURM_USER: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 4_294_967_294,
      description:
        'User id that jobs run as. Needed if the platform runs as root, because jobs must not. Default: the user of the platform.',
    }),
  ),
  KETHUB_SLURM_CONF: Type.Optional(
    Type.String({ pattern: '^/', description: 'Path of `slurm.conf`. Default: the usual one of this machine.' }),
  ),
};

type Given = Static<TObject<typeof SlurmFields>> & TransferTlsGiven;

/** Options that the worker sets itself. */
const OWN =
  /^--(job-name|output|error|chdir|uid|gid|export|parsable|requeue|no-requeue|mem|mem-per-cpu|wrap|array|dependency)\b/;

/** null when Slurm is off. Throws Refusal for options that the worker sets itself, and for jobs of root. */
export function slurmOf(given: Given, dataDir: string): SlurmSettings | null {
  if (given.KETHUB_SLURM === 'off') return null;
  const overRest = given.KETHUB_SLURM_REST_URL !== undefined;
  const options = optionsOf(given.KETHUB_SLURM_OPTIONS.split(/\s+/).filter(Boolean), 'KETHUB_SLURM_OPTIONS', overRest);
  const uid = given.KETHUB_SLURM_USER ?? null;
  if (uid === null && process.getuid?.() === 0)
    throw new Refusal('KETHUB_SLURM=on as root needs KETHUB_SLURM_USER: jobs of root could leave the limits of Slurm.');
  return {
    folder: given.KETHUB_SLURM_FOLDER ?? path.join(path.resolve(dataDir), 'slurm'),
    staging: stagingOf(given),
    rest: restOf(given),
    node: given.KETHUB_SLURM_NODE ?? process.execPath,
    programFolder: given.KETHUB_SLURM_PROGRAM_FOLDER ?? null,
    uid,
    options,
    serviceOptions: serviceOptionsOf(given.KETHUB_SLURM_SERVICES_FILE, overRest),
    configuration: given.KETHUB_SLURM_CONF ?? null,
  };
}

/** Splits options of sbatch. Throws Refusal for those that cannot be used, with the place where they stand. */
function optionsOf(options: readonly string[], where: string, overRest: boolean): readonly string[] {
  for (const option of options) {
    if (!/^--[a-z][a-z-]*(=\S+)?$/.test(option))
      throw new Refusal(`${where}: ${option} is not written as --name=value.`);
    if (OWN.test(option)) throw new Refusal(`${where}: the worker sets ${option.split('=')[0]} itself.`);
  }
  const unknown = overRest ? unknownToRest(options) : null;
  if (unknown !== null)
    throw new Refusal(`${where}: ${unknown} is not known to the REST interface. Leave it out, or use sbatch.`);
  return options;
}

/** Bytes of the file with the options of services. */
const SERVICES_BYTES = 1_000_000;

function serviceOptionsOf(file: string | undefined, overRest: boolean): Readonly<Record<string, readonly string[]>> {
  if (file === undefined) return {};
  const found = new Map<string, readonly string[]>();
  for (const [index, line] of textOf(file).split('\n').entries()) {
    const [service = '', ...words] = line.trim().split(/\s+/);
    if (service === '' || service.startsWith('#')) continue;
    const where = `KETHUB_SLURM_SERVICES_FILE, line ${index + 1}`;
    if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(service))
      throw new Refusal(`${where}: "${service.slice(0, 50)}" is not the id of a service.`);
    if (found.has(service)) throw new Refusal(`${where}: ${service} has a line already.`);
    found.set(service, optionsOf(words, where, overRest));
  }
  return Object.fromEntries(found);
}

function textOf(file: string): string {
  try {
    const { size } = statSync(file);
    if (size > SERVICES_BYTES)
      throw new Refusal(`KETHUB_SLURM_SERVICES_FILE: ${file} has more than ${SERVICES_BYTES} bytes.`);
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof Refusal || !(error instanceof Error && 'code' in error)) throw error;
    throw new Refusal(`KETHUB_SLURM_SERVICES_FILE: the file ${file} cannot be read (${String(error.code)}).`);
  }
}

function stagingOf(given: Given): StagingSettings | null {
  const url = given.KETHUB_SLURM_URL;
  if (url === undefined) return null;
  return { url, port: given.KETHUB_SLURM_PORT, tls: transferTlsOf(given, 'KETHUB_SLURM_URL', url) };
}

function restOf(given: Given): SlurmRestSettings | null {
  const url = given.KETHUB_SLURM_REST_URL;
  if (url === undefined) return null;
  const tokenFile = given.KETHUB_SLURM_REST_TOKEN_FILE;
  if (tokenFile === undefined || !existsSync(tokenFile))
    throw new Refusal('KETHUB_SLURM_REST_URL needs KETHUB_SLURM_REST_TOKEN_FILE: a file with a token.');
  return { url, tokenFile, version: given.KETHUB_SLURM_REST_VERSION, caFile: given.KETHUB_SLURM_REST_CA_FILE ?? null };
}
