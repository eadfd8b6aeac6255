import net from 'node:net';
import { AccessDirectory } from '../catalog/access/index.ts';
import { Executions } from '../running/executions/index.ts';
import { createGateway } from '../running/gateway/index.ts';
import { openDatabase } from '../foundation/storage/index.ts';
import type { TestKethub } from './kethub.ts';
import { createWorkflows } from '../running/workflows/index.ts';

/** Starts a gateway like that of a second process on the same PostgreSQL: with its own connections and caches. */
export async function startSecondGateway({ kethub }: TestKethub): Promise<{
  /** Maps an address to this gateway. */
  at(endpoint: string): string;
  close(): Promise<void>;
}> {
  const { platform } = kethub;
  const { databaseUrl } = platform.configuration;
  if (databaseUrl === null) throw new Error('On SQLite there is one process');
  const database = await openDatabase({ databaseUrl, sqliteFile: '' });
  const own = { ...platform, database };
  const executions = new Executions(own, null, createWorkflows(own));
  const directory = new AccessDirectory(own);
  const app = await createGateway(own, executions, directory);
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as net.AddressInfo;
  return {
    at: (endpoint) => endpoint.replace(platform.addresses.gateway, `http://127.0.0.1:${port}`),
    async close() {
      await app.close();
      directory.close();
      executions.close();
      await database.close();
    },
  };
}
