import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { containersWith, engineOfTests, shellImage, testEngine } from './testing/images.ts';
import { handover, secretVariables } from './containers/handover.ts';
import { writeInputFiles } from './containers/input-files.ts';
import { installationOf } from './containers/installation.ts';
import { LogFrames } from './containers/log-frames.ts';
import { errorCode } from './errors.ts';
import { copyOf } from './testing/copied-folder.ts';
import { isAlive, MiB, openBench, until, type Bench, type Order } from './testing/bench.ts';

describe('input files', () => {
  const written = (input: string): Record<string, string> => {
    const folder = mkdtempSync(join(tmpdir(), 'kethub-input-'));
    try {
      writeInputFiles(Buffer.from(input), folder);
      return Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
    } finally {
      rmSync(folder, { recursive: true });
    }
  };

  test('hold each property at the top exactly as it was sent', () => {
    const input =
      '{ "data" : [1.00, {"a,b":"}]\\"{"}] ,"n":123456789012345678901234567890,"é\\u0041":null,"s":"x:y,z"\n}';
    expect(written(input)).toEqual({
      'data.json': '[1.00, {"a,b":"}]\\"{"}]',
      'n.json': '123456789012345678901234567890',
      'éA.json': 'null',
      's.json': '"x:y,z"',
    });
    expect(written(' {} ')).toEqual({});
    expect(written('{"a":1,"a":2}')).toEqual({ 'a.json': '2' });
  });

  test.each(['a/b', '', '..\\u0000', '../x', 'x'.repeat(251), '\\ud800'])('a property %j is refused', (name) => {
    expect(() => written(`{"${name}":1}`)).toThrow(/cannot be handed over as the file/);
  });
});

describe('secrets', () => {
  test.each([
    ['myToken', 'SECRET_MY_TOKEN'],
    ['api_token', 'SECRET_API_TOKEN'],
    ['token', 'SECRET_TOKEN'],
    ['aURLOfThis2Day', 'SECRET_A_URL_OF_THIS2_DAY'],
  ])('%s is handed over as %s', (name, variable) => {
    expect(secretVariables({ [name]: 'x' })).toEqual({ [variable]: 'x' });
  });

  test('that cannot be variables, or become the same one, are refused', () => {
    expect(() => secretVariables({ 'a-b': 'x' })).toThrow(/letters, digits/);
    expect(() => secretVariables({ a: 'x\0' })).toThrow(/zero byte/);
    expect(() => secretVariables({ myToken: '1', my_token: '2' })).toThrow(/both become SECRET_MY_TOKEN/);
  });

  test('cannot break out of the lines that set them', () => {
    expect(handover({ A: "'; reboot; '\n$(x)" }).toString()).toBe(`export A=''\\''; reboot; '\\''\n$(x)'\nexec "$@"\n`);
  });
});

test('a log comes out the same, however its bytes arrive', () => {
  const frame = (stream: number, text: string): Buffer => {
    const payload = Buffer.from(text);
    const header = Buffer.alloc(8);
    header[0] = stream;
    header.writeUInt32BE(payload.length, 4);
    return Buffer.concat([header, payload]);
  };
  const at = '2026-01-02T03:04:05.678901234Z ';
  const bytes = Buffer.concat([
    frame(1, `${at}first\n`),
    frame(1, `${at}a long `),
    frame(2, `${at}\u001eERROR oh\r\n`),
    frame(1, `${at}line é\n`),
    frame(2, `2026-01-02T04:04:05.6+01:00 no end`),
  ]);
  const read = (size: number): string[] => {
    const lines: string[] = [];
    const frames = new LogFrames(({ timestamp, severity, message }) =>
      lines.push(`${timestamp} ${severity} ${message}`),
    );
    for (let from = 0; from < bytes.length; from += size) frames.push(bytes.subarray(from, from + size));
    frames.end();
    return lines;
  };
  expect(read(1000)).toEqual([
    '2026-01-02T03:04:05.678Z INFO first',
    '2026-01-02T03:04:05.678Z ERROR oh',
    '2026-01-02T03:04:05.678Z INFO a long line é',
    '2026-01-02T03:04:05.600Z WARNING no end',
  ]);
  for (const size of [1, 3, 7]) expect(read(size)).toEqual(read(1000));
});

