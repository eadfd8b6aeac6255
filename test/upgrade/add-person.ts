import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

// Adds a person to an installation with the code of the version whose folder is given. The settings of the installation
// are in the environment. A later version would migrate the database.
const [folder = '', username = '', password = ''] = process.argv.slice(2);
const load = async (file: string): Promise<Record<string, (...given: unknown[]) => unknown>> =>
  (await import(pathToFileURL(path.join(folder, 'apps/server/src', file)).href)) as never;
const { readConfiguration } = await load('foundation/config/index.ts');
const { createLog } = await load('foundation/process/index.ts');
const { createIdentity } = await load('people/identity/index.ts');
const { openPlatform } = await load('kethub.ts');
const platform = (await openPlatform?.(
  readConfiguration?.({ ...process.env }),
  { api: 0, gateway: 0 },
  createLog?.('warn'),
)) as { database: { close(): Promise<void> } };
const identity = (await createIdentity?.(platform)) as {
  createUser(person: object): Promise<unknown>;
  close(): Promise<void>;
};
const id = randomBytes(4).toString('hex');
await identity.createUser({
  username,
  email: `${username}-${id}@example.org`,
  firstname: 'Ada',
  lastname: 'Test',
  password,
  status: 'APPROVED',
});
await identity.close();
await platform.database.close();
