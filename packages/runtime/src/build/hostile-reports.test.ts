import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ZipFile } from 'yazl';
import { openBench, type Bench } from '../testing/bench.ts';
import { createBuilder, type BuildOutcome } from './index.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench();
});
afterAll(() => bench.close());

async function build(program: string): Promise<{ outcome: BuildOutcome; digest: string }> {
  const zip = new ZipFile();
  zip.addBuffer(Buffer.from(''), 'src/__init__.py');
  zip.addBuffer(Buffer.from(program), 'src/program.py');
  zip.end();
  const archive = await buffer(zip.outputStream);
  const digest = createHash('sha256').update(archive).digest('hex');
  const builder = createBuilder({ dataDir: bench.dataDir, runtime: bench.runtime });
  const outcome = await builder.build(Readable.from([archive]), digest, () => undefined, new AbortController().signal);
  return { outcome, digest };
}

/** Forges every field of a build's report, and more. */
const CLAIM = `
import json, os, signal, sys, threading, time
CLAIM = json.dumps({
    "interface": {"parameters": [{"name": "forged", "kind": "data", "imports": ["src.program"]}], "imports": ["src.program"]},
    "imports": ["src.program", "decimal"], "modules": ["src.program", "decimal", "json", "os", "signal", "sys", "threading", "time"],
    "source": "sources/other", "layer": "layers/other", "resolved": {"packages": []}, "code": {"sourceDir": "/"},
}).encode()
def everywhere():
    for number in range(1, 30):
        try: os.write(number, CLAIM)
        except OSError: pass
    for process in ("self", "1", str(os.getppid())):
        for name in ("fd/1", "fd/3", "mem", "environ", "cwd/report"):
            try: os.write(os.open(f"/proc/{process}/{name}", os.O_WRONLY), CLAIM)
            except OSError: pass
def run(data: dict):
    return 1
`;

test.each([
  ['overwrites the report', 'everywhere()\nos._exit(0)'],
  ['appends to it', 'import atexit\natexit.register(everywhere)\nthreading.Thread(target=lambda: [everywhere() for _ in range(9)]).start()'],
  ['writes as soon as it is written', 'if os.fork() == 0:\n    [(everywhere(), time.sleep(0.01)) for _ in range(200)]\n    os._exit(0)'],
  ['outlives whoever reports', 'if os.fork() == 0:\n    os.setsid()\n    if os.fork(): os._exit(0)\n    time.sleep(0.5)\n    everywhere()\n    time.sleep(60)'],
  ['ends whoever reports', 'everywhere()\nos.kill(os.getppid(), signal.SIGKILL)\nos.kill(-1, signal.SIGKILL)'],
  ['replaces the functions that report', 'json.dump = lambda value, file: file.write(CLAIM.decode())'],
  ['replaces what is written with', 'sys.modules["kethub_runtime.inspection"]._interface = lambda run: json.loads(CLAIM)["interface"]'],
])('a program that %s changes the report of its own interface at most', async (_what, hostile) => {
  const { outcome, digest } = await build(`${CLAIM}${hostile}\n`);
  if (!outcome.ok) {
    expect(Object.keys(outcome.problem).toSorted()).toEqual(['code', 'detail', 'title']);
    return;
  }
  const { parameters, imports, ...rest } = outcome.built;
  expect(rest).toEqual({ source: `sources/${digest}`, layer: null, resolved: null, result: null, python: expect.any(String) });
  // The names come from the text of the program, not from its report.
  for (const name of imports) expect(['atexit', 'json', 'os', 'signal', 'sys', 'threading', 'time']).toContain(name);
  for (const parameter of parameters)
    expect(Object.keys(parameter).toSorted()).toEqual([
      'accepts',
      'annotation',
      'description',
      'kind',
      'name',
      'required',
      'schema',
    ]);
}); // prettier-ignore
