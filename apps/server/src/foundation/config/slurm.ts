import path from 'node:path';
import { Type, type Static, type TObject } from 'typebox';
import { Refusal } from './refusal.ts';

/** Batch jobs of Slurm, in which a worker runs the executions of Python services. */
export interface SlurmSettings {
  /** Folder that the worker and the nodes share at the same path. */
  readonly folder: string;
  /** User id of the jobs; null for that of the platform. */
  readonly uid: number | null;
  /** Options of sbatch. */
  readonly options: readonly string[];
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
        'Folder that this machine and the nodes share at the same path, for the inputs, logs and results of jobs. Default: `slurm` in the data folder.',
    }),
  ),
  KETHUB_SLURM_OPTIONS: Type.String({
    default: '',
    maxLength: 2_000,
    description:
      'Options of `sbatch` for every job, separated by blanks: `--partition=long --account=chem --licenses=cplex:1`. Time, memory and processors come from the version of the service.',
  }),
  KETHUB_SLURM_USER: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 4_294_967_294,
      description:
        'User id that jobs run as. Only for a platform that runs as root, whose jobs must not. Default: the user of the platform.',
    }),
  ),
  KETHUB_SLURM_CONF: Type.Optional(
    Type.String({ pattern: '^/', description: 'Path of `slurm.conf`. Default: the usual one of this machine.' }),
  ),
};

type Given = Static<TObject<typeof SlurmFields>>;

/** Options that the worker sets itself. */
const OWN =
  /^--(job-name|output|error|chdir|uid|gid|export|parsable|requeue|no-requeue|mem|mem-per-cpu|wrap|array|dependency)\b/;

/** null when Slurm is off. Throws Refusal for options that the worker sets itself, and for jobs of root. */
export function slurmOf(given: Given, dataDir: string): SlurmSettings | null {
  if (given.KETHUB_SLURM === 'off') return null;
  const options = given.KETHUB_SLURM_OPTIONS.split(/\s+/).filter(Boolean);
  for (const option of options) {
    if (!/^--[a-z][a-z-]*(=\S+)?$/.test(option))
      throw new Refusal(`KETHUB_SLURM_OPTIONS: ${option} is not written as --name=value.`);
    if (OWN.test(option)) throw new Refusal(`KETHUB_SLURM_OPTIONS: the worker sets ${option.split('=')[0]} itself.`);
  }
  const uid = given.KETHUB_SLURM_USER ?? null;
  if (uid === null && process.getuid?.() === 0)
    throw new Refusal('KETHUB_SLURM=on as root needs KETHUB_SLURM_USER: jobs of root could leave the limits of Slurm.');
  return {
    folder: given.KETHUB_SLURM_FOLDER ?? path.join(path.resolve(dataDir), 'slurm'),
    uid,
    options,
    configuration: given.KETHUB_SLURM_CONF ?? null,
  };
}
