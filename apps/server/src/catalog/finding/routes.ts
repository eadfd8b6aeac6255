import { FoundThing } from '@kethub/contract';
import { Type } from 'typebox';
import {
  contextOf,
  NamePart,
  platformEndpoint as endpoint,
  type PlatformEndpoint,
} from '../../foundation/http/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import { pageOfApplications } from '../applications/index.ts';
import { poolsFor } from '../datapools/index.ts';
import { pageOfServices } from '../services/index.ts';

/** Results of each kind; a longer list is searched by its own operation. */
const MOST = 20;
/** Data pools that are looked through. */
const MOST_POOLS = 1_000;

/** The search for everything of a context by name, for a command palette. */
export const findingEndpoints = (platform: Platform): PlatformEndpoint[] => [
  endpoint({
    method: 'GET',
    path: '/search/everything',
    id: 'searchEverything',
    tag: 'Search',
    access: 'service:list',
    summary: 'Find services, applications and data pools of the context by a part of their name',
    query: Type.Object({ q: NamePart }),
    answers: { 200: Type.Array(FoundThing) },
    problems: ['invalid-request'],
    handle: async ({ caller, query }) => ({ status: 200, body: await find(platform, contextOf(caller), query.q) }),
  }),
];

async function find({ database }: Platform, context: Context, q: string): Promise<FoundThing[]> {
  const [services, applications, pools] = await Promise.all([
    pageOfServices(database, context, { q }, null, MOST),
    pageOfApplications(database.read, context, { q }, null, MOST),
    poolsFor(database.read, context, null, MOST_POOLS),
  ]);
  const isNamed = ({ name }: { readonly name: string }): boolean => name.toLowerCase().includes(q.toLowerCase());
  return [
    ...services.map(({ id, name }) => ({ type: 'SERVICE' as const, id, name })),
    ...applications.map(({ id, name }) => ({ type: 'APPLICATION' as const, id, name })),
    ...pools
      .filter(isNamed)
      .slice(0, MOST)
      .map(({ id, name }) => ({ type: 'DATA_POOL' as const, id, name })),
  ];
}
