import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openLogFile } from './log-file.ts';

test.runIf(process.getuid?.() === 0)('a full disk takes no line and ends no process, and the log goes on', async () => {
  const disk = await mkdtemp(path.join(os.tmpdir(), 'kethub-full-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', disk]);
  onTestFinished(async () => {
    execFileSync('umount', ['--lazy', disk]);
    await rm(disk, { recursive: true });
  });
  const { log, file, close } = openLogFile(disk, 'info');
  const text = async (): Promise<string> => readFile(file, 'utf8').catch(() => '');
  log.info('before');
  await expect.poll(text).toContain('before');
  await writeFile(path.join(disk, 'filling'), Buffer.alloc(1024 * 1024)).catch(() => undefined);
  // An error without a listener would end this process.
  for (let line = 0; line < 40; line++) {
    log.info({ line }, 'x'.repeat(1_000));
    await new Promise(setImmediate);
  }
  await rm(path.join(disk, 'filling'));
  log.info('after');
  await expect
    .poll(async () => {
      log.info('again');
      return text();
    })
    .toContain('again');
  await rm(file);
  close();
});
