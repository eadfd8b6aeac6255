import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createBuilder } from '../build/index.ts';
import { hostileZip } from '../escapes/hostile-zip.ts';
import { makeRunnerPaths } from '../paths.ts';
import { takeLock } from '../runner/lock.ts';
import { MiB, openBench, type Bench } from '../testing/bench.ts';
import { rootsForTests } from '../testing/roots.ts';
import { buildOwnRoot, currentRoot, takeRoots } from './index.ts';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';

const LOOK = `
import os, re, ssl, sqlite3, ctypes, zoneinfo, sys

def run():
    # For an overlay the kernel names the lower folder, not the mounted part of it.
    below = lambda line: re.search("lowerdir[+]?=([^:,]+)", line)
    mounts = [(below(line).group(1) if below(line) else line.split()[3], line.split()[4]) for line in open("/proc/self/mountinfo")]
    return {"shown": [source for source, target in mounts if target == "/usr" or target.startswith("/usr/")],
            "python": "%d.%d" % sys.version_info[:2], "commands": len(os.listdir("/usr/bin")), "zone": str(zoneinfo.ZoneInfo("Europe/Berlin")),
            "setuid": [f for d, _, fs in os.walk("/usr") for f in fs if os.lstat(f"{d}/{f}").st_mode & 0o6000],
            "compiled": os.path.exists(ssl.__spec__.cached)}
`;

describe('a root of our own', () => {
  let roots: string;
  let bench: Bench;
  let runtimeDir: string;
  beforeAll(async () => {
    roots = await rootsForTests();
    bench = await openBench({ warmBytes: 256 * MiB });
    ({ runtimeDir } = makeRunnerPaths(bench.dataDir));
  });
  afterAll(async () => {
    await bench.close();
  });

  test('takes the place of the /usr of this machine while executions run', { timeout: 180_000 }, async () => {
    const before = (await bench.result(LOOK)) as { shown: string[] };
    expect((await bench.runtime.status()).root).toBe(null);
    expect(before.shown.length).toBeGreaterThan(1);
    const long = await bench.startedWith(
      'ready',
      'import time\ndef run():\n    print("ready", flush=True)\n    time.sleep(1)\n    import kethub.secret, json.tool\n    return 1',
    );
    const ended = bench.ended(long.executionId);
    await takeRoots(roots, runtimeDir);
    await bench.runtime.renewRoot();
    const own = currentRoot(runtimeDir);
    expect((await bench.runtime.status()).root).toBe(own?.id);
    const { shown, ...after } = (await bench.result(LOOK)) as { shown: string[] };
    // One mount instead of many. An overlay names no folder of this machine.
    expect(shown).toEqual([expect.not.stringContaining(runtimeDir)]);
    expect(after).toEqual({
      python: own?.python, commands: expect.any(Number), zone: 'Europe/Berlin', setuid: [], compiled: true,
    });
    expect((await ended).outcome).toBe('SUCCEEDED');
  }); // prettier-ignore

  test('has the pip that installs requirements for it', { timeout: 180_000 }, async () => {
    const builder = createBuilder({ dataDir: bench.dataDir, runtime: bench.runtime });
    const program = 'import idna\ndef run():\n    return idna.__version__\n';
    const archive = hostileZip([
      { name: 'src/program.py', content: program },
      { name: 'requirements.txt', content: 'idna==3.10\n' },
    ]);
    const digest = createHash('sha256').update(archive).digest('hex');
    const { signal } = new AbortController();
    const outcome = await builder.build(Readable.from([archive]), digest, () => undefined, signal);
    if (!outcome.ok) throw new Error(outcome.problem.detail);
    const { source, layer } = outcome.built;
    const code = { sourceDir: join(runtimeDir, source), layerDir: join(runtimeDir, layer ?? ''), imports: [] };
    expect(await bench.result(code)).toBe('3.10');
  });

  test('is used again by the next runner', async () => {
    await bench.runtime.close();
    const next = await bench.again();
    expect((await next.status()).root).toBe(currentRoot(runtimeDir)?.id);
  });

  test('is not built by a second process meanwhile', async () => {
    const lock = takeLock(join(roots, 'lock'));
    expect(await buildOwnRoot(dirname(roots))).toBe(null);
    lock?.release();
    expect(readdirSync(roots)).toHaveLength(3); // one root, `current` and `lock`
  });
});
