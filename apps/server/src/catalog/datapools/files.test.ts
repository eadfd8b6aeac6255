import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { limits, type DataPool } from '@kethub/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { poolUser, type PoolUser } from '../../testing/data-pools.ts';
import { databases } from '../../testing/databases.ts';
import { startTestKethub, type TestKethub } from '../../testing/kethub.ts';

/** Other work on the machine must not make a test fail. */
const PATIENT = { timeout: 40_000 };
const MB = 1024 * 1024;

/** Each text shortened, for the names of tests, and whole. */
const brief = (texts: readonly string[]) => texts.map((text) => [JSON.stringify(text).slice(0, 20), text] as const);

describe.each(databases())('files of data pools on $name', (kind) => {
  let kethub: TestKethub;
  let ada: PoolUser;
  let pool: DataPool;
  beforeAll(async () => {
    kethub = await startTestKethub(kind);
    ada = await poolUser(kethub, kethub.loginSession);
    pool = await ada.create();
  });
  afterAll(() => kethub.close());

  const at = (name: string, of = pool) => `/data-pools/${of.id}/files/${encodeURIComponent(name)}`;
  const sha256 = (content: string) => createHash('sha256').update(content).digest('hex');
  const get = (name: string, headers = {}) => ada.call('GET', at(name), { headers });
  const put = (name: string, body: string | Buffer, headers = {}) => ada.call('PUT', at(name), { body, headers });
  const counted = async (of: DataPool) => {
    const { files, bytes } = (await ada.call('GET', `/data-pools/${of.id}`)).body as DataPool;
    return { files, bytes };
  };
  const blobs = async (): Promise<number> => {
    const folder = path.join(kethub.dataDir, 'blobs');
    return (await readdir(folder, { recursive: true, withFileTypes: true })).filter((one) => one.isFile()).length;
  };
  const unused = async (): Promise<number> =>
    (await kethub.kethub.platform.database.read.selectFrom('orphan_blobs').select('blob').execute()).length;

  test('a file comes back as it was uploaded, with its type and digest', async () => {
    const uploaded = await put('a b.csv', '1,2\n', { 'content-type': 'text/csv; charset=utf-8' });
    const digest = sha256('1,2\n');
    expect(uploaded).toMatchObject({
      status: 201,
      body: { name: 'a b.csv', bytes: 4, mediaType: 'text/csv; charset=utf-8', digest },
    });
    expect(uploaded.headers.get('location')).toMatch(/\/files\/a%20b\.csv$/);
    const { status, text, headers } = await get('a b.csv');
    expect([status, text]).toEqual([200, '1,2\n']);
    expect(Object.fromEntries(headers)).toMatchObject({
      etag: `"${digest}"`,
      'content-type': 'text/csv; charset=utf-8',
      'content-length': '4',
      'accept-ranges': 'bytes',
      'repr-digest': `sha-256=:${Buffer.from(digest, 'hex').toString('base64')}:`,
      'content-disposition': "attachment; filename*=UTF-8''a%20b.csv",
      'x-content-type-options': 'nosniff',
    });
    expect((await get('a b.csv', { 'if-none-match': `"${digest}"` })).status).toBe(304);
    expect((await get('a b.csv', { 'if-match': '"other"' })).status).toBe(412);
  });

  test('HEAD answers the same headers without the content', async () => {
    await put('head.txt', 'twelve bytes');
    const { status, text, headers } = await ada.call('HEAD', at('head.txt'));
    const expected = [200, '', '12', `"${sha256('twelve bytes')}"`];
    expect([status, text, headers.get('content-length'), headers.get('etag')]).toEqual(expected);
    expect((await ada.call('HEAD', at('nothing.txt'))).status).toBe(404);
  });

  test.each([
    ['an empty file', '', 'text/plain'],
    ['JSON, which nobody parses here', '{"a": ', 'application/json'],
    ['a form, which nobody parses here', 'x', 'multipart/form-data; boundary=x'],
  ])('%s', async (_what, content, type) => {
    expect((await put('any', content, { 'content-type': type })).status).toBeLessThan(300);
    const { headers } = await ada.call('HEAD', at('any'));
    expect([headers.get('content-type'), headers.get('content-length')]).toEqual([type, String(content.length)]);
    const answer = await fetch(kethub.kethub.platform.addresses.api + at('any'), {
      headers: { authorization: `Bearer ${kethub.loginSession}` },
    });
    expect(await answer.text()).toBe(content);
  });

  test.each(brief(['text', 'text/plain\u00e4', `text/${'x'.repeat(limits.mediaTypeLength)}`]))(
    'a Content-Type that is none is refused: %s',
    async (_brief, type) => expect((await put('typed', 'x', { 'content-type': type })).status).toBe(415),
  );

  test('replacing a file keeps its id and removes the content before', async () => {
    const own = await ada.create();
    await ada.upload(own, 'a.txt', 'first');
    const before = await blobs();
    const replaced = await ada.call('PUT', at('a.txt', own), { body: 'second one' });
    expect(replaced).toMatchObject({ status: 200, body: { bytes: 10 } });
    expect((await ada.call('GET', at('a.txt', own))).text).toBe('second one');
    expect([await counted(own), await blobs(), await unused()]).toEqual([{ files: 1, bytes: 10 }, before, 0]);
    expect((await ada.call('DELETE', at('a.txt', own))).status).toBe(204);
    expect((await ada.call('DELETE', at('a.txt', own))).status).toBe(404);
    expect([await counted(own), await blobs(), await unused()]).toEqual([{ files: 0, bytes: 0 }, before - 1, 0]);
  });

  test('a request without a body replaces nothing', async () => {
    await put('there', 'content');
    const { hostname, port, host } = new URL(kethub.kethub.platform.addresses.api);
    const socket = net.connect(Number(port), hostname);
    const head = [`PUT ${pathTo('there')} HTTP/1.1`, `Host: ${host}`, `Authorization: Bearer ${kethub.loginSession}`];
    socket.write(`${[...head, 'Connection: close'].join('\r\n')}\r\n\r\n`);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 /);
    expect((await get('there')).text).toBe('content');
  });

  test('preconditions of a write', async () => {
    const tag = (await put('guarded', 'one', { 'if-none-match': '*' })).headers.get('etag') ?? '';
    expect((await put('guarded', 'two', { 'if-none-match': '*' })).status).toBe(412);
    expect((await put('guarded', 'two', { 'if-match': '"other"' })).status).toBe(412);
    expect((await put('absent', 'two', { 'if-match': tag })).status).toBe(412);
    expect((await put('absent', 'two', { 'if-match': '*' })).status).toBe(412);
    expect((await get('guarded')).text).toBe('one');
    expect((await put('guarded', 'two', { 'if-match': tag })).status).toBe(200);
    expect((await ada.call('DELETE', at('guarded'), { headers: { 'if-match': tag } })).status).toBe(412);
  });

  test('ranges', async () => {
    const tag = (await put('digits', '0123456789')).headers.get('etag') ?? '';
    const range = async (text: string, headers = {}) => {
      const answer = await get('digits', { range: text, ...headers });
      return [answer.status, answer.headers.get('content-range'), answer.status < 300 ? answer.text : ''];
    };
    expect(await range('bytes=0-3')).toEqual([206, 'bytes 0-3/10', '0123']);
    expect(await range('bytes=7-')).toEqual([206, 'bytes 7-9/10', '789']);
    expect(await range('bytes=7-99')).toEqual([206, 'bytes 7-9/10', '789']);
    expect(await range('bytes=-2')).toEqual([206, 'bytes 8-9/10', '89']);
    expect(await range('bytes=-99')).toEqual([206, 'bytes 0-9/10', '0123456789']);
    for (const ignored of ['bytes=5-2', 'bytes=0-1,3-4', 'lines=1-2', 'bytes=-'])
      expect(await range(ignored)).toEqual([200, null, '0123456789']);
    for (const beyond of ['bytes=10-', 'bytes=99-100', 'bytes=-0'])
      expect(await range(beyond)).toEqual([416, 'bytes */10', '']);
    expect(await range('bytes=0-3', { 'if-range': tag })).toEqual([206, 'bytes 0-3/10', '0123']);
    expect(await range('bytes=0-3', { 'if-range': '"other"' })).toEqual([200, null, '0123456789']);
  });

  test.each(
    brief([
      '..',
      '.',
      'a/b',
      '../../etc/passwd',
      'a\\b',
      'a\nb',
      'a\u0000b',
      'a\u202eb',
      'x'.repeat(256),
      'ü'.repeat(128),
    ]),
  )('the name %s is refused', async (_brief, name) => {
    // Sent as by a client that does not normalize URLs.
    const address = new URL(kethub.kethub.platform.addresses.api);
    const encoded = encodeURIComponent(name).replaceAll('.', '%2E');
    const answer = request('PUT', `${address.pathname}/data-pools/${pool.id}/files/${encoded}`, { length: 1 });
    answer.sender.end('x');
    expect((await answer.response).statusCode).toBe(400);
  });

  test.each(brief(['self', 'status', '.hidden', '🧬.fasta', '#?&+%20', 'x'.repeat(255), '#'.repeat(255), ' ']))(
    'the name %s is taken as it is',
    async (_brief, name) => {
      expect(await put(name, name)).toMatchObject({ status: 201, body: { name } });
      expect((await get(name)).text).toBe(name);
      const files = (await ada.call('GET', `/data-pools/${pool.id}/files?limit=1`)).body;
      expect(files).toMatchObject([{ name }]);
    },
  );

  /** A request whose body is sent in pieces. */
  function request(
    method: string,
    pathTo: string,
    { length, session = kethub.loginSession }: { length?: number; session?: string },
  ) {
    const { hostname, port } = new URL(kethub.kethub.platform.addresses.api);
    const headers = { authorization: `Bearer ${session}`, ...(length !== undefined && { 'content-length': length }) };
    const sender = http.request({ hostname, port, path: pathTo, method, headers });
    const response = new Promise<http.IncomingMessage>((resolve, reject) => {
      sender.once('response', (message) => resolve(message));
      sender.once('error', reject);
    });
    response.catch(() => undefined);
    sender.flushHeaders();
    return { sender, response };
  }
  const pathTo = (name: string, of = pool) => new URL(kethub.kethub.platform.addresses.api).pathname + at(name, of);

  test.each([
    ['with Content-Length', 5 * MB],
    ['chunked', undefined],
  ])('an upload %s that breaks off leaves nothing, and the file as it was', async (_how, length) => {
    const own = await ada.create();
    await ada.upload(own, 'a.txt', 'before');
    const before = await blobs();
    const { sender, response } = request('PUT', pathTo('a.txt', own), { ...(length !== undefined && { length }) });
    sender.write(Buffer.alloc(2 * MB));
    await expect.poll(blobs, PATIENT).toBe(before + 1);
    sender.destroy();
    await expect(response).rejects.toThrow();
    await expect.poll(blobs, PATIENT).toBe(before);
    expect([await counted(own), await unused()]).toEqual([{ files: 1, bytes: 6 }, 0]);
    expect((await ada.call('GET', at('a.txt', own))).text).toBe('before');
  });

  test('a file that is announced to be too large is refused before it is sent', async () => {
    const { sender, response } = request('PUT', pathTo('large'), { length: limits.dataPoolFileBytes + 1 });
    expect((await response).statusCode).toBe(413);
    sender.destroy();
  });

  test('who loses the right while uploading has uploaded nothing', async () => {
    const bob = await kethub.signIn('bob');
    const member = `/data-pools/${pool.id}/members/USER/${(await poolUser(kethub, bob.loginSession)).id}`;
    await ada.call('PUT', member, { body: { role: 'MAINTAINER' } });
    const before = await blobs();
    const { sender, response } = request('PUT', pathTo('late'), { session: bob.loginSession });
    sender.write(Buffer.alloc(MB));
    await expect.poll(blobs, PATIENT).toBe(before + 1);
    await ada.call('DELETE', member);
    sender.end();
    expect((await response).statusCode).toBe(404);
    expect([await blobs(), await unused(), (await get('late')).status]).toEqual([before, 0, 404]);
  });

  test('of two that upload under one name at the same time, one replaces the other whole', async () => {
    const own = await ada.create();
    const before = await blobs();
    const contents = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(MB));
    await Promise.all(contents.map((content) => ada.upload(own, 'same', content)));
    expect(contents).toContain((await ada.call('GET', at('same', own))).text);
    expect([await counted(own), await blobs(), await unused()]).toEqual([{ files: 1, bytes: MB }, before + 1, 0]);
  });

  test('who downloads gets all of a content, also while it is replaced and deleted', async () => {
    const [old, young] = ['o'.repeat(8 * MB), 'y'.repeat(8 * MB)];
    await put('moving', old);
    const { response } = request('GET', pathTo('moving'), {});
    const message = await response;
    await put('moving', young);
    await ada.call('DELETE', at('moving'));
    let received = 0;
    message.on('data', (chunk: Buffer) => (received += chunk.length));
    await new Promise((resolve) => message.once('end', resolve));
    expect(received).toBeGreaterThan(0);
    expect(message.complete).toBe(true);
    expect((await get('moving')).status).toBe(404);
  });

  test('deleting a pool removes all its files', async () => {
    const own = await ada.create();
    const before = await blobs();
    for (let index = 0; index < 120; index++) await ada.upload(own, `${index}.txt`, String(index));
    expect(await blobs()).toBe(before + 120);
    const listed = (await ada.call('GET', `/data-pools/${own.id}/files`)).body as { name: string }[];
    expect(listed.map(({ name }) => name)).toEqual(Array.from({ length: 120 }, (_, index) => `${119 - index}.txt`));
    expect((await ada.call('DELETE', `/data-pools/${own.id}`)).status).toBe(204);
    expect([await blobs(), await unused()]).toEqual([before, 0]);
  });

  test('memory does not grow with the file', { timeout: 120_000 }, async () => {
    const megabytes = 200;
    const piece = Buffer.alloc(MB, 7);
    const before = process.memoryUsage().rss;
    let most = 0;
    const look = () => (most = Math.max(most, process.memoryUsage().rss));
    const { sender, response } = request('PUT', pathTo('large'), {});
    for (let sent = 0; sent < megabytes; sent++) {
      if (!sender.write(piece)) await new Promise((resolve) => sender.once('drain', resolve));
      look();
    }
    sender.end();
    expect((await response).statusCode).toBe(201);
    const message = await request('GET', pathTo('large'), {}).response;
    const hash = createHash('sha256');
    for await (const chunk of message as AsyncIterable<Buffer>) {
      hash.update(chunk);
      look();
    }
    expect(`"${hash.digest('hex')}"`).toBe(message.headers.etag);
    expect((most - before) / MB).toBeLessThan(megabytes / 2);
    expect((await ada.call('DELETE', at('large'))).status).toBe(204);
  });
});
