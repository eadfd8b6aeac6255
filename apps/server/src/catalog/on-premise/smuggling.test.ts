import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startForwarded, type Forwarded } from '../../testing/forwarded.ts';
import { sendRaw } from '../../testing/on-premise.ts';

describe('forwarding requests whose end two readers could see differently', () => {
  let to: Forwarded;
  beforeAll(async () => {
    to = await startForwarded();
  });
  afterAll(() => to.close());

  const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n';
  const chunked = (size: string): string => `${size}\r\n{}\r\n0\r\n\r\n${smuggled}`;
  test.each([
    ['CL.TE', 'Content-Length: 4\r\nTransfer-Encoding: chunked', chunked('2')],
    ['TE.CL', 'Transfer-Encoding: chunked\r\nContent-Length: 4', chunked('2')],
    ['two lengths', 'Content-Length: 2\r\nContent-Length: 40', `{}${smuggled}`],
    ['a list of lengths', 'Content-Length: 2, 40', `{}${smuggled}`],
    ['a signed length', 'Content-Length: +2', `{}${smuggled}`],
    ['a length in hex', 'Content-Length: 0x2', `{}${smuggled}`],
    ['a negative length', 'Content-Length: -1', `{}${smuggled}`],
    ['TE with another coding', 'Transfer-Encoding: gzip, chunked', chunked('2')],
    ['TE that does not end in chunked', 'Transfer-Encoding: chunked, identity', chunked('2')],
    ['TE twice', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity', chunked('2')],
    ['TE with a vertical tab', 'Transfer-Encoding: \u000bchunked', chunked('2')],
    ['TE spelled wrong', 'Transfer-Encoding: xchunked', chunked('2')],
    ['a space before the colon', 'Transfer-Encoding : chunked', chunked('2')],
    ['obs-fold', 'Transfer-Encoding:\r\n chunked\r\nContent-Length: 4', chunked('2')],
    ['a bare CR', 'X: a\rTransfer-Encoding: chunked', chunked('2')],
    ['a NUL', 'X: a\0b', ''],
    ['a chunk size with a sign', 'Transfer-Encoding: chunked', chunked('+2')],
    ['a chunk size in 0x', 'Transfer-Encoding: chunked', chunked('0x2')],
    ['a chunk size beyond all numbers', 'Transfer-Encoding: chunked', chunked('10000000000000002')],
    ['a chunk that is longer than it says', 'Transfer-Encoding: chunked', `1\r\n{}\r\n0\r\n\r\n${smuggled}`],
    ['a chunk size that ends with LF', 'Transfer-Encoding: chunked', `2\n{}\r\n0\r\n\r\n${smuggled}`],
  ])('%s', async (_what, header, body) => {
    const before = to.provider.received.length;
    const raw = await sendRaw(
      to.kethub,
      `POST ${to.path}/ HTTP/1.1\r\nHost: x\r\n${to.bearer}\r\n${header}\r\n\r\n${body}`,
    );
    // The parser refuses the request or cuts it off. An answer of the provider never comes.
    expect(raw).not.toMatch(/HTTP\/1.1 [23]/);
    expect(to.provider.received.length).toBe(before);
    // The next request on the gateway's connection to the provider arrives as it was sent.
    expect(await to.echoed('GET', '/next')).toMatchObject({ url: '/base/next', body: '' });
  });

  test('chunk extensions and trailers end at the gateway; framing is its own', async () => {
    const raw = await sendRaw(
      to.kethub,
      `POST ${to.path}/ HTTP/1.1\r\nHost: x\r\n${to.bearer}\r\nConnection: close\r\nTrailer: X-Late\r\nTransfer-Encoding: chunked\r\n\r\n2;a=b\r\n{}\r\n0\r\nX-Late: 1\r\nAuthorization: Bearer y\r\n\r\n`,
    );
    expect(raw).toMatch(/^HTTP\/1.1 200 /);
    const [received] = to.provider.received.slice(-1);
    expect(received).toMatchObject({ body: '{}', headers: { 'transfer-encoding': 'chunked' } });
    expect(received?.headers).not.toHaveProperty('trailer');
    expect(received?.headers).not.toHaveProperty('content-length');
  });

  test('lines that end with LF alone never make another request', async () => {
    const before = to.provider.received.length;
    const raw = await sendRaw(
      to.kethub,
      `POST ${to.path}/ HTTP/1.1\nHost: x\n${to.bearer}\nContent-Length: 2\nConnection: close\n\n{}${smuggled}`,
    );
    expect(raw.match(/HTTP\/1.1 2/g) ?? []).toHaveLength(0);
    expect(to.provider.received.length).toBe(before);
  });

  test('two requests at once on one connection are two, in order', async () => {
    const one = (name: string, last = ''): string =>
      `POST ${to.path}/${name} HTTP/1.1\r\nHost: x\r\n${to.bearer}\r\n${last}Content-Length: 2\r\n\r\n{}`;
    const raw = await sendRaw(to.kethub, one('first') + one('second', 'Connection: close\r\n'));
    expect([...raw.matchAll(/"url":"\/base\/(\w+)"/g)].map(([, name]) => name)).toEqual(['first', 'second']);
  });

  test('Expect: 100-continue is answered by the gateway and not passed on', async () => {
    const raw = await sendRaw(
      to.kethub,
      `POST ${to.path}/ HTTP/1.1\r\nHost: x\r\n${to.bearer}\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}`,
    );
    expect(raw).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 /);
    expect(to.provider.received.at(-1)?.headers).not.toHaveProperty('expect');
  });
});
