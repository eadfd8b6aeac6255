import { once } from 'node:events';
import http from 'node:http';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { databases } from '../../testing/databases.ts';
import { callerOf, type Caller } from '../../testing/gateway.ts';
import { deploy, startTestKethub, type DeployedService, type TestKethub } from '../../testing/kethub.ts';

const LINES = 15_000;
/** More bytes than fit on the way between two machines: a slow reader stops the stream. */
const WIDTH = 400;

const wait = { timeout: 30_000, interval: 50 };

const service = {
  'src/__init__.py': '',
  'src/program.py': `
import os, pathlib, signal, sys, time


def run(lines=0, width=0, kill=False, partial="", files=None, seconds=0):
    for name, text in (files or {}).items():
        (pathlib.Path("/var/runtime/output") / name).write_text(text)
    for line in range(lines):
        print(f"{line} {'x' * width}")
        if line % 5_000 == 0:
            time.sleep(0.05)
    time.sleep(seconds)
    if partial:
        sys.stdout.write(partial)
        sys.stdout.flush()
    if kill:
        os.kill(os.getpid(), signal.SIGKILL)
    return {}
`,
};

describe.each(databases())('who reads logs and files on $name', (kind) => {
  let kethub: TestKethub;
  let deployed: DeployedService;
  let app: Caller;

  beforeAll(async () => {
    kethub = await startTestKethub(kind, { KETHUB_LOG_READERS_PER_LOG: '5', KETHUB_WAITS_PER_CALLER: '3' });
    deployed = await deploy(kethub.client, 'Writer', service);
    app = await callerOf(deployed);
  });
  afterAll(() => kethub.close());

  const follow = async (id: string): Promise<http.IncomingMessage> => {
    const headers = { authorization: `Bearer ${app.bearer}`, accept: 'text/event-stream' };
    const request = http.get(`${deployed.endpoint}/${id}/log`, { headers });
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    return response.setEncoding('utf8');
  };
  /** The numbers of the lines, in the order in which they came. */
  const numbersIn = (text: string): number[] =>
    [...text.matchAll(/"message":"(\d+) x/g)].map(([, number]) => Number(number));
  const all = Array.from({ length: LINES }, (_, line) => line);

  test('several follow a log to its last line, in order; one that does not read holds up neither them nor the execution', async () => {
    const { id } = await app.start({ lines: LINES, width: WIDTH });
    const slow = await follow(id);
    slow.pause();
    const texts = await Promise.all(
      Array.from({ length: 3 }, async () => {
        let text = '';
        for await (const part of await follow(id)) text += part;
        return text;
      }),
    );
    for (const text of texts) {
      expect(numbersIn(text)).toEqual(all);
      expect(text).toContain('event: end');
    }
    const { body } = await app.request('GET', `/${id}`, { headers: { prefer: 'wait=60' } });
    expect(body).toMatchObject({ status: 'SUCCEEDED' });
    // The rest of the log comes from storage.
    expect(slow.readableEnded).toBe(false);
    let text = '';
    for await (const part of slow) text += part;
    expect(numbersIn(text)).toEqual(all);
    expect(text).toContain('event: end');
  });

  test('more followers and waits than are allowed are refused, and accepted when others have ended', async () => {
    const { id } = await app.start({ seconds: 600 });
    const followers = await Promise.all(Array.from({ length: 5 }, async () => follow(id)));
    const refused = await app.request('GET', `/${id}/log`);
    expect([refused.status, refused.body]).toEqual([429, expect.objectContaining({ title: 'Too many readers' })]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    followers[0]?.destroy();
    await vi.waitFor(async () => expect((await app.request('GET', `/${id}/log`)).status).toBe(200), wait);
    for (const follower of followers) follower.destroy();

    // Once it runs, nothing changes until it is cancelled.
    const status = (seconds: number) => app.request('GET', `/${id}`, { headers: { prefer: `wait=${seconds}` } });
    await vi.waitFor(async () => expect((await status(0)).body).toMatchObject({ status: 'RUNNING' }), wait);
    // Nobody knows which of four that are sent at once is the last to arrive.
    const waiting = Array.from({ length: 4 }, async () => status(60));
    const unwaited = await Promise.race(waiting);
    expect([unwaited.status, unwaited.headers.get('preference-applied')]).toEqual([200, null]);
    await app.request('PUT', `/${id}/cancel`);
    const ended = (await Promise.all(waiting)).filter((answer) => answer !== unwaited);
    expect(ended).toHaveLength(3);
    for (const { body, headers } of ended) {
      expect(body).toMatchObject({ status: 'CANCELLED' });
      expect(headers.get('preference-applied')).toBe('wait=60');
    }
  });

  test('the log of a program that is killed has its last line, also when it was not yet whole', async () => {
    const { id, status } = await app.finish({ lines: 300, width: 1, partial: 'half a li', kill: true });
    expect(status).toBe('FAILED');
    const { text } = await app.request('GET', `/${id}/log`, { headers: { accept: 'text/plain' } });
    const lines = text.trimEnd().split('\n');
    expect(lines.slice(0, 300)).toEqual(Array.from({ length: 300 }, (_, line) => `${line} x`));
    expect(lines[300]).toBe('half a li');
    expect(lines.at(-1)).toContain('SIGKILL');
  });

  describe('files', () => {
    let id: string;
    beforeAll(async () => {
      ({ id } = await app.finish({
        files: { 'a.txt': '0123456789', 'page.HTML': '<script>', 'x.svg': '<svg/>', none: '', "it's (1).csv": '1' },
      }));
    });
    const get = (name: string, headers: Record<string, string> = {}, method = 'GET') =>
      app.request(method, `/${id}/result/${encodeURIComponent(name)}`, { headers });

    test.each([
      ['bytes=0-3', 206, '0123', 'bytes 0-3/10'],
      ['bytes=4-', 206, '456789', 'bytes 4-9/10'],
      ['bytes=-2', 206, '89', 'bytes 8-9/10'],
      ['bytes=8-100', 206, '89', 'bytes 8-9/10'],
      ['bytes=-100', 206, '0123456789', 'bytes 0-9/10'],
      ['bytes=10-', 416, null, 'bytes */10'],
      ['bytes=-0', 416, null, 'bytes */10'],
      // A server may ignore several ranges, other units and nonsense.
      ['bytes=0-1,4-5', 200, '0123456789', null],
      ['lines=0-1', 200, '0123456789', null],
      ['bytes=3-1', 200, '0123456789', null],
    ])('Range: %s is %d', async (range, status, text, contentRange) => {
      const answer = await get('a.txt', { range });
      expect([answer.status, answer.headers.get('content-range')]).toEqual([status, contentRange]);
      if (text === null) return;
      expect(answer.text).toBe(text);
      expect(answer.headers.get('content-length')).toBe(String(text.length));
    });

    test('If-Range and If-None-Match go by the ETag', async () => {
      const whole = await get('a.txt');
      const tag = whole.headers.get('etag') ?? '';
      expect(whole.headers.get('accept-ranges')).toBe('bytes');
      expect((await get('a.txt', { range: 'bytes=0-0', 'if-range': tag })).text).toBe('0');
      expect((await get('a.txt', { range: 'bytes=0-0', 'if-range': '"other"' })).text).toBe('0123456789');
      expect((await get('a.txt', { 'if-none-match': tag })).status).toBe(304);
      expect((await get('x.svg')).headers.get('etag')).not.toBe(tag);
    });

    test.each([
      ['a.txt', 'text/plain; charset=utf-8', 'a.txt'],
      ['page.HTML', 'text/html; charset=utf-8', 'page.HTML'],
      ['x.svg', 'image/svg+xml', 'x.svg'],
      ['none', 'application/octet-stream', 'none'],
      ["it's (1).csv", 'text/csv; charset=utf-8', 'it%27s%20%281%29.csv'],
    ])('%s is %s, an attachment, and not guessed at', async (name, type, encoded) => {
      const { headers, status } = await get(name);
      expect(status).toBe(200);
      expect(headers.get('content-type')).toBe(type);
      expect(headers.get('content-disposition')).toBe(`attachment; filename*=UTF-8''${encoded}`);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toContain('sandbox');
    });

    test('HEAD on the platform interface answers size and type', async () => {
      const address = `${kethub.kethub.platform.addresses.api}/service-executions/${id}/result/a.txt`;
      const answer = await fetch(address, {
        method: 'HEAD',
        headers: { authorization: `Bearer ${kethub.loginSession}` },
      });
      expect([answer.status, answer.headers.get('content-length'), await answer.text()]).toEqual([200, '10', '']);
    });
  });
});
