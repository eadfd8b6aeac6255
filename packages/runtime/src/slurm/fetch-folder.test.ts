import { once } from 'node:events';
import { createServer } from 'node:http';
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, expect, test, vi } from 'vitest';
import { hashOf, Transfers } from '../transfers/transfers.ts';
import { fetchFolder } from './fetch-folder.ts';
import { PlatformLink } from './platform-link.ts';

const root = mkdtempSync(join(os.tmpdir(), 'kethub-fetch-'));
const token = 'a'.repeat(64);
/** Bytes, more than what is on its way when nobody reads. */
const LARGE = 16 * 1024 * 1024;
afterAll(() => rmSync(root, { recursive: true }));

/** A link that does not wait between two attempts. */
function linkTo(port: number): PlatformLink {
  const link = new PlatformLink({ url: `http://127.0.0.1:${port}`, executionId: 'one', token, ca: null });
  vi.spyOn(link, 'pause').mockResolvedValue();
  return link;
}

async function serving(from: string): Promise<{ transfers: Transfers; link: PlatformLink }> {
  const transfers = new Transfers();
  const port = await transfers.listen(0, null);
  const receive = () => Promise.reject(new Error('Nothing is brought'));
  transfers.open('one', { tokenHash: hashOf(token), parts: { app: { from, to: '' } }, input: '', claim: () => true, receive }); // prettier-ignore
  return { transfers, link: linkTo(port) };
}

test('a folder that is used, and whose files are linked by others, while it is read arrives', async () => {
  const from = join(root, 'used');
  mkdirSync(from);
  writeFileSync(join(from, 'large'), 'begin');
  truncateSync(join(from, 'large'), LARGE);
  const { transfers, link } = await serving(from);
  const answer = await link.open('/parts/app');
  // From here on tar has the file open, and waits for us.
  await once(answer, 'readable');
  linkSync(join(from, 'large'), join(root, 'pool-of-another'));
  utimesSync(from, new Date(), new Date());
  expect((await buffer(answer)).length).toBeGreaterThan(LARGE);
  transfers.close();
});

test('a folder that is gone is refused at once', async () => {
  const { transfers, link } = await serving(join(root, 'gone'));
  const fetched = fetchFolder(link, 'app', join(root, 'never'));
  await expect(fetched).rejects.toThrow('app could not be fetched: the platform answered 404: The folder is gone');
  expect(link.pause).not.toHaveBeenCalled();
  transfers.close();
});

test('a platform that is ended again and again in the middle of a folder is asked until it sends the whole', async () => {
  const from = join(root, 'source');
  mkdirSync(from);
  writeFileSync(join(from, 'program.py'), 'x'.repeat(100_000));
  const { transfers, link } = await serving(from);
  const archive = await buffer(await link.open('/parts/app'));
  transfers.close();
  let asked = 0;
  const server = createServer((request, answer) => {
    asked += 1;
    answer.writeHead(200);
    if (asked > 12) answer.end(archive);
    else answer.write(archive.subarray(0, 50_000), () => request.socket.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const to = join(root, 'target');
  await fetchFolder(linkTo((server.address() as AddressInfo).port), 'app', to);
  expect(asked).toBe(13);
  expect(readdirSync(to)).toEqual(['program.py']);
  expect(statSync(join(to, 'program.py')).size).toBe(100_000);
  server.close();
});
