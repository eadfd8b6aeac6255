import { randomBytes } from 'node:crypto';
import type { ClientRequest } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { databases } from '../../../testing/databases.ts';
import { GitClient, gitTokenOf } from '../../../testing/git-client.ts';
import { FLUSH, idOf, packet, packOf, pushOf, ZERO_ID } from '../../../testing/git-packets.ts';
import { answerOf, processesOn, RawGit, repositoryOf, untilQuiet } from '../../../testing/git-raw.ts';
import { startTestKethub, type TestKethub } from '../../../testing/kethub.ts';

const PUSH_MB = 6;

describe.each(databases())('damaged and hostile requests to Git over HTTP on $name', (kind) => {
  let kethub: TestKethub;
  let client: GitClient;
  let raw: RawGit;
  let repository: string;
  let tip: string;
  let slowRepository: string;
  /** Requests whose bodies arrive at a few bytes a second. It takes half a minute. */
  let slow: Record<string, Promise<number | string>>;

  beforeAll(async () => {
    kethub = await startTestKethub(kind, { KETHUB_PUSH_MB: String(PUSH_MB) });
    client = await GitClient.open();
    const token = await gitTokenOf(kethub.client);
    const made = await kethub.client.createImplementation({ json: { name: 'hostile' } });
    raw = new RawGit(made, token);
    repository = repositoryOf(kethub, made);
    tip = await client.commit('hostile', { 'a.txt': '1' });
    await client.run('hostile', 'push', '-q', made.cloneUrl.replace('://', `://x:${token}@`), 'main');
    const other = await kethub.client.createImplementation({ json: { name: 'slow' } });
    await client.run('hostile', 'push', '-q', other.cloneUrl.replace('://', `://x:${token}@`), 'main');
    slowRepository = repositoryOf(kethub, other);
    const blob = { type: 'blob', content: randomBytes(100_000) } as const;
    const push = pushOf([{ ref: 'refs/heads/slow', to: idOf(blob) }], packOf([blob]));
    const list = Buffer.concat(Array.from({ length: 1_000 }, () => packet(`want ${tip}\n`)));
    const from = new RawGit(other, token);
    slow = {
      push: statusOfSlow(from.begin('POST', '/git-receive-pack'), push),
      fetch: statusOfSlow(from.begin('POST', '/git-upload-pack'), list),
    };
  });
  afterAll(async () => {
    await client.close();
    await kethub.close();
  });

  const wanting = (id: string) => Buffer.concat([packet(`want ${id} ofs-delta\n`), FLUSH, packet('done\n')]);

  test('a fetch in the protocol is answered, also when it is packed', async () => {
    expect((await raw.fetch(wanting(tip))).body.toString('latin1')).toContain('PACK');
    const packed = await raw.fetch(gzipSync(wanting(tip)), { 'content-encoding': 'gzip' });
    expect(packed.body.toString('latin1')).toContain('PACK');
  });

  test.each([
    ['no protocol', Buffer.from('zzzz'), {}],
    ['half a packet', Buffer.from('00ffwant '), {}],
    ['half a gzip', gzipSync(packet('want')).subarray(0, 15), { 'content-encoding': 'gzip' }],
    ['no gzip', Buffer.from('want'), { 'content-encoding': 'gzip' }],
    ['an unknown command', Buffer.concat([packet('command=run\n'), FLUSH]), { 'git-protocol': 'version=2' }],
  ])('a fetch with %s is refused with 400', async (_name, body, headers) => {
    const { status, body: answer } = await raw.fetch(body, headers);
    expect([status, answer.toString()]).toEqual([400, expect.stringMatching(/damaged/)]);
    await untilQuiet(repository);
  });

  test.each([
    ['no protocol', Buffer.from('zzzz')],
    ['half a list', packet(`${ZERO_ID} ${ZERO_ID} refs/heads/main`)],
    ['no command', Buffer.concat([packet('take everything'), FLUSH])],
  ])('a push with %s is refused with 400', async (_name, body) => {
    expect((await raw.push(body)).status).toBe(400);
    await untilQuiet(repository);
  });

  test('a small body that unpacks to very much is refused, and ends its process', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024, packet(`want ${tip}\n`)));
    expect(bomb.length).toBeLessThan(1024 * 1024);
    const fetched = await raw.fetch(bomb, { 'content-encoding': 'gzip' });
    expect([fetched.status, fetched.body.toString()]).toEqual([413, expect.stringContaining('at most')]);
    const list = pushOf([{ ref: 'refs/heads/x', to: tip }], Buffer.alloc(64 * 1024 * 1024));
    const pushed = await raw.push(gzipSync(list), { 'content-encoding': 'gzip' });
    expect(pushed.body.toString('latin1')).toMatch(/unpack|at most/);
    await untilQuiet(repository);
  });

  test('a body that cannot be accepted starts no process', async () => {
    for (const service of ['/git-upload-pack', '/git-receive-pack'])
      for (let turn = 0; turn < 6; turn++)
        expect((await raw.ask('POST', service, 'x', { 'content-encoding': 'br' })).status).toBe(415);
    const announced = raw.begin('POST', '/git-receive-pack', { 'content-length': (PUSH_MB + 3) * 1024 * 1024 });
    announced.write(pushOf([]));
    const { status, body } = await answerOf(announced);
    expect([status, body.toString()]).toEqual([413, expect.stringContaining('data pool')]);
    announced.destroy();
    expect(processesOn(repository)).toEqual([]);
    // Slots were given back, and the upkeep does not take the repository for one that is written.
    expect((await raw.fetch(wanting(tip))).status).toBe(200);
  });

  test('a client that speaks HTTP/1.0 gets everything, and then the end of the connection', async () => {
    const url = new URL(raw.url);
    const socket = connect(Number(url.port), url.hostname);
    const authorization = `Authorization: Basic ${btoa(`x:${raw.token}`)}`;
    socket.write(`GET ${url.pathname}/info/refs?service=git-upload-pack HTTP/1.0\r\n${authorization}\r\n\r\n`);
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.[01] 200 /);
    expect(answer).not.toMatch(/transfer-encoding/i);
    expect(answer).toContain(`${tip} refs/heads/main`);
  });

  test('names that are options of Git, other services and other paths are found nowhere', async () => {
    const { origin } = new URL(raw.url);
    const authorization = `Basic ${btoa(`x:${raw.token}`)}`;
    const statusOf = async (path: string, method = 'GET') =>
      (await fetch(origin + path, { method, headers: { authorization } })).status;
    const refs = 'info/refs?service=git-upload-pack';
    for (const path of [
      `/git/--upload-pack=x/--upload-pack=x.git/${refs}`,
      `/git/..%2f..%2fetc/passwd.git/${refs}`,
      `/git/%00/%00.git/${refs}`,
      `/git/${'a'.repeat(60_000)}/x.git/${refs}`,
    ])
      expect([path.slice(0, 60), await statusOf(path)]).toEqual([path.slice(0, 60), expect.toBeOneOf([404, 414, 431])]);
    const base = new URL(raw.url).pathname;
    expect(await statusOf(`${base}/info/refs?service=git-upload-archive`)).toBe(403);
    expect(await statusOf(`${base}/info/refs?service=--exec`)).toBe(403);
    expect(await statusOf(`${base}/info/refs?service=git-upload-pack&service=git-receive-pack`)).toBe(403);
    expect(await statusOf(`${base}/git-upload-archive`, 'POST')).toBe(404);
    expect(await statusOf(`${base}/objects/info/packs`)).toBe(404);
    expect(await statusOf(`${base}/config`)).toBe(404);
    expect(await statusOf(`${base}/git-upload-pack`)).toBe(405);
  });

  test('bodies that arrive too slowly are cut, and their processes end', async () => {
    expect(await slow['push']).toBe(408);
    expect(await slow['fetch']).toBe(408);
    await untilQuiet(slowRepository);
  });
});

/** Sends the first bytes of a body at once and the others one by one. Returns the status, or why there was none. */
async function statusOfSlow(request: ClientRequest, body: Buffer): Promise<number | string> {
  let sent = 200;
  request.write(body.subarray(0, sent));
  const trickle = setInterval(() => request.write(body.subarray(sent, ++sent)), 200);
  try {
    return (await answerOf(request)).status;
  } catch (error) {
    return String(error);
  } finally {
    clearInterval(trickle);
    request.destroy();
  }
}
