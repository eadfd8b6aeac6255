import { fileURLToPath } from 'node:url';

export { SlurmRuntime, type SlurmOptions } from './slurm-runtime.ts';
/** Path of the program of a batch job. It is run by Node on a node. */
export const jobProgram = fileURLToPath(new URL('step.ts', import.meta.url));
