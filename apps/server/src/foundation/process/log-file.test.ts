import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openLogFile } from './log-file.ts';
import { MOST_WAITING } from './log.ts';

test.runIf(process.getuid?.() === 0)(
  'lines for a full disk wait, then are lost and counted, and no stop waits',
  async () => {
    const disk = await mkdtemp(path.join(os.tmpdir(), 'kethub-full-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=12m', 'tmpfs', disk]);
    onTestFinished(async () => {
      execFileSync('umount', ['--lazy', disk]);
      await rm(disk, { recursive: true });
    });
    const filling = path.join(disk, 'filling');
    const fill = () => writeFile(filling, Buffer.alloc(13 * 1024 * 1024)).catch(() => undefined);
    const { log, file, close } = openLogFile(disk, 'info');
    const text = async (): Promise<string> => readFile(file, 'utf8').catch(() => '');
    log.info('before');
    await expect.poll(text).toContain('before');
    await fill();
    const lines = 100;
    // An error without a listener would end this process.
    for (let line = 0; line < lines; line++) {
      log.info('x'.repeat(MOST_WAITING / (lines - 10)));
      await new Promise(setImmediate);
    }
    await rm(filling);
    await expect.poll(text, { timeout: 5_000 }).toContain('lines of this log were lost');
    const written = (await text()).trimEnd().split('\n');
    const lost = (JSON.parse(written.at(-1) ?? '') as { readonly lines: number }).lines;
    expect(lost).toBeGreaterThanOrEqual(10);
    expect(written.slice(1, -1)).toHaveLength(lines - lost);
    await fill();
    log.info('waits');
    log.info('x'.repeat(MOST_WAITING / 2));
    close();
  },
);
