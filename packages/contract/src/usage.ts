import { Type, type Static } from 'typebox';
import { Id, Request, Timestamp, Version } from './fields.ts';
import { ChosenId, Decimal } from './marketplace.ts';

/** A provider's report of the use of an on-premise service. */
export const UsageReport = Request(
  {
    subscriptionId: Type.String({
      format: 'uuid',
      description: 'The subscription of the calls. The gateway sends it to the service as `X-Kethub-Subscription-Id`.',
    }),
    product: Type.Unsafe<string>({
      ...ChosenId,
      description: 'Name of the use. On a commercial plan: the id of a product of it that is metered as REPORTED.',
      examples: ['shots'],
    }),
    amount: Decimal,
    at: Type.Optional(
      Type.Unsafe<string>({
        ...Timestamp,
        description: 'When it was used: yyyy-MM-dd HH:mm:ss, UTC. Now when left out.',
      }),
    ),
    test: Type.Boolean({ default: false, description: 'Checked and recorded like any other, and never counted.' }),
  },
  { $id: 'UsageReport' },
);
export type UsageReport = Static<typeof UsageReport>;

export const UsageRecord = Type.Object(
  {
    id: Id,
    subscriptionId: Id,
    serviceId: Id,
    version: Version,
    product: Type.String(),
    amount: Type.String(),
    unitPrice: Type.Optional(Type.String({ description: 'Price of a unit on a commercial plan.' })),
    currency: Type.Optional(Type.String()),
    at: Timestamp,
    test: Type.Boolean(),
    createdAt: Timestamp,
  },
  { $id: 'UsageRecord' },
);
export type UsageRecord = Static<typeof UsageRecord>;
