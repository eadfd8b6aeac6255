import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { call, localServers, logOf, resultOf } from './ket/served.ts';

// Packages come from PyPI.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 600_000 });

const { root, project, serve } = localServers();
const venv = path.join(root, 'with packages');

beforeAll(() => {
  execFileSync('python3', ['-m', 'venv', venv]);
  const packages = ['numpy==2.2.6', 'pandas==2.3.3'];
  execFileSync(path.join(venv, 'bin/pip'), ['install', '--quiet', '--disable-pip-version-check', ...packages], {
    stdio: 'inherit',
  });
});

const program = `
import os, pathlib, subprocess, sqlite3
import numpy as np
import pandas as pd
OUT = "/var/runtime/output"
def run(data):
    if data == "sqlite":
        with sqlite3.connect(OUT + "/words.db") as base:
            base.execute("create table words (word text)")
            base.execute("insert into words values ('hello')")
        return {"word": sqlite3.connect(OUT + "/words.db").execute("select word from words").fetchone()[0]}
    np.save(OUT + "/array.npy", np.arange(4))
    np.savetxt(pathlib.Path(OUT) / "array.txt", np.arange(4))
    np.memmap(OUT + "/map.bin", dtype="int64", mode="w+", shape=(4,))[:] = 7
    pd.DataFrame({"a": [1, 2]}).to_csv(OUT + "/frame.csv", index=False)
    pd.DataFrame({"a": [1, 2]}).to_pickle(OUT + "/frame.pkl")
    os.chdir(OUT)
    pathlib.Path("here.txt").write_text("here")
    subprocess.run(["sh", "-c", "echo from a program > echoed.txt"], check=True)
    return {"array": np.load(OUT + "/array.npy").tolist(), "map": np.fromfile(OUT + "/map.bin", dtype="int64").tolist(),
            "frame": pd.read_csv(OUT + "/frame.csv")["a"].tolist(), "pickled": len(pd.read_pickle(OUT + "/frame.pkl"))}
`;

describe.each(['sandbox', 'namespace', 'paths'])('mode %s', (mode) => {
  test('numpy, pandas, a subprocess and chdir find /var/runtime/output, SQLite except in paths', async () => {
    const folder = project({ 'src/program.py': program, 'requirements.txt': 'numpy\npandas\n' });
    const { url } = await serve(folder, ['--mode', mode, '--python', path.join(venv, 'bin/python')]);
    const { id, status } = await call(url, { data: 'files' });
    expect([status, await logOf(url, id)]).toEqual(['SUCCEEDED', expect.anything()]);
    const { _links: links, ...result } = await resultOf(url, id);
    expect(result).toMatchObject({ array: [0, 1, 2, 3], map: [7, 7, 7, 7], frame: [1, 2], pickled: 2 });
    const names = ['array.npy', 'array.txt', 'echoed.txt', 'frame.csv', 'frame.pkl', 'here.txt', 'map.bin'];
    expect(Object.keys(links as object)).toEqual(expect.arrayContaining(names));
    const based = await call(url, { data: 'sqlite' });
    // The native library opens the file itself, so the mapping of Python does not reach it.
    if (mode === 'paths')
      expect([based.status, await resultOf(url, based.id)]).toMatchObject([
        'FAILED',
        { type: expect.stringContaining('OperationalError'), detail: expect.stringContaining('unable to open') },
      ]);
    else expect(await resultOf(url, based.id)).toMatchObject({ word: 'hello' });
  });
});
