import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { exportJWK, generateKeyPair } from 'jose';
import { Provider, type Adapter, type Configuration } from 'oidc-provider';
import { untilInputEnds } from './until-input-ends.ts';

interface ProviderQuestion {
  /** DURABLE: ES256 and records in SQLite, like the platform's own identity provider. FASTEST: EdDSA, all in memory. */
  readonly setUp: 'DURABLE' | 'FASTEST';
}

// oidc-provider. It grants client credentials to one client, as JWT access tokens like the gateway's.
const { setUp } = JSON.parse(process.argv[2] ?? '') as ProviderQuestion;
const alg = setUp === 'DURABLE' ? 'ES256' : 'EdDSA';
const client = {
  client_id: 'application',
  client_secret: 'secret-of-the-application-0123456789',
  grant_types: ['client_credentials'],
  response_types: [],
  redirect_uris: [],
  id_token_signed_response_alg: alg,
} as const;
const folder = mkdtempSync(path.join(os.tmpdir(), 'kethub-bench-'));

function sqliteAdapter(): new (model: string) => Adapter {
  const database = new Database(path.join(folder, 'provider.db'));
  database.pragma('journal_mode = WAL');
  database.pragma('synchronous = FULL');
  database.exec('create table records (model text, id text, payload text, primary key (model, id))');
  const find = database
    .prepare<[string, string], string>('select payload from records where model = ? and id = ?')
    .pluck();
  const put = database.prepare('insert or replace into records values (?, ?, ?)');
  put.run('Client', client.client_id, JSON.stringify(client));
  const read = (model: string, id: string): object | undefined => {
    const payload = find.get(model, id);
    return payload === undefined ? undefined : (JSON.parse(payload) as object);
  };
  return class {
    readonly #model: string;
    constructor(model: string) {
      this.#model = model;
    }
    upsert(id: string, payload: object) {
      put.run(this.#model, id, JSON.stringify(payload));
      return Promise.resolve();
    }
    find(id: string) {
      return Promise.resolve(read(this.#model, id));
    }
    findByUserCode() {
      return Promise.resolve(undefined);
    }
    findByUid() {
      return Promise.resolve(undefined);
    }
    consume() {
      return Promise.resolve();
    }
    destroy() {
      return Promise.resolve();
    }
    revokeByGrantId() {
      return Promise.resolve();
    }
  } as unknown as new (model: string) => Adapter;
}

const { privateKey } = await generateKeyPair(alg, { extractable: true });
const configuration: Configuration = {
  jwks: { keys: [{ ...(await exportJWK(privateKey)), alg, use: 'sig' }] },
  ...(setUp === 'DURABLE'
    ? { adapter: sqliteAdapter() }
    : { clients: [{ ...client, grant_types: [...client.grant_types], response_types: [], redirect_uris: [] }] }),
  features: {
    clientCredentials: { enabled: true },
    devInteractions: { enabled: false },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => 'urn:gateway',
      useGrantedResource: () => true,
      getResourceServerInfo: () => ({
        scope: 'default',
        accessTokenFormat: 'jwt',
        accessTokenTTL: 3600,
        jwt: { sign: { alg } },
      }),
    },
  },
};
const provider = new Provider('http://127.0.0.1', configuration);
const server = provider.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('Not listening');
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${address.port}/token` })}\n`);
});
await untilInputEnds();
server.closeAllConnections();
server.close();
rmSync(folder, { recursive: true });
