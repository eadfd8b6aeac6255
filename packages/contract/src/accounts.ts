import { Type, type Static } from 'typebox';
import { Id, Request, Timestamp, nullable } from './fields.ts';
import { limits } from './limits.ts';

export const UserDto = Type.Object(
  {
    id: Type.String({ description: 'Subject of the identity provider.' }),
    username: Type.String(),
    email: Type.String(),
    firstname: Type.String(),
    lastname: Type.String(),
    currentPosition: nullable('string'),
    homepage: nullable('string'),
    about: nullable('string'),
  },
  { $id: 'UserDto' },
);
export type UserDto = Static<typeof UserDto>;

export const CreateAccessTokenRequest = Request(
  {
    name: Type.String({ minLength: 1, maxLength: limits.tokenNameLength }),
    expiresAt: Type.Optional(
      nullable('string', {
        pattern: String.raw`^\d{4}-\d{2}-\d{2}$`,
        description: 'yyyy-MM-dd; valid through the end of that day, UTC.',
      }),
    ),
  },
  { $id: 'CreateAccessTokenRequest' },
);
export type CreateAccessTokenRequest = Static<typeof CreateAccessTokenRequest>;

const metadata = {
  id: Id,
  name: Type.String({ minLength: 1 }),
  createdAt: Timestamp,
  usedAt: nullable('string', { description: 'yyyy-MM-dd HH:mm:ss, UTC. Null when never used.' }),
  expiresAt: nullable('string', { description: 'yyyy-MM-dd. Null means no expiry.' }),
};

export const AccessTokenMetadataDto = Type.Object(metadata, { $id: 'AccessTokenMetadataDto' });
export type AccessTokenMetadataDto = Static<typeof AccessTokenMetadataDto>;

export const AccessTokenDto = Type.Object(
  { ...metadata, value: nullable('string', { description: 'Raw token, only in the answer that created it.' }) },
  { $id: 'AccessTokenDto' },
);
export type AccessTokenDto = Static<typeof AccessTokenDto>;

export const AccessTokensDto = Type.Object(
  { defaultToken: Type.String(), accessTokens: Type.Array(AccessTokenDto) },
  { $id: 'AccessTokensDto' },
);
export type AccessTokensDto = Static<typeof AccessTokensDto>;

export const DefaultAccessTokenDto = Type.Object({ defaultToken: Type.String() }, { $id: 'DefaultAccessTokenDto' });
export type DefaultAccessTokenDto = Static<typeof DefaultAccessTokenDto>;

export const PersonalAccessTokenPrincipal = Type.Object(
  { id: Type.String(), accessToken: AccessTokenMetadataDto },
  { $id: 'PersonalAccessTokenPrincipal' },
);
export type PersonalAccessTokenPrincipal = Static<typeof PersonalAccessTokenPrincipal>;
