import type { SandboxCheck } from '../types.ts';

/** Whether user code can be run safely on this machine, and otherwise what is missing and how to get it. */
export async function checkSandbox(): Promise<SandboxCheck> {
  return Promise.resolve({ usable: false, reason: 'The sandbox cannot be checked yet.', remedy: 'None.' });
}
