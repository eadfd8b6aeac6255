import { Type, type Static } from 'typebox';
import { Id, Request, Timestamp, nullable } from './fields.ts';
import { limits } from './limits.ts';
import { operations, type Operation } from './operations.ts';
import { worded } from './patterns.ts';

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

export const UpdateUserRequest = Request(
  {
    currentPosition: Type.Optional(nullable('string', { maxLength: limits.currentPositionLength })),
    homepage: Type.Optional(
      nullable('string', { maxLength: limits.homepageLength, description: 'An absolute http or https address.' }),
    ),
    about: Type.Optional(nullable('string', { maxLength: limits.aboutLength })),
  },
  {
    $id: 'UpdateUserRequest',
    description: 'A field that is absent or null keeps its value; an empty text clears it to null.',
  },
);
export type UpdateUserRequest = Static<typeof UpdateUserRequest>;

const overview = { id: Type.String(), firstname: Type.String(), lastname: Type.String() };

export const UserOverviewDto = Type.Object(overview, { $id: 'UserOverviewDto' });
export type UserOverviewDto = Static<typeof UserOverviewDto>;

export const UserSearchDto = Type.Object(overview, { $id: 'UserSearchDto' });
export type UserSearchDto = Static<typeof UserSearchDto>;

export const BatchUserRequest = Request(
  {
    ids: Type.Array(Type.String(), { maxItems: limits.batchUsers, description: 'Duplicates are ignored.' }),
  },
  { $id: 'BatchUserRequest' },
);
export type BatchUserRequest = Static<typeof BatchUserRequest>;

export const BatchUserResponseDto = Type.Object(
  {
    users: Type.Array(UserOverviewDto, { description: 'The approved users among them, in the order asked.' }),
    notFound: Type.String({
      description: 'The other ids, joined with commas, in the order asked; empty when there are none.',
    }),
  },
  { $id: 'BatchUserResponseDto' },
);
export type BatchUserResponseDto = Static<typeof BatchUserResponseDto>;

export const RegistrationStatus = Type.Enum(['PENDING', 'APPROVED', 'REJECTED', 'NOT_FOUND', 'EMAIL_NOT_VERIFIED']);
export type RegistrationStatus = Static<typeof RegistrationStatus>;

export const RegistrationResponse = Type.Object(
  { status: RegistrationStatus, message: nullable('string', { description: 'For the person, in a sentence.' }) },
  { $id: 'RegistrationResponse' },
);
export type RegistrationResponse = Static<typeof RegistrationResponse>;

/** Rights of a personal access token; without it, all rights of its user. */
export const AccessTokenScope = Request(
  {
    operations: Type.Array(Type.Enum(Object.keys(operations) as Operation[]), {
      minItems: 1,
      maxItems: limits.tokenOperations,
      uniqueItems: true,
      description: 'The operations that it may call, as far as the role of its user allows them.',
    }),
    organizationId: Type.Optional(
      nullable('string', {
        maxLength: limits.idLength,
        description: 'The organization for which it acts, named in X-OrganizationId as well. Null: personally.',
      }),
    ),
    serviceIds: Type.Optional(
      Type.Array(Id, {
        minItems: 1,
        maxItems: limits.tokenServices,
        uniqueItems: true,
        description: 'It may act on these services and their executions only. Left out: on everything of its owner.',
      }),
    ),
  },
  { $id: 'AccessTokenScope' },
);
export type AccessTokenScope = Static<typeof AccessTokenScope>;

export const CreateAccessTokenRequest = Request(
  {
    name: Type.String({ minLength: 1, maxLength: limits.tokenNameLength }),
    expiresAt: Type.Optional(
      nullable('string', {
        pattern: worded(String.raw`^\d{4}-\d{2}-\d{2}$`, 'must be a date such as 2026-01-31'),
        description: 'yyyy-MM-dd; valid through the end of that day, UTC.',
      }),
    ),
    scope: Type.Optional(AccessTokenScope),
  },
  {
    $id: 'CreateAccessTokenRequest',
    description: `A token with a \`scope\` needs \`expiresAt\`, at most ${limits.scopedTokenDays} days from now.`,
  },
);
export type CreateAccessTokenRequest = Static<typeof CreateAccessTokenRequest>;

const metadata = {
  id: Id,
  name: Type.String({ minLength: 1 }),
  createdAt: Timestamp,
  usedAt: nullable('string', { description: 'yyyy-MM-dd HH:mm:ss, UTC. Null when never used.' }),
  expiresAt: nullable('string', { description: 'yyyy-MM-dd. Null means no expiry.' }),
  scope: Type.Optional(AccessTokenScope),
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
