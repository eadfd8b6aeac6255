import { SigningKeyRenewal, toTimestamp } from '@kethub/contract';
import { Type } from 'typebox';
import { audit, ownContext } from '../people/audit/index.ts';
import { gatewayKeyKind } from '../running/gateway/index.ts';
import {
  personOf,
  platformEndpoint as endpoint,
  type Answer,
  type PlatformEndpoint,
} from '../foundation/http/index.ts';
import { oidcKeyKind } from '../people/identity/index.ts';
import type { Person, Platform } from '../foundation/platform.ts';
import { renewKey } from '../people/identity/index.ts';

export const signingKeyEndpoints = (platform: Platform): PlatformEndpoint[] => [
  endpoint({
    method: 'POST',
    path: '/signing-keys/renewal',
    id: 'renewSigningKeys',
    tag: 'Signing keys',
    access: 'ADMINISTRATOR',
    summary: 'Renew the keys that sign tokens before they are due',
    description:
      'The new keys sign an hour later, and what the old ones have signed stays valid until it expires. A key that does not sign yet is not renewed again.',
    answers: { 200: Type.Array(SigningKeyRenewal) },
    problems: [],
    handle: ({ caller }) => renewSigningKeys(platform, personOf(caller)),
  }),
];

export async function renewSigningKeys(platform: Platform, administrator: Person): Promise<Answer> {
  const body: SigningKeyRenewal[] = [
    { use: 'BEARER_TOKENS', signsAt: toTimestamp(await renewKey(platform, gatewayKeyKind)) },
  ];
  if (!platform.configuration.keycloak)
    body.push({ use: 'LOGIN_SESSIONS', signsAt: toTimestamp(await renewKey(platform, oidcKeyKind)) });
  await platform.database.write((transaction) =>
    audit(platform, transaction, ownContext(administrator.id), 'signing-keys:renew', 'signing-keys', { keys: body }),
  );
  return { status: 200, body };
}
