import { Bytes } from '@kethub/contract';
import { Type } from 'typebox';
import { personOf, platformEndpoint as endpoint, type PlatformEndpoint } from '../../foundation/http/index.ts';
import type { AccountServices } from './services.ts';
import { removeProfileImage, postProfileImage, readProfileImage } from './profile-image.ts';
import { userPath } from './user-path.ts';

const tag = 'Profile image';

export const profileImageEndpoints = (services: AccountServices): PlatformEndpoint[] => [
  endpoint({
    method: 'POST',
    path: '/me/profile-image',
    id: 'uploadProfileImage',
    tag,
    access: 'APPROVED',
    consumes: { 'multipart/form-data': Type.Object({ file: Bytes }) },
    summary: 'Upload your profile image',
    description:
      'One file part named `file`: JPEG or PNG, at most 5 MB and 40 megapixels. It replaces the previous one. Stored without metadata.',
    answers: { 204: null },
    problems: ['invalid-image', 'unsupported-media-type'],
    run: ({ caller, request }) => postProfileImage(services, personOf(caller), request),
  }),
  endpoint({
    method: 'DELETE',
    path: '/me/profile-image',
    id: 'deleteProfileImage',
    tag,
    access: 'APPROVED',
    summary: 'Delete your profile image',
    description: 'Succeeds as well when there is none.',
    answers: { 204: null },
    problems: [],
    run: ({ caller }) => removeProfileImage(services, personOf(caller)),
  }),
  endpoint({
    method: 'GET',
    path: '/users/:id/profile-image',
    id: 'getProfileImage',
    tag,
    access: 'ANYONE',
    summary: 'Read the profile image of a user',
    description: 'Not found when there is no approved user of this id; 204 when the user has no image.',
    params: userPath,
    answers: { 200: { media: ['image/jpeg', 'image/png'] }, 204: null, 304: null },
    sends: ['ETag', 'Cache-Control', 'Content-Length'],
    problems: ['not-found', 'identity-provider-unavailable'],
    lookup: { cost: 1 },
    handle: ({ params, request }) => readProfileImage(services, params.id, request),
  }),
];
