import { checkSandbox, connectRuntime, RuntimeUnavailable, type Runtime } from '@kethub/runtime';
import { Refusal } from '../config/index.ts';

let isUsable = false;

/** User code runs in a sandbox or not at all. A sandbox is tried once in each process. Throws Refusal. */
export async function requireSandbox(): Promise<void> {
  if (isUsable) return;
  const check = await checkSandbox();
  if (!check.usable)
    throw new Refusal(`User code cannot be run safely on this machine: ${check.reason} ${check.remedy}`);
  isUsable = true;
}

/** Connects to the runner of this process, and starts one if there is none. Throws Refusal. */
export async function reachRuntime(options: Parameters<typeof connectRuntime>[0]): Promise<Runtime> {
  try {
    return await connectRuntime(options);
  } catch (error) {
    // The cause lies in the machine: its operator reads the words without a trace of the code.
    if (error instanceof RuntimeUnavailable) throw new Refusal(error.message);
    throw error;
  }
}
