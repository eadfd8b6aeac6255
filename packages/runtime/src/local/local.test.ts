import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { ExecutionEnd, ExecutionJob, Limits } from '../types.ts';
import { LocalRuntime, PlainDriver, whyNoNamespace, type LocalMode } from './index.ts';

const folder = mkdtempSync(join(tmpdir(), 'kethub local '));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const limits: Limits = {
  memoryBytes: 2 ** 30,
  cpus: 1,
  processes: 64,
  runTimeMs: 60_000,
  tmpBytes: 2 ** 26,
  fileBytes: 2 ** 26,
  outputBytes: 2 ** 26,
  outputFiles: 10,
  resultBytes: 2 ** 20,
  logBytes: 2 ** 20,
};
const python = '/usr/bin/python3';
mkdirSync(join(folder, 'stage/runtime/output'), { recursive: true });
mkdirSync(join(folder, 'stage/empty'));
const folders = { runtime: join(folder, 'stage/runtime'), stage: join(folder, 'stage/empty') };
const modes: LocalMode[] = whyNoNamespace(folders) === null ? ['NAMESPACE', 'PATHS'] : ['PATHS'];

/** Writes and reads below /var/runtime in every way that Python itself has. */
const everyWay = `
import io, json, os, pathlib, shutil, subprocess, sys, tempfile

def run(data, params):
    out = pathlib.Path("/var/runtime/output")
    (out / "pathlib.txt").write_text("a")
    with open("/var/runtime/output/open.txt", "w") as file:
        file.write("b")
    io.open("/var/runtime/output/io.txt", "wb").write(b"c")
    fd = os.open("/var/runtime/output/os.txt", os.O_CREAT | os.O_WRONLY)
    os.write(fd, b"d"); os.close(fd)
    os.rename("/var/runtime/output/os.txt", "/var/runtime/output/renamed.txt")
    subprocess.run(["cp", "/var/runtime/output/open.txt", "/var/runtime/output/copied.txt"], check=True)
    subprocess.run("echo e > echoed.txt", shell=True, check=True, cwd="/var/runtime/output")
    os.chdir("/var/runtime/output")
    shutil.copy("open.txt", "/var/runtime/output/shutil.txt")
    print("wrote", sorted(os.listdir("/var/runtime/output")))
    assert os.path.exists("/var/runtime/output/io.txt") and not os.path.exists("/var/runtime/nothing")
    raise_at = params.get("raise")
    if raise_at:
        raise ValueError(raise_at)
    return {"files": sorted(p.name for p in out.iterdir()), "data": data}
`;

function runtimeIn(mode: LocalMode, cancelGraceMs = 3_000): LocalRuntime {
  const dir = mkdtempSync(join(folder, 'state '));
  return new LocalRuntime({ dir, driver: new PlainDriver({ dir, mode, python: () => python }), cancelGraceMs });
}

class Bench {
  readonly runtime: LocalRuntime;
  readonly #ends = new Map<string, (end: ExecutionEnd) => void>();

  constructor(mode: LocalMode) {
    this.runtime = runtimeIn(mode);
    this.runtime.onEnded((end) => this.#ends.get(end.executionId)?.(end));
  }

  ended(id: string): Promise<ExecutionEnd> {
    return new Promise((resolve) => this.#ends.set(id, resolve));
  }

  async log(id: string): Promise<string> {
    return (await this.runtime.readLog(id, 0)).bytes.toString();
  }
}

function jobOf(executionId: string, program: string, more: Partial<ExecutionJob> = {}): ExecutionJob {
  const sourceDir = mkdtempSync(join(folder, 'code '));
  mkdirSync(join(sourceDir, 'src'));
  writeFileSync(join(sourceDir, 'src/program.py'), program);
  return {
    executionId,
    code: { sourceDir, layerDir: null, imports: ['json'] },
    input: '{"data": 1, "params": {}}',
    secrets: {},
    environment: {},
    dataPools: [],
    limits,
    ...more,
  };
}

describe.each(modes)('a service as a plain process, mode %s', (mode) => {
  const bench = new Bench(mode);
  afterAll(() => bench.runtime.close());

  test('finds /var/runtime whichever way it is opened, and leaves its files', async () => {
    const job = jobOf('ways', everyWay);
    const ended = bench.ended('ways');
    await bench.runtime.start(job);
    const end = await ended;
    expect(end.cause).toBeNull();
    const names = ['copied.txt', 'echoed.txt', 'io.txt', 'open.txt', 'pathlib.txt', 'renamed.txt', 'shutil.txt'];
    expect(end.files.map(({ name }) => name)).toEqual(names);
    expect(JSON.parse(end.result?.text ?? '')).toEqual({ files: names, data: 1 });
    expect(readFileSync(end.files[0]?.path ?? '', 'utf8')).toBe('b');
    expect(await bench.log('ways')).toContain('wrote');
  });

  test('fails with the traceback of the service, which names the paths of the platform', async () => {
    const job = jobOf('raised', everyWay, { input: '{"data": 1, "params": {"raise": "no"}}' });
    const ended = bench.ended('raised');
    await bench.runtime.start(job);
    expect((await ended).cause).toMatchObject({ type: 'ValueError', detail: 'no' });
    expect(await bench.log('raised')).toContain('File \\"/app/src/program.py\\"');
  });

  test('a waiting process runs the next execution, with its own secrets and output', async () => {
    const program = `import json\ndef run(data, token):\n    open("/var/runtime/output/t", "w").write(token.unwrap())\n    return data`;
    const job = jobOf(
      'warm',
      program
        .replace('token)', 'token: "SecretValue")')
        .replace('import json', 'import json\nfrom kethub import SecretValue'),
      {
        secrets: { token: 's3cret' },
      },
    );
    await bench.runtime.prewarm(job);
    const ended = bench.ended('warm');
    await bench.runtime.start(job);
    const end = await ended;
    expect([end.cause, end.result?.text, readFileSync(end.files[0]?.path ?? '', 'utf8')]).toEqual([
      null,
      '1',
      's3cret',
    ]);
  });

  test('cancelling ends a program that ignores SIGTERM, with children that have left its group', async () => {
    const program = `
import os, signal, subprocess, time
def run(data, params):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    child = subprocess.Popen(["sleep", "600"], start_new_session=True)
    print("ready", flush=True)
    time.sleep(600)
`;
    const runtime = runtimeIn(mode, 100);
    const over = new Promise<ExecutionEnd>((resolve) => runtime.onEnded(resolve));
    const ready = new Promise<void>((resolve) => runtime.onLog(() => resolve()));
    await runtime.start(jobOf('stubborn', program));
    await ready;
    await runtime.cancel('stubborn');
    expect((await over).outcome).toBe('CANCELLED');
    await runtime.close();
  });

  test('data pools are laid out, as copies unless they are lent for writing', async () => {
    const pool = mkdtempSync(join(folder, 'pool '));
    writeFileSync(join(pool, 'graph.txt'), 'edges');
    const program = `
def run(graphs):
    with graphs.open("graph.txt") as file:
        text = file.read()
    open(graphs.path + "/graph.txt", "w").write("changed")
    return {"text": text}
`;
    const ended = bench.ended('pools');
    await bench.runtime.start(
      jobOf('pools', program, { input: '{}', dataPools: [{ parameter: 'graphs', path: pool, writable: false }] }),
    );
    const end = await ended;
    expect([end.cause, end.result?.text]).toEqual([null, '{"text":"edges"}']);
    expect(readFileSync(join(pool, 'graph.txt'), 'utf8')).toBe('edges');
  });
});