describe.skipIf(testEngine === null)('containers', () => {
  let bench: Bench;
  let image: string;
  beforeAll(async () => {
    image = await shellImage();
    bench = await openBench({
      containers: { socketPath: testEngine ?? '', network: 'none' },
      serviceNetworks: ['127.0.0.2/32'],
    });
  });
  afterAll(async () => {
    await until('no container is left', async () => (await containersWith(label())).length === 0);
    await bench.close();
  });

  const label = (): string => `kethub.installation=${installationOf(join(bench.dataDir, 'runtime')).id}`;
  const running = async (program: string, order: Order = {}) =>
    bench.startedWith('ready', { image }, { environment: { PROGRAM: program }, ...order });

  test('keep secrets out of what the engine knows and of its disk', async () => {
    const secret = randomUUID();
    const job = await running('echo ready; [ ${#SECRET_A} = 36 ] && echo known; sleep 60', {
      secrets: { a: secret },
    });
    const [name = ''] = await containersWith(label());
    const known = JSON.stringify(await engineOfTests().ask('GET', `/containers${name}/json`));
    expect(known).toContain(job.executionId);
    expect(known).not.toContain(secret);
    const { DockerRootDir } = (await engineOfTests().ask('GET', '/info')) as { DockerRootDir: string };
    const folders = [join(DockerRootDir, 'containers'), join(bench.dataDir, 'runtime', 'executions')];
    for (const folder of folders) {
      const contents = contentsBelow(folder);
      expect(contents).not.toEqual([]);
      expect(contents.filter((content) => content.includes(secret))).toEqual([]);
    }
    await until('it knows the secret', async () =>
      (await bench.log(job.executionId)).some(({ message }) => message === 'known'),
    );
    const ended = bench.ended(job.executionId);
    await bench.runtime.cancel(job.executionId);
    await ended;
  });

  test('outlive a runner that is killed: the next one goes on with the log, and holds the limits', async () => {
    const program =
      'for n in 1 2 3 4 5 6 7 8; do echo before $n; done; echo ready; sleep 3; echo after; echo 1 > /var/runtime/output/x';
    const endless = bench.jobOf({ image }, { environment: { PROGRAM: 'sleep 60' }, limits: { runTimeMs: 4_000 } });
    const executionId = randomUUID();
    const ends = [bench.ended(executionId), bench.ended(endless.executionId)];
    await running(program, { executionId });
    await bench.runtime.start(endless);
    process.kill((await bench.runtime.status()).runnerPid, 'SIGKILL');
    const [end, cut] = await Promise.all(ends);
    expect(end).toMatchObject({ outcome: 'SUCCEEDED', files: [{ name: 'x' }] });
    expect(cut).toMatchObject({ outcome: 'FAILED', cause: { type: 'RuntimeLimitExceeded' } });
    const log = (await bench.log(executionId)).map(({ message }) => message);
    expect(log).toEqual([...[1, 2, 3, 4, 5, 6, 7, 8].map((n) => `before ${n}`), 'ready', 'after']);
  });

  test('that are gone when the next runner comes are lost, and rests of this place are swept, of no other', async () => {
    const job = await running('echo ready; sleep 60');
    const other = await running('echo ready; sleep 60');
    const [name = ''] = (await containersWith(label())).filter((one) => one.includes(job.executionId));
    const stranger = `kethub-stranger-${randomUUID()}`;
    const description = { Image: image, Cmd: ['/bin/sleep', '60'], Labels: { 'kethub.installation': 'another' } };
    await engineOfTests().ask('POST', '/containers/create', { query: { name: stranger }, body: description });
    const leftover = `kethub-rest-${randomUUID()}`;
    const [key = '', value = ''] = label().split('=');
    const labels = { [key]: value, 'kethub.execution': 'nobody' };
    // A copy of the data folder has the same id.
    const ofCopy = `${installationOf(join(bench.dataDir, 'runtime')).repository}-${randomUUID()}.0`;
    for (const [name, more] of [
      [leftover, {}],
      [ofCopy, { 'kethub.place': 'copy' }],
    ] as const)
      await engineOfTests().ask('POST', '/containers/create', {
        query: { name },
        body: { ...description, Labels: { ...labels, ...more } },
      });
    const lost = bench.ended(job.executionId);
    const { runnerPid } = await bench.runtime.status();
    process.kill(runnerPid, 'SIGSTOP');
    await engineOfTests().ask('DELETE', `/containers${name}`, { query: { force: true } });
    process.kill(runnerPid, 'SIGKILL');
    await until('the runner is dead', () => !isAlive(runnerPid));
    expect((await lost).outcome).toBe('LOST');
    await until('the rest is swept', async () => (await containersWith(label())).length === 2);
    expect(await containersWith('kethub.place=copy')).toEqual([`/${ofCopy}`]);
    expect(await containersWith('kethub.installation=another')).toContain(`/${stranger}`);
    await until('the operator is told', async () => (await bench.runtime.status()).leftAlone !== null);
    expect((await bench.runtime.status()).leftAlone).toMatch(/containers from another place .*\(1\).*place=copy\)$/);
    for (const name of [stranger, ofCopy]) await engineOfTests().settle('DELETE', `/containers/${name}`);
    const ended = bench.ended(other.executionId);
    await bench.runtime.cancel(other.executionId);
    expect((await ended).outcome).toBe('CANCELLED');
  });

  test('of a data folder go on when a copy of it is started, which tells that it leaves them alone', async () => {
    const before = await running('echo ready; until [ -e /var/runtime/output/go ]; do sleep 0.1; done');
    const copy = await openBench({ containers: { socketPath: testEngine ?? '', network: 'none' } }, copyOf(bench));
    await until('it is told', async () => ((await copy.runtime.status()).leftAlone ?? null) !== null);
    const known = (await copy.runtime.list()).find(({ executionId }) => executionId === before.executionId);
    expect(known).toMatchObject({ end: { outcome: 'LOST' } });
    await copy.close();
    const ended = bench.ended(before.executionId);
    writeFileSync(join(bench.dataDir, 'runtime', 'executions', before.executionId, 'output', 'go'), '');
    expect((await ended).outcome).toBe('SUCCEEDED');
  });

  describe('with hosts', () => {
    let server: Server;
    let port: number;
    const asked: string[] = [];
    beforeAll(async () => {
      server = createServer((request, response) => {
        asked.push(`${request.headers.host}${request.url}`);
        response.end('hello');
      }).listen(0, '0.0.0.0');
      await new Promise((resolve) => server.once('listening', resolve));
      port = (server.address() as AddressInfo).port;
    });
    afterAll(() => server.close());
    beforeEach(() => void asked.splice(0));
    const declared = () => ({ hosts: [`127.0.0.2:${port}`, `127.0.0.3:${port}`] });
    const get = (host: string): string => `wget -q -O - http://${host}/x 2>&1 || true; echo`;
    const logOf = async (executionId: string): Promise<string[]> =>
      (await bench.log(executionId)).map(({ message }) => message).filter((line) => line !== '');

    test('reach these and no other, without a network of their own, and what is refused is in the log', async () => {
      const program = [
        get(`127.0.0.2:${port}`),
        get('example.org'),
        get(`127.0.0.3:${port}`),
        `unset http_proxy HTTP_PROXY; ${get(`127.0.0.2:${port}`)}`,
        'echo $(($(wc -l < /proc/net/dev) - 2)) interface',
      ];
      const end = await bench.run({ image }, { ...declared(), environment: { PROGRAM: program.join('\n') } });
      const log = await logOf(end.executionId);
      expect(log).toContain('hello');
      expect(log.filter((line) => / 403 /.test(line))).toHaveLength(2);
      expect(log.join('\n')).toMatch(/connect to remote host \(127.0.0.2\): Connection refused/);
      expect(log.join('\n')).toMatch(/A connection to example.org:80 was refused: this version has not declared/);
      expect(log.join('\n')).toMatch(/A connection to 127.0.0.3:\d+ was refused: .*private network/);
      expect(log).toContain('1 interface');
      expect(asked).toEqual([`127.0.0.2:${port}/x`]);
    });

    test('have no way out when none are declared', async () => {
      const program = `echo "[$http_proxy]"; http_proxy=http://127.0.0.1:3128 ${get(`127.0.0.2:${port}`)}`;
      const end = await bench.run({ image }, { environment: { PROGRAM: program } });
      expect((await logOf(end.executionId)).join('\n')).toMatch(/^\[\]\n.*Connection refused/);
      expect(asked).toEqual([]);
    });

    test('reach them again when their runner was killed, and the next one has taken over', async () => {
      const program = `echo ready; until [ "$(wget -q -O - http://127.0.0.2:${port}/after 2>/dev/null)" = hello ]; do
  sleep 0.2; done; echo reached`;
      const executionId = randomUUID();
      const ended = bench.ended(executionId);
      await running(program.replace('ready;', 'ready; sleep 1;'), { ...declared(), executionId });
      process.kill((await bench.runtime.status()).runnerPid, 'SIGKILL');
      expect(await ended).toMatchObject({ outcome: 'SUCCEEDED' });
      expect(await logOf(executionId)).toEqual(['ready', 'reached']);
    });
  });

  test('write to what their image made writable, over its content, within the limit of what they may leave', async () => {
    const folder = '/bin/busybox mkdir -p /cache/deep /closed; /bin/busybox echo kept > /cache/file';
    const owned = `RUN ["/bin/sh", "-c", "${folder}; /bin/busybox chown -R 1000:1000 /cache"]`;
    const own = await shellImage(engineOfTests(), [owned], 'kethub-test-writable:1');
    const run = async (program: string, limits: Order['limits'] = {}) => {
      const end = await bench.run({ image: own }, { environment: { PROGRAM: program }, limits });
      return { end, log: (await bench.log(end.executionId)).map(({ message }) => message) };
    };
    const uses = 'cat /cache/file; echo more >> /cache/file; cat /cache/file; echo x > /cache/deep/x && ls /cache/deep';
    // The second run sees nothing of the first.
    for (let time = 0; time < 2; time++) expect((await run(uses)).log).toEqual(['kept', 'kept', 'more', 'x']);
    const folders = ['/', '/bin', '/closed', '/etc', '/.kethub', '/var', '/var/runtime', '/var/runtime/input'];
    const tries = folders.map((folder) => `(echo x > ${folder}/x) 2>/dev/null && echo ${folder}`);
    expect((await run(`${tries.join('\n')}\n:`)).log).toEqual([]);
    const small = { outputBytes: 4 * MiB, outputFiles: 10 };
    const named =
      'for n in 1 2 3 4; do dd if=/dev/zero of=/cache/$n bs=1M count=5 2>/dev/null; done; echo ready; sleep 60';
    const nameless =
      'exec 7> /cache/big; rm /cache/big; dd if=/dev/zero bs=1M count=20 >&7 2>/dev/null; echo ready; sleep 60';
    for (const program of [named, nameless])
      expect((await run(program, small)).end).toMatchObject({
        outcome: 'FAILED',
        cause: { title: 'Output limit exceeded', detail: expect.stringMatching(/folders of its image/) },
      });
    await engineOfTests().settle('DELETE', '/images/kethub-test-writable:1');
  });

  const ending = async (program: string, order: Order = {}, of = image) => {
    const end = await bench.run({ image: of }, { environment: { PROGRAM: program }, ...order });
    return { end, log: (await bench.log(end.executionId)).map(({ message }) => message) };
  };

  test.each([
    [
      '{"type":"urn:x","title":"No","detail":"It went wrong","more":1}',
      { type: 'urn:x', title: 'No', detail: 'It went wrong', more: 1 },
    ],
    [
      '{"code":"E1","detail":"Only this"}',
      { type: 'ProgramFailed', title: 'The program failed', code: 'E1', detail: 'Only this' },
    ],
    ['{"value":1}', { title: 'Ended early', detail: expect.stringMatching(/exit code 3/) }],
    ['["detail"]', { title: 'Ended early' }],
    ['{"detail":1}', { title: 'Ended early' }],
  ])('that fail name their cause in output.json: %s', async (document, cause) => {
    const program = `echo '${document}' > /var/runtime/output/output.json; exit `;
    const { end } = await ending(`${program}3`);
    expect(end).toMatchObject({ outcome: 'FAILED', result: null, cause, files: [{ name: 'output.json' }] });
    const { end: well } = await ending(`${program}0`);
    expect(well).toMatchObject({ outcome: 'SUCCEEDED', cause: null, files: [{ name: 'output.json' }] });
  });

  test('may leave as many files as others beside their result', async () => {
    const program = 'cd /var/runtime/output; echo {} > output.json; touch a b c';
    const { end } = await ending(program, { limits: { outputFiles: 3 } });
    expect(end).toMatchObject({
      outcome: 'SUCCEEDED',
      files: [{ name: 'a' }, { name: 'b' }, { name: 'c' }, { name: 'output.json' }],
    });
    const { end: more } = await ending(`${program} d`, { limits: { outputFiles: 3 } });
    expect(more).toMatchObject({ outcome: 'FAILED', cause: { type: 'OutputLimitExceeded' } });
  });

  test('that do not read their input get an explanation, and those of the older contract what has changed', async () => {
    const input = { data: { a: 1 }, params: 2 };
    const read = 'cd /var/runtime/input; cat data.json params.json > /dev/null; echo done';
    expect((await ending(read, { input })).log).toEqual(['done']);
    expect((await ending('cat /var/runtime/input/params.json', { input })).log).toEqual([
      '2',
      'The program has not read all of its input in /var/runtime/input: data.json.',
    ]);
    expect((await ending('ls /var/runtime/input > /dev/null', { input })).log).toEqual([
      expect.stringMatching(/read nothing of its input .*data.json, params.json/),
      expect.stringMatching(/A container that reads \/var\/input/),
    ]);
    expect((await ending('true')).log).toEqual([]);
    const bundled = `RUN ["/bin/sh", "-c", "mkdir -p /var/input/data; echo 1 > /var/input/data/input.json"]`;
    const older = await shellImage(engineOfTests(), [bundled], 'kethub-test-older:1');
    const { end, log } = await ending('cat /var/input/data/input.json', { input }, older);
    expect(end.outcome).toBe('SUCCEEDED');
    expect(log).toEqual([
      '1',
      expect.stringMatching(/read nothing/),
      expect.stringMatching(/is of the older contract/),
    ]);
    await engineOfTests().settle('DELETE', '/images/kethub-test-older:1');
  });

  test('cannot make namespaces or mounts, raise their rights, or open other sockets', async () => {
    const end = await bench.run(
      { image },
      {
        environment: {
          PROGRAM: `for try in "unshare -U true" "unshare -n true" "mount -t tmpfs x /tmp" "chroot / true" "su -c true" "nc -l -p 80"; do
  if $try 2>/dev/null; then echo "$try: done"; fi
done; echo asked`,
        },
      },
    );
    expect((await bench.log(end.executionId)).map(({ message }) => message)).toEqual(['asked']);
  });
});

/** The contents of all files below a folder. Other containers and their files may vanish meanwhile. */
function contentsBelow(folder: string): string[] {
  return unlessGone(() => readdirSync(folder, { withFileTypes: true }), []).flatMap((entry) => {
    const found = join(folder, entry.name);
    if (entry.isDirectory()) return contentsBelow(found);
    return entry.isFile() ? [unlessGone(() => readFileSync(found, 'latin1'), '')] : [];
  });
}

function unlessGone<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return otherwise;
    throw error;
  }
}
