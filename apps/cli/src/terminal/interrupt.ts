/** Ctrl-C while ket waits. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** Runs `work` with a signal. Ctrl-C (or SIGTERM) aborts it with Interrupted instead of ending the process. */
export async function interruptible<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const interrupt = () => controller.abort(new Interrupted('Interrupted'));
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  try {
    return await work(controller.signal);
  } finally {
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
  }
}
