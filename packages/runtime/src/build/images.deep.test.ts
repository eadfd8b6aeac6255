import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, readdirSync, rmSync, mkdtempSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ZipFile } from 'yazl';
import { BUSYBOX } from '../containers/check.ts';
import { containersWith, engineOfTests, testEngine } from '../testing/images.ts';
import { openBench, type Order } from '../testing/bench.ts';
import type { LogLine } from '../types.ts';
import { checkDockerfile } from './dockerfile.ts';
import type { ImageLimits } from './image-build.ts';
import { createImageBuilder } from './image-builder.ts';
import type { BuildOutcome, BuiltImage } from './outcome.ts';

const MiB = 2 ** 20;
const MODIFIED = new Date(2026, 0, 1);
/** A label of everything that this file builds. Other tests build at the same engine. */
const LABEL = `kethub-test=${randomUUID()}`;
const SHELL = [
  'FROM scratch',
  `LABEL ${LABEL}`,
  'COPY busybox /bin/busybox',
  'RUN ["/bin/busybox", "--install", "-s", "/bin"]',
];

describe('a Dockerfile for a build without network', () => {
  const check =
    (text: string, network = false) =>
    () =>
      checkDockerfile('Dockerfile', text, { network });

  test.each([
    'FROM scratch\nADD --chown=1000:1000 data/*.csv /data/',
    'FROM x\nadd ["a b", "/c"]',
    'RUN apt-get install \\\n    curl\\\n    git',
    'RUN echo ADD http://x',
    'FROM --platform=linux/amd64 python:3.12-slim AS build',
    'ARG V=3.12\nFROM python:${V}-slim\nFROM debian\nFROM ada:1\nFROM registry:5000/ab@sha256:00',
    'FROM scratch\nCOPY --from=0 / /\nCOPY --from=build --chown=1000:1000 a b /x\nCOPY ["a b", "/x"]\nCOPY . .',
  ])('%j is taken', (text) => {
    expect(check(text)).not.toThrow();
  });

  test.each([
    ['an address', 'FROM x\nADD http://169.254.169.254/latest /x', 2],
    ['in small letters', 'add https://example.org/a /x', 1],
    ['behind a variable', 'ARG A=http\nADD ${A}://example.org/a /x', 2],
    ['on the next line', 'ADD \\\n http://example.org/a /x', 1],
    ['with a name in two parts', 'AD\\\nD http://example.org/a /x', 1],
    ['with another escape', '# escape=`\nADD`\n http://example.org/a /x', 2],
    ['for later', 'FROM x AS a\nONBUILD ADD http://example.org/a /x', 2],
    ['escaped in JSON', String.raw`ADD ["http:\u002f\u002fexample.org", "/x"]`, 1],
    ['from Git', 'ADD git@github.com:a/b.git /x', 1],
    ['behind a carriage return', 'FROM x\rADD http://example.org/a /x', 2],
    ['behind a space of Go', 'FROM x\n\u0085ADD http://example.org/a /x', 2],
  ])('ADD %s is refused, with its line', (_name, text, line) => {
    expect(check(text)).toThrow(new RegExp(`^Dockerfile, line ${line}: `));
  });

  // `FROM d` names any image at the engine whose id begins with d, also one of another owner.
  test.each([
    ['FROM d', 1],
    ['FROM scratch\nFROM sha256:D AS x', 2],
    ['FROM "d"', 1],
    ['FROM \\\nd', 1],
    ['FR\\\nOM d', 1],
    ['FROM\u000bd', 1],
    ['\u0085FROM d', 1],
    ['ARG A=d\nFROM $A', 2],
    ['ARG A=d\nFROM ${A}', 2],
    ['ARG A=d\nFROM ${A:-${B}}', 2],
    ['ARG A=a256:d\nFROM sh${A}', 2],
    ['ARG A=sha256\nFROM ${A}:d', 2],
    ['RUN echo \\\nFROM scratch AS d\nCOPY --from=d / /', 3],
    ['COPY --from=d / /', 1],
    ['COPY --from=D / /', 1],
    ['COPY --from=0000 / /', 1],
    ['COPY --chown=1:1 --from=sha256:d / /', 1],
    ['COPY --fr"om"=d / /', 1],
    ['COPY --f\\rom=d / /', 1],
    ['COPY --chown=1 \\\n--from=d / /', 1],
    ['COPY \\\n--from=d / /', 1],
    ['CO\\\nPY --from=d / /', 1],
    ['ONBUILD COPY --from=d / /', 1],
    ['ONBUI\\\nLD COPY --from=d / /', 1],
    ['RUN --mount=type=bind,from=d,target=/x true', 1],
    ['FROM dir:/etc', 1],
  ])(
    '%j, which could take the image of somebody else, is refused with its line, whatever the network',
    (text, line) => {
      for (const network of [false, true])
        expect(check(text, network)).toThrow(new RegExp(`^Dockerfile, line ${line}: `));
    },
  );
});

