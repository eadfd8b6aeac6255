import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createBuilder, type Builder, type BuildOutcome } from '../build/index.ts';
import { hostileZip } from '../escapes/hostile-zip.ts';
import { takeRoots } from '../root/index.ts';
import { MiB, openBench, type Bench } from '../testing/bench.ts';
import { keepPythons, takeKeptPythons } from '../testing/pythons.ts';
import { rootsForTests } from '../testing/roots.ts';
import { installedPython, installPython, pythonReleases, PythonNotInstalled } from './index.ts';

const PROGRAM = `
import sqlite3, ssl, ctypes, lzma, bz2, zoneinfo, multiprocessing, subprocess, sys, typing_extensions

def run(count: int = 2):
    child = subprocess.run([sys.executable, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"], capture_output=True, text=True)
    try:
        open("/python/bin/own", "w")
        written = True
    except OSError:
        written = False
    return {"python": "%d.%d" % sys.version_info[:2], "release": sys.version.split()[0], "child": child.stdout.strip(), "count": count, "written": written,
            "compiled": __import__("os").path.exists(ssl.__spec__.cached), "side": __import__("os").path.exists(sys.modules["kethub_runtime"].__spec__.cached),
            "authorities": len(ssl.create_default_context().get_ca_certs()) > 10, "prefix": sys.prefix}
`;
const VERSIONS = ['3.10', '3.11', '3.12', '3.13'];

describe.each(['a root of its own', 'the /usr of this machine'])('on %s', (base) => {
  let bench: Bench;
  let builder: Builder;
  let runtimeDir: string;
  let usual: string;
  beforeAll(async () => {
    bench = await openBench({ warmBytes: 256 * MiB });
    runtimeDir = join(bench.dataDir, 'runtime');
    takeKeptPythons(runtimeDir);
    if (base.includes('own')) {
      await takeRoots(await rootsForTests(), runtimeDir);
      await bench.runtime.renewRoot();
    }
    builder = createBuilder({ dataDir: bench.dataDir, runtime: bench.runtime });
    usual = String(await bench.result('import sys\ndef run():\n    return "%d.%d" % sys.version_info[:2]'));
  }, 300_000);
  afterAll(async () => {
    keepPythons(runtimeDir);
    await bench.close();
  });

  const build = async (files: Record<string, string>): Promise<BuildOutcome> => {
    const archive = hostileZip(Object.entries(files).map(([name, content]) => ({ name, content })));
    const digest = createHash('sha256').update(archive).digest('hex');
    return builder.build(Readable.from([archive]), digest, () => undefined, new AbortController().signal);
  };

  test.each(VERSIONS)('Python %s builds and runs, warm and cold', { timeout: 600_000 }, async (version) => {
    const files = { 'src/program.py': PROGRAM, 'requirements.txt': 'typing_extensions==4.12.2\n', '.python-version': version };
    const outcome = await build(files);
    if (!outcome.ok) throw new Error(outcome.problem.detail);
    const { source, layer, imports, parameters, python, resolved } = outcome.built;
    expect({ python, resolved: resolved?.python }).toEqual({ python: version, resolved: version });
    expect(parameters).toMatchObject([{ name: 'count', kind: 'data', required: false }]);
    expect(imports).toContain('typing_extensions');
    const code = {
      sourceDir: join(runtimeDir, source), layerDir: join(runtimeDir, layer ?? ''), imports, ...(python !== undefined && { python }),
    }; // prettier-ignore
    const expected = { python: version, child: version, compiled: true, side: true, written: false, authorities: true };
    expect(await bench.result(code, { input: { count: 3 } })).toMatchObject({ ...expected, count: 3 });
    await expect.poll(async () => (await bench.runtime.status()).warm.map(({ sourceDir }) => sourceDir), { timeout: 30_000 }).toContain(code.sourceDir);
    expect(await bench.result(code, { input: { count: 4 } })).toMatchObject({ ...expected, count: 4 });
    const again = await build(files);
    expect(again).toEqual(outcome);
    expect(await builder.isPresent({ source, layer, python: version })).toBe(true);
    expect(await builder.isPresent({ source, layer, python: '3.9' })).toBe(false);
  }); // prettier-ignore

  test(
    'a service that asks for none gets the usual one, and each version layers of its own',
    { timeout: 300_000 },
    async () => {
      const outcome = await build({ 'src/program.py': PROGRAM, 'requirements.txt': 'typing_extensions==4.12.2\n' });
      expect(outcome).toMatchObject({ ok: true, built: { python: usual } });
      const layers = await createBuilder({ dataDir: bench.dataDir, runtime: bench.runtime }).layers.list();
      expect(new Set(layers.map(({ python }) => python))).toEqual(new Set([...VERSIONS, usual]));
      expect(layers).toHaveLength(new Set([...VERSIONS, usual]).size);
    },
  );

  test('code for a Python that is not installed is not started', async () => {
    const code = { ...bench.service('def run():\n    return 1'), python: '3.99' };
    await expect(bench.runtime.start(bench.job(code))).rejects.toThrow('Python 3.99 is not installed');
  });
});

test('also the version of the root can be had, for a machine with another root', { timeout: 300_000 }, async () => {
  const bench = await openBench();
  try {
    const runtimeDir = join(bench.dataDir, 'runtime');
    takeKeptPythons(runtimeDir);
    for (const { version, release } of pythonReleases('x64')) {
      const draft = join(bench.dataDir, 'runtime', 'drafts', version);
      mkdirSync(draft, { recursive: true });
      await installPython(bench.runtime, runtimeDir, version, draft);
      expect(installedPython(runtimeDir, version)).toMatchObject({ version, release });
    }
    keepPythons(runtimeDir);
  } finally {
    await bench.close();
  }
});

test('an archive with another hash is not unpacked, and nothing is left', { timeout: 60_000 }, async () => {
  const bench = await openBench();
  try {
    const [release] = pythonReleases('x64');
    const runtimeDir = join(bench.dataDir, 'runtime');
    const archives = join(runtimeDir, 'pythons/archives');
    mkdirSync(archives, { recursive: true });
    writeFileSync(join(archives, release?.url.split('/').at(-1) ?? ''), 'something else');
    const draft = join(bench.dataDir, 'draft');
    mkdirSync(draft);
    const installed = installPython(bench.runtime, runtimeDir, release?.version ?? '', draft);
    await expect(installed).rejects.toThrow(PythonNotInstalled);
    await expect(installed).rejects.toThrow(/has the SHA-256 [0-9a-f]{64}, not b51a1325/);
    expect(readdirSync(join(runtimeDir, 'pythons'))).toEqual(['archives']);
  } finally {
    await bench.close();
  }
});
