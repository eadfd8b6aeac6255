import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { connectRuntime } from '../client/connect.ts';
import type { ExecutionEnd, Runtime } from '../types.ts';
import { missingFolder } from './code-folders.ts';
import type { BatchJob } from './mailbox.ts';

/** Milliseconds between two looks whether the platform has cancelled the execution. */
const LOOK_MS = 500;

/**
 * Runs one execution in the sandbox of this node, by a runner of its own, which keeps log, output and end in `records`.
 * SIGUSR1 of the platform and SIGTERM of the cluster cancel it.
 */
export async function runJob(
  { networks, ...job }: BatchJob,
  records: string,
  isCancelled: () => boolean,
): Promise<ExecutionEnd> {
  const missing = missingFolder(job.code);
  if (missing !== null)
    throw new Error(`${missing} is gone. An administrator may have purged it. Start the execution again.`);
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'kethub-job-'));
  mkdirSync(path.join(dataDir, 'runtime'));
  symlinkSync(records, path.join(dataDir, 'runtime', 'executions'));
  let runtime: Runtime | null = null;
  let timer: NodeJS.Timeout | undefined;
  try {
    const running = await connectRuntime({ dataDir, warmBytes: 0, idleExitMs: 1_000, serviceNetworks: networks ?? [] });
    runtime = running;
    const ended = new Promise<ExecutionEnd>((resolve) => {
      running.onEnded(resolve);
    });
    const cancel = (): void => void running.cancel(job.executionId);
    for (const signal of ['SIGUSR1', 'SIGTERM'] as const) process.on(signal, cancel);
    await running.start(job);
    timer = setInterval(() => {
      if (!isCancelled()) return;
      clearInterval(timer);
      cancel();
    }, LOOK_MS);
    return await ended;
  } finally {
    clearInterval(timer);
    // A connection that stays open would keep the job in the cluster until its time is over.
    await runtime?.close();
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}
