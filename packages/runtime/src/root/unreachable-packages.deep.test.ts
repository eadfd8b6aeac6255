import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keepOwnRoot } from './index.ts';

// Runs at the lowest priority, beside all other tests.
test('where none can be built, it is said why and what helps, and nothing is left', { timeout: 300_000 }, async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'kethub-roots-'));
  const before = { ...process.env };
  Object.assign(process.env, { http_proxy: 'http://127.0.0.1:9', https_proxy: 'http://127.0.0.1:9' });
  try {
    const said: string[] = [];
    const say = { info: () => undefined, warn: (line: string) => said.push(line) };
    await keepOwnRoot(dataDir, { renewRoot: async () => Promise.reject(new Error('there is none')) }, say, 0).done;
    expect(said).toEqual([
      expect.stringMatching(/Python of this machine.+could not be downloaded.+script\/sandbox-root/),
    ]);
    expect(readdirSync(join(dataDir, 'runtime/roots'))).toEqual(['lock']);
  } finally {
    process.env = before;
    rmSync(dataDir, { recursive: true, force: true });
  }
});
