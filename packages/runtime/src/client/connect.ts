import type { Runtime, RuntimeOptions } from '../types.ts';

/** Connects to the runner of a data folder, starting it when there is none. */
export async function connectRuntime(options: RuntimeOptions): Promise<Runtime> {
  return Promise.reject(new Error(`The runner for ${options.dataDir} cannot be started yet.`));
}
