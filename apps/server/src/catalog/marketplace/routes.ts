import {
  ApiSpecification,
  categories,
  Id,
  limits,
  Listing,
  ListingRequest,
  MarketplaceEntry,
  MarketplaceService,
} from '@kethub/contract';
import { Type } from 'typebox';
import {
  answerPut,
  answerTagged,
  contextOf,
  list,
  ListQuery,
  platformEndpoint as endpoint,
  type PlatformEndpoint,
} from '../../foundation/http/index.ts';
import type { IdentityProvider } from '../../people/identity/index.ts';
import type { Platform } from '../../foundation/platform.ts';
import { answerSpecification } from '../services/index.ts';
import { readMarketplace, readOffer, readOfferedSpecification } from './browse.ts';
import { publishListing, readListing, unpublishListing } from './publish.ts';

const tag = 'Marketplace';
const servicePath = Type.Object({ serviceId: Id });
const found = ['invalid-request', 'not-found'] as const;
const marketplaceQuery = Type.Object({
  ...ListQuery.properties,
  q: Type.Optional(
    Type.String({
      maxLength: limits.marketplaceQueryLength,
      description: 'Part of a title, a summary or the name of a provider; upper or lower case.',
    }),
  ),
  category: Type.Optional(Type.Enum([...categories])),
});

/** Endpoints for the services in the marketplace, and for the listings of their owners. */
export const marketplaceEndpoints = (platform: Platform, identity: IdentityProvider): PlatformEndpoint[] => [
  endpoint({
    method: 'GET',
    path: '/marketplace/services',
    id: 'browseMarketplace',
    tag,
    access: 'APPROVED',
    summary: 'List or search the services in the marketplace, newest first',
    query: marketplaceQuery,
    answers: { 200: Type.Array(MarketplaceEntry) },
    problems: [],
    handle: ({ query }) => list(query, readMarketplace(platform, query)),
  }),
  endpoint({
    method: 'GET',
    path: '/marketplace/services/:serviceId',
    id: 'getMarketplaceService',
    tag,
    access: 'APPROVED',
    summary: 'Read a service in the marketplace with its pricing plans',
    params: servicePath,
    answers: { 200: MarketplaceService },
    problems: found,
    run: ({ params }) => readOffer(platform, params.serviceId),
  }),
  endpoint({
    method: 'GET',
    path: '/marketplace/services/:serviceId/api-specification',
    id: 'getMarketplaceApiSpecification',
    tag,
    access: 'APPROVED',
    summary: 'Read the API specification of a service in the marketplace (OpenAPI)',
    params: servicePath,
    answers: { 200: ApiSpecification, 304: null },
    problems: found,
    handle: async ({ params, request }) =>
      answerSpecification(request, await readOfferedSpecification(platform, params.serviceId)),
  }),
  endpoint({
    method: 'GET',
    path: '/services/:serviceId/listing',
    id: 'getListing',
    tag,
    access: 'listing:read',
    summary: 'Read how a service of one’s own is offered',
    params: servicePath,
    answers: { 200: Listing },
    problems: found,
    handle: async ({ params, caller }) =>
      answerTagged(await readListing(platform, contextOf(caller), params.serviceId)),
  }),
  endpoint({
    method: 'PUT',
    path: '/services/:serviceId/listing',
    id: 'publishListing',
    tag,
    access: 'listing:publish',
    summary: 'Offer a published version in the marketplace',
    description:
      'One version at a time, in the place of what was offered before. Those who have subscribed keep their version, plan and prices.',
    params: servicePath,
    body: ListingRequest,
    answers: { 200: Listing, 201: Listing },
    problems: [...found, 'conflict', 'stale', 'identity-provider-unavailable'],
    handle: async ({ params, body, caller, request }) => {
      const ifMatch = request.headers['if-match'];
      return answerPut(await publishListing(platform, identity, contextOf(caller), params.serviceId, body, ifMatch));
    },
  }),
  endpoint({
    method: 'DELETE',
    path: '/services/:serviceId/listing',
    id: 'unpublishListing',
    tag,
    access: 'listing:unpublish',
    summary: 'Take a service out of the marketplace',
    description: 'Those who have subscribed keep what they have; nobody else can subscribe.',
    params: servicePath,
    answers: { 204: null },
    problems: [...found, 'stale'],
    run: ({ params, caller, request }) =>
      unpublishListing(platform, contextOf(caller), params.serviceId, request.headers['if-match']),
  }),
];
