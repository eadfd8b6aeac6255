import {
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ket } from '@kethub/cli/testing/ket';
import { createBuildLog, buildFolder, DEFAULT_IMAGE_LIMITS } from '@kethub/runtime/local';
import { Engine } from '@kethub/runtime/containers';
import { importPythonImage } from '@kethub/runtime/testing/python-image';
import { containersWith, testEngine } from '@kethub/runtime/testing/images';
import { call, interrupted, localServers, logOf, resultOf, statusOf } from './ket/served.ts';
import { usesOutput } from './ket/uses-output.ts';

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const { project: plainProject, serve: serveAs } = localServers();
const IMAGE = 'kethub-test-local-python:1';
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';

const testPodman = process.env['KETHUB_TEST_PODMAN'] ?? null;

describe.each([
  { name: 'Docker', socket: testEngine, isPodman: false },
  { name: 'Podman of an ordinary user', socket: testPodman, isPodman: true },
])('with $name', ({ socket, isPodman }) => {
  // Each test is skipped without the engine.
  const engine = new Engine(socket ?? '');
  const owner = socket !== null && isPodman ? statSync(socket) : null;
  const as = owner === null ? {} : { as: { uid: owner.uid, gid: owner.gid } };
  const environment = {
    DOCKER_HOST: `unix://${socket}`,
    // The image has no certificates of its own.
    ...(existsSync(CERTIFICATES) && { PIP_CERT: CERTIFICATES }),
  };
  const project = (files: Readonly<Record<string, string | Buffer>>): string => {
    const made = plainProject(files);
    if (owner !== null) chownSync(made, owner.uid, owner.gid);
    return made;
  };
  const serve = (at: string, args: readonly string[]) => serveAs(at, args, { environment, ...as });
  const left = (execution: string) => containersWith(`kethub.execution=${execution}`, engine);
  const engineArgs = ['--mode', 'engine', '--image', IMAGE, '--network', 'host'];
  let folder: string;
  /** An image like those of a registry: Python with pip, made of the Python of this machine. */
  beforeAll(async () => {
    if (socket === null) return;
    folder = mkdtempSync(path.join(tmpdir(), 'kethub-image-'));
    const root = await importPythonImage(engine, `${IMAGE}-base`, folder);
    const context = path.join(folder, 'context');
    cpSync('/usr/lib/python3/dist-packages/pip', path.join(context, 'pip'), { recursive: true, dereference: true });
    const target = `/usr/local/lib/python${root.python}/dist-packages/pip`;
    writeFileSync(path.join(context, 'Dockerfile'), `FROM ${IMAGE}-base\nCOPY pip ${target}\nCMD ["/bin/sh"]\n`);
    const wanted = { name: IMAGE, labels: {}, network: 'none', limits: DEFAULT_IMAGE_LIMITS };
    const log = createBuildLog(() => undefined, Date.now);
    const signal = new AbortController().signal;
    await buildFolder(engine, context, wanted, { draft: path.join(folder, 'draft'), log, signal });
  });
  afterAll(async () => {
    if (socket === null) return;
    for (const name of [IMAGE, `${IMAGE}-base`]) await engine.settle('DELETE', `/images/${name}`);
    rmSync(folder, { recursive: true, force: true });
  });

  test.skipIf(socket === null)(
    'Python runs in a container: paths, secrets, data pools, files, the end of stubborn code',
    async () => {
      const program = `
import os, pathlib, signal, socket, subprocess, time
from kethub import DataPool, SecretValue
def run(data, graphs: DataPool = None, token: SecretValue = None):
    if data == "stay":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        subprocess.Popen(["sleep", "600"], start_new_session=True)
        print("ready", flush=True)
        time.sleep(600)
    if data == "fail":
        raise ValueError("no")
    print("using", token.unwrap())
    pathlib.Path("/var/runtime/output/word.txt").write_text("hello")
    try:
        socket.create_connection(("1.1.1.1", 80), 1)
    except OSError as error:
        network = "none"
    return {"pool": graphs.list_files(), "uid": os.getuid(), "home": os.listdir("/home") if os.path.exists("/home") else [],
            "here": os.getcwd(), "network": network, "level": os.environ["LEVEL"]}
`;
      const files = { 'src/program.py': program, '.env': 'LEVEL=7\n', '.env.secrets': 'token="open-sesame-4711"\n' };
      const folder_ = project({ ...files, 'datapool/graphs/one.txt': '1' });
      const { url, mode, about, child } = await serve(folder_, engineArgs);
      expect([mode, about]).toEqual([
        'engine',
        expect.stringMatching(/^in containers of (Docker|Podman) [\d.]+.*, with no network$/),
      ]);
      const pool = { id: '01900000-0000-7000-8000-000000000000', ref: 'DATAPOOL' };
      const { id, status } = await call(url, { data: 1, graphs: pool });
      expect([status, await logOf(url, id)]).toEqual(['SUCCEEDED', expect.stringContaining('using [redacted]')]);
      const here = '/var/runtime/output';
      const shown = { uid: owner?.uid ?? 1000, home: [], here, network: 'none', level: '7' };
      expect(await resultOf(url, id)).toMatchObject({ ...shown, pool: { 'one.txt': expect.anything() } });
      expect(await (await fetch(`${url}${id}/result/word.txt`)).text()).toBe('hello');
      const failed = await call(url, { data: 'fail', graphs: pool });
      expect(await resultOf(url, failed.id)).toMatchObject({ type: 'ValueError', detail: 'no' });
      const stubborn = await call(url, { data: 'stay', graphs: pool }, '');
      await expect.poll(() => logOf(url, stubborn.id), { timeout: 60_000 }).toContain('ready');
      await fetch(`${url}${stubborn.id}/cancel`, { method: 'PUT' });
      expect(await statusOf(url, stubborn.id)).toBe('CANCELLED');
      await expect.poll(() => left(stubborn.id), { timeout: 60_000 }).toEqual([]);
      // An execution that is cut off by the end of ket serve leaves no container.
      const cut = await call(url, { data: 'stay', graphs: pool }, '');
      await expect.poll(() => logOf(url, cut.id), { timeout: 60_000 }).toContain('ready');
      expect(await interrupted(child)).toBe(0);
      await expect.poll(() => left(cut.id), { timeout: 60_000 }).toEqual([]);
    },
  );

  test.skipIf(socket === null)('packages are installed by the image, and a save is reported and used', async () => {
    const program = 'import six\ndef run(data): return {"version": six.__version__}\n';
    const folder_ = project({ 'src/program.py': program, 'requirements.txt': 'six==1.16.0\n' });
    const { url } = await serve(folder_, engineArgs);
    expect(await resultOf(url, (await call(url, { data: 1 })).id)).toMatchObject({ version: '1.16.0' });
    writeFileSync(path.join(folder_, 'src/program.py'), 'import nothing_of_that_name\n');
    const refused = async () => ((await call(url, { data: 1 })) as unknown as { detail?: string }).detail ?? '';
    await expect.poll(refused, { timeout: 60_000 }).toContain('src/program.py, line 1');
    writeFileSync(path.join(folder_, 'src/program.py'), 'def run(data: int): return {"next": data + 1}\n');
    await expect.poll(async () => (await call(url, { data: 1 })).status, { timeout: 60_000 }).toBe('SUCCEEDED');
    const { parameters } = (await (await fetch(`${url}serve.json`)).json()) as { parameters: object[] };
    expect(parameters).toMatchObject([{ name: 'data', annotation: 'int' }]);
  });

  test.skipIf(socket === null)('numpy, pandas, a subprocess, chdir and SQLite find /var/runtime/output', async () => {
    const requirements = 'numpy==2.2.6\npandas==2.3.3\n';
    const { url } = await serve(
      project({ 'src/program.py': usesOutput, 'requirements.txt': requirements }),
      engineArgs,
    );
    const { id, status } = await call(url, { data: 'files' });
    expect([status, await logOf(url, id)]).toEqual(['SUCCEEDED', expect.anything()]);
    const { _links: links, ...result } = await resultOf(url, id);
    expect(result).toMatchObject({ array: [0, 1, 2, 3], map: [7, 7, 7, 7], frame: [1, 2], pickled: 2 });
    expect(Object.keys(links as object)).toEqual(expect.arrayContaining(['array.npy', 'echoed.txt', 'here.txt']));
    expect(await resultOf(url, (await call(url, { data: 'sqlite' })).id)).toMatchObject({ word: 'hello' });
  });

  test.skipIf(socket === null)('an image that cannot be fetched ends ket serve, which leaves nothing', async () => {
    const made = project({ 'src/program.py': 'def run(): return {}\n' });
    const started = serve(made, ['--mode', 'engine', '--image', 'localhost:9/none:1']);
    await expect(started).rejects.toThrow('The image localhost:9/none:1 could not be fetched');
    expect(readdirSync(path.join(made, '.kethub/serve'))).not.toContain('pid');
  });

  test.skipIf(socket === null)('a killed ket serve leaves a container, which the next one removes', async () => {
    const program = 'import time\ndef run(data):\n    print("ready", flush=True)\n    time.sleep(600)\n';
    const folder_ = project({ 'src/program.py': program });
    const first = await serve(folder_, engineArgs);
    const { id } = await call(first.url, { data: 1 }, '');
    await expect.poll(() => logOf(first.url, id), { timeout: 60_000 }).toContain('ready');
    first.child.kill('SIGKILL');
    const second = await serve(folder_, engineArgs);
    expect(await left(id)).toEqual([]);
    expect(await statusOf(second.url, id)).toBe('UNKNOWN');
  });

  describe.skipIf(socket === null)('a service with a Dockerfile', () => {
    const script = `#!/bin/sh
cd /var/runtime/output
echo "secret $SECRET_TOKEN, mode $MODE"
[ "$(cat /var/runtime/input/task.json)" = '"fail"' ] && exit 3
printf '{"got": %s, "word": "one"}' "$(cat /var/runtime/input/number.json)" > output.json
echo 1,2 > plot.csv
`;
    const dockerfile = `FROM scratch
COPY busybox run.sh /bin/
RUN ["/bin/busybox", "--install", "-s", "/bin"]
ENTRYPOINT ["/bin/sh", "/bin/run.sh"]
`;
    const made = () =>
      project({
        'kethub.json': '{"name": "boxed", "configuration": {"runtime": "DOCKER", "environment": {"MODE": "fast"}}}',
        Dockerfile: dockerfile,
        busybox: readFileSync('/bin/busybox'),
        'run.sh': script,
        '.env.secrets': 'token=open-sesame-4711\n',
        'input/number.json': '41',
        'test/default/expected.json': '{"got": 41}',
        'test/fails/input.json': '{"task": "fail", "number": 1}',
        'test/fails/options.json': '{"status": "FAILED"}',
      });

    test('is built, runs, and is built again when it is saved', async () => {
      const folder_ = made();
      const { url, mode } = await serve(folder_, []);
      expect(mode).toBe('engine');
      const { id, status } = await call(url, { number: 41, task: 'x' });
      expect([status, await resultOf(url, id)]).toMatchObject(['SUCCEEDED', { got: 41, word: 'one' }]);
      expect(await logOf(url, id)).toContain('secret [redacted], mode fast');
      expect(await (await fetch(`${url}${id}/result/plot.csv`)).text()).toBe('1,2\n');
      writeFileSync(path.join(folder_, 'run.sh'), script.replace('"one"', '"two"'));
      const word = async () => (await resultOf(url, (await call(url, { number: 1, task: 'x' })).id))['word'];
      await expect.poll(word, { timeout: 60_000 }).toBe('two');
      writeFileSync(path.join(folder_, 'Dockerfile'), 'FROM scratch\nCOPY nothing /\n');
      const refused = async () => ((await call(url, {})) as unknown as { type?: string; detail?: string }).detail ?? '';
      await expect.poll(refused, { timeout: 60_000 }).toContain('nothing');
      writeFileSync(path.join(folder_, 'Dockerfile'), dockerfile);
      await expect.poll(word, { timeout: 60_000 }).toBe('two');
    });

    // The command runs in this process, which is no ordinary user.
    test.skipIf(isPodman)('ket test runs its cases', async () => {
      const { code, stderr } = await ket(['test'], { folder: made(), environment });
      expect([code, stderr]).toEqual([0, expect.stringMatching(/ok +default[\s\S]*ok +fails/)]);
    });
  });
});

test('without an engine, a service with a Dockerfile ends with 2 and says what to install', async () => {
  const folder = plainProject({
    'kethub.json': '{"name": "a", "configuration": {"runtime": "DOCKER"}}',
    Dockerfile: '',
  });
  const environment = { DOCKER_HOST: 'unix:///nowhere/docker.sock' };
  const { code, stderr } = await ket(['serve'], { folder, environment });
  expect([code, stderr]).toEqual([2, expect.stringContaining('apt-get install docker.io')]);
  expect(stderr).toContain('is a container');
});
