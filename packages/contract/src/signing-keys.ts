import { Type, type Static } from 'typebox';
import { Timestamp } from './fields.ts';

export const SigningKeyRenewal = Type.Object(
  {
    use: Type.Enum(['BEARER_TOKENS', 'LOGIN_SESSIONS'], {
      description: 'The tokens that the key signs. Login sessions of an external identity provider are signed there.',
    }),
    signsAt: { ...Timestamp, description: 'When the new key begins to sign, in UTC. Until then it is only published.' },
  },
  { $id: 'SigningKeyRenewal' },
);
export type SigningKeyRenewal = Static<typeof SigningKeyRenewal>;
