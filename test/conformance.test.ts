import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { serveFolder } from '@kethub/cli/serve';
import { quietShell } from '@kethub/cli/testing/ket';
import { describeManagedService } from '@kethub/server/testing/conformance';
import { callerAt } from '@kethub/server/testing/gateway';
import { probe } from '@kethub/server/testing/probe';

describeManagedService('ket serve --strict', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'kethub-conformance-'));
  mkdirSync(path.join(folder, 'src'));
  for (const [name, text] of Object.entries(probe)) writeFileSync(path.join(folder, name), text);
  const { shell, output } = quietShell(folder);
  const options = { port: 0, strict: true, mode: 'paths', python: '/usr/bin/python3', atOnce: 2, quiet: true } as const;
  const served = await serveFolder(shell, output, folder, options);
  await served.service.start();
  const endpoint = `${served.url}somebody/probe/1.0.0`;
  return {
    endpoint,
    app: callerAt(endpoint, 'local'),
    ids: { type: 'MANAGED' },
    at: (address) => address,
    // One process waits for the next execution.
    leftovers: async () => Math.max(0, readdirSync(path.join(folder, '.kethub/serve/runtime/work')).length - 1),
    stored: async () => contentsOf(path.join(folder, '.kethub')),
    async close() {
      await served.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
});

/** All files below a folder, as one text. */
function contentsOf(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
}
