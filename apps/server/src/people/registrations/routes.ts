import { approvalStatuses, ChangeRegistrationRequest, limits, Registration, worded } from '@kethub/contract';
import { Type } from 'typebox';
import {
  answerTagged,
  list,
  noStore,
  personOf,
  platformEndpoint as endpoint,
  type PlatformEndpoint,
} from '../../foundation/http/index.ts';
import type { IdentityService } from '../identity/index.ts';
import type { Mailer } from '../../foundation/mail/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { changeRegistration } from './change-registration.ts';
import { findRegistration, listRegistrations, readRegistration } from './read-registrations.ts';

const tag = 'Registrations';
const path = Type.Object({ id: Type.String({ description: 'Subject of the identity provider.' }) });
const query = Type.Object({
  status: Type.Optional(Type.Enum([...approvalStatuses])),
  email: Type.Optional(
    Type.String({
      pattern: worded(String.raw`^[^@\s\u0000]+@[^@\s\u0000]+$`, 'must be an e-mail address such as ada@example.org'),
      maxLength: 320,
      description: 'Only the person with this address; other filters are ignored.',
    }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.pageSize })),
  cursor: Type.Optional(Type.String({ pattern: worded('^[0-9a-f-]{1,36}$', 'must be the cursor of a page') })),
});

/** Endpoints by which administrators approve, reject and block people. */
export const registrationEndpoints = (
  platform: Platform,
  identity: IdentityService,
  mailer: Mailer,
): PlatformEndpoint[] => {
  const { administration } = identity;
  return [
    endpoint({
      method: 'GET',
      path: '/registrations',
      id: 'listRegistrations',
      tag,
      access: 'ADMINISTRATOR',
      summary: 'List people with the status of their registration',
      description:
        'Newest first; with a Keycloak by username, which is the only order it has. All, or a page with `Link: rel="next"`.',
      query,
      answers: { 200: Type.Array(Registration) },
      problems: [],
      handle: async ({ query: { email, status, ...page } }) =>
        email === undefined
          ? list(page, listRegistrations(administration, `${platform.addresses.api}/registrations`, status))
          : { status: 200, body: await findRegistration(identity, administration, email) },
    }),
    endpoint({
      method: 'GET',
      path: '/registrations/:id',
      id: 'getRegistration',
      tag,
      access: 'ADMINISTRATOR',
      summary: 'Read the registration of a person',
      params: path,
      answers: { 200: Registration },
      problems: ['not-found'],
      handle: async ({ params }) => answerTagged(await readRegistration(administration, params.id), noStore),
    }),
    endpoint({
      method: 'PATCH',
      path: '/registrations/:id',
      id: 'changeRegistration',
      tag,
      access: 'ADMINISTRATOR',
      summary: 'Approve or reject a registration; switch an account off or on',
      description:
        'PENDING becomes APPROVED or REJECTED, REJECTED becomes APPROVED. A person who is rejected or switched off cannot sign in any more. Open sessions and tokens are refused at once, with a Keycloak within 10 s. Takes `If-Match`.',
      params: path,
      body: ChangeRegistrationRequest,
      answers: { 200: Registration },
      problems: ['not-found', 'conflict', 'stale'],
      handle: async ({ caller, params, body, request }) => {
        return answerTagged(
          await changeRegistration(platform, mailer, administration, {
            administrator: personOf(caller),
            id: params.id,
            decision: body,
            ifMatch: request.headers['if-match'],
          }),
          noStore,
        );
      },
    }),
  ];
};
