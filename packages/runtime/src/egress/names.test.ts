import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { startNameServer, type NameServer } from '../testing/name-server.ts';
import { NameFailure, Names, type NameOptions } from './names.ts';

let server: NameServer;
let folder: string;
let opened: Names[] = [];
beforeAll(async () => {
  server = await startNameServer({ 'there.test': '192.0.2.1', 'db.inside.test': '192.0.2.2' });
  folder = mkdtempSync(path.join(tmpdir(), 'kethub-names-'));
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(() => {
  server.asked.length = 0;
});
afterEach(() => {
  for (const names of opened) names.close();
  opened = [];
});

function names(options: Partial<NameOptions> = {}): Names {
  const one = new Names({ servers: [server.address], hostsFile: null, resolvConf: null, most: 4, ...options });
  opened.push(one);
  return one;
}

const silent = (count: number): string[] => Array.from({ length: count }, (_, index) => `silent-${index}.test`);
const distinct = (): number => new Set(server.asked.filter((name) => name.startsWith('silent'))).size;

test('a name has the addresses of its server; one that is not there is a failure', async () => {
  expect(await names().addresses('There.test')).toEqual(['192.0.2.1']);
  await expect(names().addresses('absent.test')).rejects.toThrow(NameFailure);
});

test('many names of a silent server are asked for a few at a time, and delay no names of another', async () => {
  const hostile = names();
  const asked = silent(60).map(async (name) => hostile.addresses(name).catch(() => 'failed'));
  await vi.waitFor(() => expect(distinct()).toBe(4), { timeout: 10_000 });
  expect(await names().addresses('there.test')).toEqual(['192.0.2.1']);
  expect(distinct()).toBe(4);
  const none = Symbol('nobody has an answer');
  expect(await Promise.race([...asked, Promise.resolve(none)])).toBe(none);
});

test('requests for one name share a look-up', async () => {
  const one = names();
  await Promise.all(Array.from({ length: 20 }, async () => one.addresses('there.test')));
  expect(server.asked).toEqual(['there.test', 'there.test']); // A and AAAA
});

test('the hosts file comes first, and is read again when it has changed', async () => {
  const hostsFile = path.join(folder, 'hosts');
  writeFileSync(hostsFile, '192.0.2.7 there.test alias # a comment\n');
  const one = names({ hostsFile });
  expect(await one.addresses('alias')).toEqual(['192.0.2.7']);
  expect(server.asked).toEqual([]);
  writeFileSync(hostsFile, '192.0.2.8 alias other\n::1 other\n');
  expect(await one.addresses('other')).toEqual(['192.0.2.8', '::1']);
  expect(await one.addresses('there.test')).toEqual(['192.0.2.1']);
});

test('a name with few dots is tried in the search domains', async () => {
  const resolvConf = path.join(folder, 'resolv.conf');
  writeFileSync(resolvConf, 'nameserver 192.0.2.53\nsearch outside.test inside.test\noptions ndots:1\n');
  expect(await names({ resolvConf }).addresses('db')).toEqual(['192.0.2.2']);
  expect([...new Set(server.asked)]).toEqual(['db.outside.test', 'db.inside.test']);
});
