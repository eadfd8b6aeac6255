import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { MiB, openBench } from './testing/bench.ts';

/** An end that cannot be recorded is tried for a minute. */
const options = { timeout: 300_000 };

test.runIf(process.getuid?.() === 0)(
  'who fills the disk to its last byte fails, the runner goes on, and the next one succeeds',
  options,
  async () => {
    const disk = mkdtempSync(join(tmpdir(), 'kethub-full-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=96m,mode=0755', 'tmpfs', disk]);
    onTestFinished(() => {
      execFileSync('umount', ['--lazy', disk]);
      rmSync(disk, { recursive: true });
    });
    vi.stubEnv('TMPDIR', disk);
    const bench = await openBench();
    vi.unstubAllEnvs();
    const { runnerPid } = await bench.runtime.status();
    const program = `
def run():
    number = 0
    try:
        while True:
            number += 1
            open(str(number), "wb", buffering=0).write(bytes(1 << 20))
    except OSError as error:
        return {"errno": error.errno, "long": "x" * 500_000}`;
    const end = await bench.run(program, { limits: { outputBytes: 1024 * MiB, outputFiles: 10_000 } });
    expect(end).toMatchObject({ outcome: 'FAILED', result: null });
    await bench.runtime.forget(end.executionId);
    // Its files are removed in the background; until then a start is refused.
    const next = () => bench.result('def run():\n    return 1').catch(String);
    await expect.poll(next, { timeout: 60_000, interval: 200 }).toBe(1);
    expect((await bench.runtime.status()).runnerPid).toBe(runnerPid);
    await bench.close();
  },
);
