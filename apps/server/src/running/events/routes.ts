import { ChangeEvent } from '@kethub/contract';
import { Type } from 'typebox';
import { contextOf, platformEndpoint as endpoint, type PlatformEndpoint } from '../../foundation/http/index.ts';
import type { Context, Platform } from '../../foundation/platform.ts';
import { joinedOrganizations } from '../../people/organizations/index.ts';
import { answerEvents, createStreamSlots, type Owners } from './answer-events.ts';
import { ChangeFeed } from './change-feed.ts';

export function eventEndpoints(platform: Platform): PlatformEndpoint[] {
  const feed = new ChangeFeed(platform);
  const slots = createStreamSlots(platform);
  return [
    endpoint({
      method: 'GET',
      path: '/events',
      id: 'listEvents',
      tag: 'Events',
      access: 'execution:list',
      summary: 'Hear of changes of executions, instances, incidents and builds of the context',
      description:
        'With `Accept: text/event-stream` a stream that goes on, for five minutes at most; else what has happened since `Last-Event-ID`. An event has ids only. With an unknown position, or none, the first event is `reset`. Delivery is a hint: read again what is shown when you come back to it.',
      query: Type.Object({
        everywhere: Type.Optional(
          Type.Boolean({
            description: 'Also of all organizations that the caller has joined, whatever the context is.',
          }),
        ),
      }),
      answers: { 200: { media: ['text/event-stream', 'application/json'], json: Type.Array(ChangeEvent) } },
      problems: ['too-many-readers'],
      handle: async ({ caller, query, request, reply }) => {
        const context = contextOf(caller);
        const owners = query.everywhere === true ? await everyOwner(platform, context) : [context];
        return answerEvents(feed, { personId: context.personId, owners, slots }, request, reply);
      },
    }),
  ];
}

async function everyOwner({ database }: Platform, { personId }: Context): Promise<Owners> {
  const joined = await joinedOrganizations(database.read, personId);
  return [{ type: 'USER', id: personId }, ...joined.map(({ id }) => ({ type: 'ORGANIZATION' as const, id }))];
}
