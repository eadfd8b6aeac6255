import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { connectRuntime } from '../client/connect.ts';
import { messageOf } from '../errors.ts';
import type { ExecutionEnd, Runtime } from '../types.ts';
import { Mailbox } from './mailbox.ts';

// The program of a batch job: node step.ts <folder of mailboxes> <execution id>. It runs one execution in the sandbox of
// this node, by a runner of its own, whose records are in the mailbox. SIGUSR1 of the platform and SIGTERM of the cluster
// cancel it.
const [parent = '', executionId = ''] = process.argv.slice(2);
const mailbox = new Mailbox(parent, executionId);
if (mailbox.claim()) await runJob();

async function runJob(): Promise<void> {
  const job = mailbox.takeJob();
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'kethub-job-'));
  mkdirSync(path.join(dataDir, 'runtime'));
  symlinkSync(path.join(mailbox.folder, 'run'), path.join(dataDir, 'runtime', 'executions'));
  let runtime: Runtime | null = null;
  try {
    runtime = await connectRuntime({ dataDir, warmBytes: 0, lonelyMs: 1_000 });
    const running = runtime;
    const ended = new Promise<ExecutionEnd>((resolve) => {
      running.onEnded(resolve);
    });
    for (const signal of ['SIGUSR1', 'SIGTERM'] as const) process.on(signal, () => void running.cancel(executionId));
    await runtime.start(job);
    await ended;
  } catch (error) {
    writeFileSync(path.join(mailbox.folder, 'refused'), messageOf(error).slice(0, 2_000));
    process.exitCode = 1;
  } finally {
    // A connection that stays open would keep the job in the cluster until its time is over.
    await runtime?.close();
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
}