describe.skipIf(testEngine === null)('images', () => {
  let dataDir: string;
  beforeAll(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'kethub-images-'));
    mkdirSync(join(dataDir, 'runtime'));
  });
  afterAll(async () => {
    await builder().sweep(async () => Promise.resolve(new Set()));
    expect(readdirSync(join(dataDir, 'runtime', 'drafts'))).toEqual([]);
    rmSync(dataDir, { recursive: true });
  });

  const builder = (limits: Partial<ImageLimits> = {}) =>
    createImageBuilder({ dataDir, socketPath: testEngine ?? '', network: 'none', limits });

  async function build(
    files: Record<string, string>,
    limits: Partial<ImageLimits> = {},
    signal = new AbortController().signal,
  ): Promise<{ outcome: BuildOutcome<BuiltImage>; log: string; digest: string }> {
    const archive = new ZipFile();
    archive.addFile(BUSYBOX, 'busybox', { mode: 0o100755, mtime: MODIFIED });
    for (const [name, text] of Object.entries(files)) archive.addBuffer(Buffer.from(text), name, { mtime: MODIFIED });
    archive.end();
    const zip = await buffer(archive.outputStream);
    const digest = createHash('sha256').update(zip).digest('hex');
    const lines: LogLine[] = [];
    const outcome = await builder(limits).build(Readable.from([zip]), digest, (line) => lines.push(line), signal);
    return { outcome, log: lines.map(({ severity, message }) => `${severity} ${message}`).join('\n'), digest };
  }

  const dangling = async (): Promise<number> => {
    const query = { filters: JSON.stringify({ dangling: ['true'], label: [LABEL] }) };
    return ((await engineOfTests().ask('GET', '/images/json', { query })) as unknown[]).length;
  };
  const expectNothingLeft = async (): Promise<void> => {
    expect(await dangling()).toBe(0);
    expect(await containersWith(LABEL)).toEqual([]);
  };

  test('are built once, with a whole log, and removed when nobody needs their source', async () => {
    const Dockerfile = [
      ...SHELL,
      'RUN echo to-out && echo to-err >&2',
      'FROM scratch',
      'COPY --from=0 / /',
      'CMD ["/bin/true"]',
    ];
    const { outcome, log, digest } = await build({ Dockerfile: Dockerfile.join('\n') });
    expect(outcome).toMatchObject({ ok: true, built: { parameters: [], result: null } });
    for (const line of ['INFO Step 1/11 : FROM scratch', 'INFO to-out', 'WARNING to-err']) expect(log).toContain(line);
    await expectNothingLeft();
    // With the key one could build on other people's images.
    expect(log).not.toContain(readFileSync(join(dataDir, 'runtime', 'installation.key'), 'latin1'));
    const again = await build({ Dockerfile: Dockerfile.join('\n') });
    expect(again).toMatchObject({ outcome, log: 'INFO This image is already built.' });

    const image = outcome.ok ? outcome.built.image : '';
    await builder().sweep(async (digests) => Promise.resolve(new Set(digests)));
    expect(await builder().isPresent({ image })).toBe(true);
    const asked: string[] = [];
    await builder().sweep(async (digests) => {
      asked.push(...digests);
      return Promise.resolve(new Set());
    });
    expect(asked).toEqual([digest]);
    expect(await builder().isPresent({ image })).toBe(false);
    await expectNothingLeft();
  });

  test('keep the content of folders declared as VOLUME; each run writes to a copy of its own, within its limits', async () => {
    const Dockerfile = [
      ...SHELL,
      'RUN mkdir -p /data/deep /model /empty; echo kept > /data/file; echo x > /model/x; chown -R 1000:1000 /data',
      'VOLUME /data /model/ /empty /absent /var/runtime/output',
      'CMD ["/bin/sh", "-c", "eval \\"$PROGRAM\\""]',
    ];
    const { outcome, log, digest } = await build({ Dockerfile: Dockerfile.join('\n') });
    if (!outcome.ok) throw new Error(log);
    expect(log).toContain('INFO Each execution begins with the content of /data, /model/, declared as VOLUME.');
    const { image } = outcome.built;
    const { Config } = (await engineOfTests().ask('GET', `/images/${image}/json`)) as {
      Config: { Volumes: object; Labels: Record<string, string>; Cmd: string[] };
    };
    expect(Object.keys(Config.Volumes).toSorted()).toEqual(['/absent', '/empty', '/var/runtime/output']);
    expect(Config.Labels).toMatchObject({ 'kethub.source': digest });
    await expectNothingLeft();
    const bench = await openBench({ containers: { socketPath: testEngine ?? '', network: 'none' } });
    try {
      const run = async (program: string, limits: Order['limits'] = {}) => {
        const end = await bench.run({ image }, { environment: { PROGRAM: program }, limits });
        return { end, lines: (await bench.log(end.executionId)).map(({ message }) => message) };
      };
      const folders = ['/data', '/data/deep', '/model', '/empty', '/absent', '/var/runtime/output'];
      const write = folders.map((folder) => `(echo x > ${folder}/new) 2>/dev/null && echo ${folder}`).join('\n');
      const uses = `cat /data/file /model/x; echo more >> /data/file; ls /data /empty; ${write}`;
      const writable = folders.filter((folder) => folder !== '/model');
      // The second run sees nothing of the first.
      for (let time = 0; time < 2; time++)
        expect((await run(uses)).lines).toEqual(['kept', 'x', '/data:', 'deep', 'file', '', '/empty:', ...writable]);
      const fill = 'dd if=/dev/zero of=/data/big bs=1M count=20 2>/dev/null; sleep 60';
      expect((await run(fill, { outputBytes: 4 * 2 ** 20 })).end).toMatchObject({
        outcome: 'FAILED',
        cause: { title: 'Output limit exceeded', detail: expect.stringMatching(/folders of its image/) },
      });
      const volumes = (await engineOfTests().ask('GET', '/volumes')) as { Volumes: unknown[] | null };
      expect(volumes.Volumes ?? []).toEqual([]);
    } finally {
      await bench.close();
    }
  });

  test.each([
    [
      'a command fails',
      { Dockerfile: [...SHELL, 'RUN echo before; exit 3'].join('\n') },
      'image-build-failed',
      /code: 3/,
    ],
    [
      'a command wants the network',
      { Dockerfile: [...SHELL, 'RUN wget -T 3 http://1.1.1.1/'].join('\n') },
      'image-build-failed',
      /code: 1/,
    ],
    ['an instruction is unknown', { Dockerfile: 'FROM scratch\nFETCH x' }, 'image-build-failed', /FETCH/],
    ['a file is outside', { Dockerfile: 'FROM scratch\nCOPY ../../etc/passwd /x' }, 'image-build-failed', /passwd/],
    ['nothing would run', { Dockerfile: 'FROM scratch\nCOPY busybox /x' }, 'image-without-command', /CMD/],
    ['there is no Dockerfile', { 'a/Dockerfile': 'FROM scratch' }, 'dockerfile-missing', /no Dockerfile/],
  ])('are not built when %s; the problem says why, and nothing stays', async (_name, files, code, words) => {
    const { outcome } = await build(files);
    expect(outcome).toMatchObject({ ok: false, problem: { code } });
    expect(outcome.ok ? '' : outcome.problem.detail).toMatch(words);
    await expectNothingLeft();
  });

  test.each([
    ['time', 'RUN while true; do echo on; sleep 0.1; done', { buildMs: 3_000 }, 'image-limit-exceeded'],
    ['one file', 'RUN dd if=/dev/zero of=/a bs=1M count=30', { imageBytes: 20 * MiB }, 'image-build-failed'],
    ['size', 'RUN dd if=/dev/zero of=/a bs=1M count=15 && cp /a /b', { imageBytes: 20 * MiB }, 'image-limit-exceeded'],
    [
      'disk',
      'RUN dd if=/dev/zero of=/a bs=1M count=300 && sync && sleep 60',
      // The limit is low enough that space which others free on this disk meanwhile cannot hide the growth.
      { diskBytes: 50 * MiB },
      'image-limit-exceeded',
    ],
    ['memory', 'RUN head -c 99m /dev/zero | tail -c 90m > /dev/null', { memoryBytes: 32 * MiB }, 'image-build-failed'],
  ])('that know no bounds of %s are ended', async (_name, command, limits, code) => {
    const { outcome } = await build({ Dockerfile: [...SHELL, command].join('\n') }, limits);
    expect(outcome).toMatchObject({ ok: false, problem: { code } });
    await expectNothingLeft();
  });

  test.each([1, 1_500])('a build that is ended after %d ms leaves nothing', async (after) => {
    const abort = new AbortController();
    const ended = build({ Dockerfile: [...SHELL, 'RUN sleep 60'].join('\n') }, {}, abort.signal);
    setTimeout(() => {
      abort.abort();
    }, after);
    await expect(ended).rejects.toThrow(/abort/i);
    await expectNothingLeft();
  });
});
