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
import { implementationsFor } from '../implementations/index.ts';
import { pageOfServices } from '../services/index.ts';

/** Results of each kind; a longer list is searched by its own operation. */
const MOST = 20;

/** The search for everything of a context by name, for a command palette. */
export const findingEndpoints = (platform: Platform): PlatformEndpoint[] => [
  endpoint({
    method: 'GET',
    path: '/search/everything',
    id: 'searchEverything',
    tag: 'Search',
    access: 'service:list',
    summary: 'Find services, applications, data pools and implementations of the context by a part of their name',
    query: Type.Object({ q: NamePart }),
    answers: { 200: Type.Array(FoundThing) },
    problems: [],
    handle: async ({ caller, query }) => ({ status: 200, body: await find(platform, contextOf(caller), query.q) }),
  }),
];

/** A token that is limited to some services finds these alone. */
async function find({ database, now }: Platform, context: Context, q: string): Promise<FoundThing[]> {
  const [services, applications, pools, implementations] = await Promise.all([
    pageOfServices(database, context, { q, now: now() }, null, MOST),
    pageOfApplications(database.read, context, { q }, null, MOST),
    poolsFor(database.read, context, { q }, null, MOST),
    implementationsFor(database.read, context, { q }, null, MOST),
  ]);
  const found = (
    type: FoundThing['type'],
    { id, name }: { readonly id: string; readonly name: string },
  ): FoundThing => ({ type, id, name });
  return [
    ...services.map((one) => found('SERVICE', one)),
    ...applications.map((one) => found('APPLICATION', one)),
    ...pools.map((one) => found('DATA_POOL', one)),
    ...implementations.map((one) => found('IMPLEMENTATION', one)),
  ];
}
