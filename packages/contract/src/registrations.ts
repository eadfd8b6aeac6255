import { Type, type Static } from 'typebox';
import { Request, Timestamp } from './fields.ts';

export const approvalStatuses = ['PENDING', 'APPROVED', 'REJECTED'] as const;
export type ApprovalStatus = (typeof approvalStatuses)[number];

/** A person as administrators see them. */
export const Registration = Type.Object(
  {
    id: Type.String({ description: 'Subject of the identity provider.' }),
    username: Type.String(),
    email: Type.String(),
    emailVerified: Type.Boolean(),
    firstname: Type.String(),
    lastname: Type.String(),
    status: Type.Enum([...approvalStatuses]),
    enabled: Type.Boolean({ description: 'False: the account is switched off.' }),
    createdAt: Type.Union([Timestamp, Type.Null()], { description: 'Null when the identity provider does not know.' }),
  },
  { $id: 'Registration' },
);
export type Registration = Static<typeof Registration>;

export const ChangeRegistrationRequest = Request(
  {
    status: Type.Optional(Type.Enum(['APPROVED', 'REJECTED'])),
    enabled: Type.Optional(Type.Boolean()),
  },
  { $id: 'ChangeRegistrationRequest', minProperties: 1, description: 'Members that are absent stay as they are.' },
);
export type ChangeRegistrationRequest = Static<typeof ChangeRegistrationRequest>;

/** An identity provider at which people sign in. */
export const SignInEndpoint = Type.Object(
  {
    issuer: Type.String({ description: 'OpenID Connect issuer; its discovery document names the endpoints.' }),
    clientId: Type.String({ description: 'The public client to sign in with. PKCE protects the code.' }),
    scope: Type.String({ description: 'Scopes that make an access token one for the platform interface.' }),
  },
  { $id: 'SignInEndpoint' },
);
export type SignInEndpoint = Static<typeof SignInEndpoint>;
