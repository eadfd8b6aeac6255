import { fileURLToPath } from 'node:url';

export { unknownToRest, type SlurmRestSettings } from './rest.ts';
export { type StagingSettings } from './staging.ts';
export { type SlurmOptions } from './options.ts';
export { SlurmRuntime } from './slurm-runtime.ts';
/** Path of the program of a batch job, which Node runs on a node of the cluster. */
export const jobProgram = fileURLToPath(new URL('step.ts', import.meta.url));
/** Path of the program for nodes that share no folder with the platform. */
export const stagedProgram = fileURLToPath(new URL('staged-step.ts', import.meta.url));
