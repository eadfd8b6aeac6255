import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';

const REALM_FILE = path.resolve(import.meta.dirname, '../../../../script/keycloak/realm.json');

/** A separate realm on a real Keycloak, made from the project's realm file. */
export interface TestRealm {
  readonly name: string;
  /** Address of the server, without a slash at the end. */
  readonly origin: string;
  readonly issuer: string;
  /** Settings of a platform that uses this realm. */
  readonly settings: Readonly<Record<string, string>>;
  /** Calls the admin interface of the realm as the administrator of the server. Throws unless the call succeeds. */
  admin(method: string, path: string, body?: unknown): Promise<unknown>;
  /** Removes the realm. */
  remove(): Promise<void>;
}

const SERVER = process.env['KETHUB_TEST_KEYCLOAK_URL'];
/** False on a machine that cannot fetch a Keycloak: tests with a realm are skipped there. */
export const hasKeycloak = SERVER !== undefined;

/** Makes a realm on a Keycloak: by default on the one that the run of tests has started. */
export async function createTestRealm(server = SERVER): Promise<TestRealm> {
  if (server === undefined) throw new Error('This run has no Keycloak. Skip the test unless `hasKeycloak`.');
  const { origin, username, password } = new URL(server);
  const name = `kethub-${randomBytes(6).toString('hex')}`;
  const secret = randomBytes(16).toString('hex');

  const call = async (method: string, address: string, body?: unknown): Promise<unknown> => {
    // A new token for each call, because a token expires after a minute.
    const granted = await fetch(`${origin}/realms/master/protocol/openid-connect/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'password', client_id: 'admin-cli', username, password }),
    });
    const { access_token } = (await granted.json()) as { access_token: string };
    const response = await fetch(`${origin}/admin/realms${address}`, {
      method,
      headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${address} answered ${response.status}: ${text}`);
    return text === '' ? null : JSON.parse(text);
  };

  const file = JSON.parse(await readFile(REALM_FILE, 'utf8')) as { clients: { clientId: string }[] };
  const clients = file.clients.map((client) => (client.clientId === 'kethub-admin' ? { ...client, secret } : client));
  await call('POST', '', { ...file, realm: name, clients });
  const issuer = `${origin}/realms/${name}`;
  await askOnce(issuer, secret);
  return {
    name,
    origin,
    issuer,
    settings: {
      KETHUB_IDENTITY_PROVIDER: 'keycloak',
      KETHUB_OIDC_ISSUER: issuer,
      KETHUB_KEYCLOAK_ADMIN_CLIENT_ID: 'kethub-admin',
      KETHUB_KEYCLOAK_ADMIN_CLIENT_SECRET: secret,
    },
    admin: (method, address, body) => call(method, `/${name}${address}`, body),
    async remove() {
      await call('DELETE', `/${name}`);
    },
  };
}

/** Warms a realm up: the first answers of a realm and of a Keycloak are slower than the timeout of a platform. */
async function askOnce(issuer: string, secret: string): Promise<void> {
  const { token_endpoint, jwks_uri } = (await (await fetch(`${issuer}/.well-known/openid-configuration`)).json()) as {
    token_endpoint: string;
    jwks_uri: string;
  };
  await (await fetch(jwks_uri)).text();
  const granted = await fetch(token_endpoint, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: 'kethub-admin',
      client_secret: secret,
    }),
  });
  const { access_token } = (await granted.json()) as { access_token: string };
  const users = issuer.replace('/realms/', '/admin/realms/');
  const headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' };
  await (await fetch(`${users}/users?max=1`, { headers })).text();
  const person = { username: 'first', enabled: true, credentials: [{ type: 'password', value: secret }] };
  const made = await fetch(`${users}/users`, { method: 'POST', headers, body: JSON.stringify(person) });
  await made.text();
  const location = made.headers.get('location');
  if (location === null) return;
  for (const method of ['GET', 'DELETE']) await (await fetch(location, { method, headers })).text();
}
