import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { member, type Caller } from './gateway.ts';

/** Allows for a busy machine. */
const patient = { timeout: 30_000 };
const TIMESTAMP = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/;
const UNKNOWN_ID = '01900000-0000-7000-8000-000000000000';

/** A service that runs `probe`, two executions at a time, behind the managed-service interface. */
interface ConformanceSubject {
  /** The service endpoint, without a slash at its end. */
  readonly endpoint: string;
  readonly app: Caller;
  /** The members of a status object that say what was run, and for whom. */
  readonly ids: object;
  /** The address at which an address of the interface is called. */
  at(address: string): string;
  /** Executions whose processes, or what they left, are still there. */
  leftovers(): Promise<number>;
  /** Everything that is stored of an execution. */
  stored(id: string): Promise<string>;
  close(): Promise<void>;
}

/** Tests the seven operations. The gateway and the local development server pass the same tests. */
export function describeManagedService(name: string, start: () => Promise<ConformanceSubject>): void {
  describe(`the managed-service interface of ${name}`, () => {
    let subject: ConformanceSubject;
    let service: ConformanceSubject;
    let app: Caller;
    beforeAll(async () => {
      subject = await start();
      service = subject;
      ({ app } = subject);
    });
    afterAll(() => subject.close());

    const ids = () => subject.ids;

    describe('POST /', () => {
      test('answers 201 with Location and the status object, whatever the slashes', async () => {
        for (const slashes of ['', '/', '//']) {
          const answer = await app.request('POST', slashes, { body: '{}' });
          expect(answer.status).toBe(201);
          const id = member(answer.body, 'id');
          expect(answer.headers.get('location')).toBe(`${service.endpoint}/${id}`);
          expect(answer.body).toEqual({ id, status: 'PENDING', createdAt: expect.stringMatching(TIMESTAMP), ...ids() });
        }
      });

      test('with Prefer: wait answers with the end', async () => {
        const execution = await app.finish({ data: 1 });
        expect(execution).toEqual({
          id: expect.any(String),
          status: 'SUCCEEDED',
          createdAt: expect.stringMatching(TIMESTAMP),
          startedAt: expect.stringMatching(TIMESTAMP),
          endedAt: expect.stringMatching(TIMESTAMP),
          ...ids(),
        });
      });

      test('with Prefer: wait that is too short answers with the status object as it is', async () => {
        const body = JSON.stringify({ params: { sleep: 30 } });
        let status = 'PENDING';
        // A busy machine may begin the execution only after the wait.
        while (status === 'PENDING') {
          const answer = await app.request('POST', '/', { body, headers: { prefer: 'wait=1' } });
          expect(answer.status).toBe(201);
          status = member(answer.body, 'status');
          await app.request('PUT', `/${member(answer.body, 'id')}/cancel`);
        }
        expect(status).toBe('RUNNING');
      });

      test('with the same Idempotency-Key starts once', async () => {
        const options = { body: '{"data": 7}', headers: { 'idempotency-key': 'once' } };
        const [first, second] = [await app.request('POST', '/', options), await app.request('POST', '/', options)];
        expect(second.body).toEqual(first.body);
        const other = await app.request('POST', '/', { ...options, body: '{"data": 8}' });
        expect(other.status).toBe(422);
      });

      test.each([
        ['broken JSON', '{"data": ', 400, 'malformed-json'],
        ['an empty body', '', 400, 'malformed-json'],
        ['an array', '[]', 400, 'input-not-an-object'],
        ['null', 'null', 400, 'input-not-an-object'],
        ['a number', '7', 400, 'input-not-an-object'],
        ['secrets that are no object', '{"$secrets": []}', 400, 'invalid-secrets'],
        ['a secret that is no string', '{"$secrets": {"token": 1}}', 400, 'invalid-secrets'],
      ])('refuses %s', async (_what, body, status, code) => {
        const answer = await app.request('POST', '/', { body });
        expect(answer.status).toBe(status);
        expect(answer.headers.get('content-type')).toContain('application/problem+json');
        expect(member(answer.body, 'type')).toMatch(new RegExp(`/problems/${code}$`));
      });

      test('refuses an input that does not fit the signature, with each place', async () => {
        const answer = await app.request('POST', '/', { body: '{"data": {}, "shots": "many"}' });
        expect(answer.status).toBe(400);
        expect(member(answer.body, 'type')).toMatch(/\/problems\/invalid-request$/);
        expect(answer.body).toMatchObject({ errors: [{ pointer: '/shots', detail: expect.any(String) }] });
      });

      test('refuses a body of 17 MiB with 413 and one that is not JSON with 415', async () => {
        const large = await app.request('POST', '/', { body: `{"data": "${'x'.repeat(17 * 1024 * 1024)}"}` });
        expect(large.status).toBe(413);
        const text = await app.request('POST', '/', { body: 'data', headers: { 'content-type': 'text/plain' } });
        expect(text.status).toBe(415);
      });
    });

    describe('GET /{id}', () => {
      test('has an ETag, answers 304 to it, and waits for a change', async () => {
        const { id } = await app.start({ params: { sleep: 0.2 } });
        const seen: string[] = [];
        for (let status = 'PENDING', tag = ''; status === 'PENDING' || status === 'RUNNING';) {
          const answer = await app.request('GET', `/${id}`, { headers: { prefer: 'wait=20', 'if-none-match': tag } });
          if (answer.status === 304) continue;
          status = member(answer.body, 'status');
          tag = answer.headers.get('etag') ?? '';
          seen.push(status);
        }
        expect(seen.at(-1)).toBe('SUCCEEDED');
        const last = await app.request('GET', `/${id}//`);
        const again = await app.request('GET', `/${id}`, {
          headers: { 'if-none-match': last.headers.get('etag') ?? '' },
        });
        expect([last.status, again.status]).toEqual([200, 304]);
      });

      test.each(['', '/result', '/log'])('answers 404 to an unknown id at /{id}%s', async (path) => {
        const answer = await app.request('GET', `/${UNKNOWN_ID}${path}`);
        expect([answer.status, member(answer.body, 'type')]).toEqual([
          404,
          expect.stringMatching(/execution-not-found$/),
        ]);
        expect((await app.request('GET', `/not-an-id${path}`)).status).toBe(400);
      });
    });

    describe('GET /{id}/result', () => {
      test('has the result at the root, and the HAL members', async () => {
        const { id } = await app.finish({ params: { return: { cut: 3 }, files: { 'a.svg': '<svg/>', 'b.xyz': 'b' } } });
        const answer = await app.request('GET', `/${id}/result`);
        const status = { href: `${service.endpoint}/${id}` };
        expect(answer.body).toEqual({
          cut: 3,
          _links: {
            self: { href: `${status.href}/result` },
            status,
            'a.svg': { href: `${status.href}/result/a.svg` },
            'b.xyz': { href: `${status.href}/result/b.xyz` },
          },
          _embedded: { status: (await app.request('GET', `/${id}`)).body },
        });
        const svg = await app.request('GET', `/${id}/result/a.svg`);
        expect([svg.text, svg.headers.get('content-type')]).toEqual(['<svg/>', 'image/svg+xml']);
        expect(svg.headers.get('x-content-type-options')).toBe('nosniff');
        const other = await app.request('GET', `/${id}/result/b.xyz`);
        expect([other.text, other.headers.get('content-type')]).toEqual(['b', 'application/octet-stream']);
        expect((await app.request('GET', `/${id}/result/c.txt`)).status).toBe(404);
        expect((await app.request('GET', `/${id}/result/..%2Fresult`)).status).toBe(404);
      });

      test.each([
        ['a number', 7],
        ['null', null],
        ['a list', [1, 2]],
      ])('serves %s under the key result', async (_what, value) => {
        const { id } = await app.finish({ params: { return: value } });
        expect((await app.request('GET', `/${id}/result`)).body).toMatchObject({ result: value });
      });

      test('keeps every digit, and gives no way to forge the HAL members', async () => {
        const digits = '123456789012345678901234567890';
        const started = await app.request('POST', '/', { body: `{"data": ${digits}}`, headers: { prefer: 'wait=60' } });
        const { text } = await app.request('GET', `/${member(started.body, 'id')}/result`);
        expect(text).toContain(`"data": ${digits}`.replace(' ', text.includes(': ') ? ' ' : ''));
        const { id } = await app.finish({ params: { return: { _links: 'forged', _embedded: 1, cut: 1 } } });
        const forged = await app.request('GET', `/${id}/result`);
        expect(forged.body).toMatchObject({ cut: 1, _links: { self: {} }, _embedded: { status: { id } } });
      });

      test('serves a large result whole', async () => {
        const large = 'x'.repeat(500_000);
        const { id } = await app.finish({ params: { return: { large } } });
        expect((await app.request('GET', `/${id}/result`)).body).toMatchObject({
          large,
          _embedded: { status: { id } },
        });
      });

      test('of a failed execution is 200 with the cause at the root', async () => {
        const { id, status } = await app.finish({ params: { raise: 'no such graph' } });
        expect(status).toBe('FAILED');
        const answer = await app.request('GET', `/${id}/result`);
        expect(answer.status).toBe(200);
        expect(answer.body).toMatchObject({
          type: 'ValueError',
          title: expect.any(String),
          detail: 'no such graph',
          _links: { self: { href: expect.any(String) } },
          _embedded: { status: { id, status: 'FAILED' } },
        });
        const log = await app.request('GET', `/${id}/log`, { headers: { accept: 'text/plain' } });
        expect(log.text).toContain('Traceback');
      });

      test('before the end is 404 result-not-available', async () => {
        const { id } = await app.start({ params: { sleep: 30 } });
        const answer = await app.request('GET', `/${id}/result`);
        expect([answer.status, member(answer.body, 'type')]).toEqual([
          404,
          expect.stringMatching(/result-not-available$/),
        ]);
        await app.request('PUT', `/${id}/cancel`);
      });
    });

    describe('GET /{id}/log', () => {
      test('is an array of entries, bare lines, or events, as asked for', async () => {
        const { id } = await app.finish({ params: { print: ['one', 'two'], warn: 'careful' } });
        const json = await app.request('GET', `/${id}/log`);
        const entry = (severity: string, message: unknown) => ({ timestamp: expect.any(String), severity, message });
        expect(json.body).toEqual([
          entry('INFO', 'one'),
          entry('INFO', 'two'),
          entry('WARNING', expect.stringContaining('careful')),
        ]);
        const plain = await app.request('GET', `/${id}/log`, { headers: { accept: 'text/plain' } });
        expect(plain.text).toMatch(/^one\ntwo\n.*careful.*\n$/);
        const events = await app.request('GET', `/${id}/log`, { headers: { accept: 'text/event-stream' } });
        expect(events.text.match(/^data: .*/gm)).toHaveLength(4);
        const ids = [...events.text.matchAll(/^id: (\d+)/gm)].map(([, position]) => position ?? '');
        const remaining = await app.request('GET', `/${id}/log`, {
          headers: { accept: 'text/event-stream', 'last-event-id': ids[1] ?? '' },
        });
        expect(remaining.text.match(/"message":"[^"]*/g)).toEqual([expect.stringContaining('careful')]);
        expect((await app.request('GET', `/${id}/log`, { headers: { accept: 'image/png' } })).status).toBe(406);
      });

      test('is followed while the code runs, to its end', async () => {
        const { id } = await app.start({ params: { print: ['first'], sleep: 5, return: 1 } });
        const response = await fetch(subject.at(`${service.endpoint}/${id}/log`), {
          headers: { authorization: `Bearer ${app.bearer}`, accept: 'text/event-stream' },
        });
        let text = '';
        let statusAtFirstLine = '';
        for await (const chunk of response.body ?? []) {
          text += Buffer.from(chunk).toString();
          if (statusAtFirstLine === '' && text.includes('first'))
            statusAtFirstLine = member((await app.request('GET', `/${id}`)).body, 'status');
        }
        expect(statusAtFirstLine).toBe('RUNNING');
        expect(text).toContain('event: end');
      });
    });

    describe('PUT /{id}/cancel', () => {
      test('ends what runs and what waits, is repeatable, and leaves what has ended as it is', async () => {
        const running = [await app.start({ params: { sleep: 600 } }), await app.start({ params: { sleep: 600 } })];
        const pending = await app.start({ params: { sleep: 600 } });
        const statusOf = async (id: string) => member((await app.request('GET', `/${id}`)).body, 'status');
        for (const { id } of running) await expect.poll(() => statusOf(id), patient).toBe('RUNNING');
        expect(await statusOf(pending.id)).toBe('PENDING');
        for (const { id } of [pending, ...running]) {
          const first = await app.request('PUT', `/${id}/cancel`);
          expect([first.status, member(first.body, 'status')]).toEqual([200, 'CANCELLED']);
          expect((await app.request('PUT', `/${id}/cancel`)).status).toBe(200);
          expect((await app.request('GET', `/${id}/result`)).body).toMatchObject({ title: 'Cancelled' });
        }
        await expect.poll(() => subject.leftovers(), patient).toBe(0);
        const { id } = await app.finish({});
        const late = await app.request('PUT', `/${id}/cancel`);
        expect([late.status, member(late.body, 'status')]).toEqual([200, 'SUCCEEDED']);
        expect(await statusOf(id)).toBe('SUCCEEDED');
        expect((await app.request('PUT', `/${UNKNOWN_ID}/cancel`)).status).toBe(404);
      });
    });

    describe('GET /', () => {
      test('lists executions newest first, with links, whole or by pages', async () => {
        const first = await app.finish({ data: 1 });
        const second = await app.finish({ data: 2 });
        const all = await app.request('GET', '/');
        const link = (id: string, remaining = '') => ({ href: `${service.endpoint}/${id}${remaining}` });
        expect((all.body as unknown[]).slice(0, 2)).toMatchObject([
          { ...second, _links: { self: link(second.id), status: link(second.id), result: link(second.id, '/result') } },
          first,
        ]);
        const page = await app.request('GET', '/?limit=1');
        expect(page.body).toMatchObject([second]);
        const next = /<(.*)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1] ?? '';
        const following = await app.request('GET', next.slice(service.endpoint.length));
        expect(following.body).toMatchObject([first]);
      });
    });

    test('a secret reaches the code and nothing else', async () => {
      const secret = 'open-sesame-81726354';
      const { id, status } = await app.finish({ data: {}, $secrets: { token: secret } });
      expect(status).toBe('SUCCEEDED');
      const texts = await Promise.all(
        ['', `/${id}`, `/${id}/result`, `/${id}/log`].map(async (path) => (await app.request('GET', path)).text),
      );
      expect(texts.join('')).not.toContain(secret);
      expect(texts[2]).toContain(`"length": ${secret.length}`.replace(' ', texts[2]?.includes(': ') ? ' ' : ''));
      expect(await subject.stored(id)).not.toContain(secret);
    });

    test('the set of operations cannot be extended', async () => {
      const { id } = await app.start({});
      for (const [method, path, status] of [
        ['DELETE', `/${id}`, 405],
        ['PUT', '/', 405],
        ['POST', `/${id}/cancel`, 405],
        ['GET', `/${id}/other`, 404],
      ] as const) {
        expect((await app.request(method, path)).status).toBe(status);
      }
    });
  });
}
