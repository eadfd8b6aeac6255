import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { messageOf } from '../errors.ts';
import { Mailbox } from './mailbox.ts';
import { runJob } from './run-job.ts';

// The program of a batch job on a node that shares a folder with the platform: node step.ts <folder of mailboxes>
// <execution id>. Its records are in the mailbox.
const [parent = '', executionId = ''] = process.argv.slice(2);
// A signal that ends the execution would open Node's debugger until runJob listens for it.
process.on('SIGUSR1', () => undefined);
const mailbox = new Mailbox(parent, executionId);
if (mailbox.claim())
  try {
    await runJob(mailbox.takeJob(), path.join(mailbox.folder, 'run'), () => mailbox.isCancelled);
  } catch (error) {
    writeFileSync(path.join(mailbox.folder, 'refused'), messageOf(error).slice(0, 2_000));
    process.exitCode = 1;
  }
