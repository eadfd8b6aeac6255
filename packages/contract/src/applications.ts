import { Type, type Static } from 'typebox';
import { Id, Owner, Request, Timestamp, Version, nullable } from './fields.ts';
import { limits } from './limits.ts';
import { DeclaredHosts } from './services.ts';
import { UsageLimits, UsageToday } from './usage-limits.ts';
import { PricingPlan } from './marketplace.ts';
import { NOT_BLANK } from './patterns.ts';

export const AccessKey = Type.Object(
  {
    id: Id,
    accessKeyId: Type.String({ description: 'Public half of the key pair.' }),
    secretAccessKey: Type.String({ description: 'Masked, except in the answer that created it and when revealed.' }),
    createdAt: Timestamp,
    expiresAt: nullable('string', {
      description: 'Set when a newer key pair replaces this one: until then both work.',
    }),
  },
  { $id: 'AccessKey' },
);
export type AccessKey = Static<typeof AccessKey>;

export const Application = Type.Object(
  {
    id: Id,
    name: Type.String(),
    owner: Owner,
    createdAt: Timestamp,
    tokenEndpoint: Type.String({ description: 'Address at which the application requests bearer tokens.' }),
    accessKeys: Type.Array(AccessKey, { description: 'Newest first.' }),
  },
  { $id: 'Application' },
);
export type Application = Static<typeof Application>;

export const CreateApplicationRequest = Request(
  { name: Type.String({ minLength: 1, maxLength: limits.nameLength, pattern: NOT_BLANK }) },
  { $id: 'CreateApplicationRequest' },
);

export const RotateAccessKeyRequest = Request(
  {
    overlapSeconds: Type.Integer({
      minimum: 0,
      maximum: 30 * 86_400,
      default: 0,
      description: 'The time for which the previous key pairs still work.',
    }),
  },
  { $id: 'RotateAccessKeyRequest' },
);

export const bases = ['INTERNAL', 'SHARE', 'MARKETPLACE'] as const;
export type Basis = (typeof bases)[number];

export const Subscription = Type.Object(
  {
    id: Id,
    serviceId: Id,
    serviceName: Type.String(),
    version: Version,
    endpoint: Type.String({ description: 'Address of the service at the gateway.' }),
    basis: Type.Enum([...bases], { description: 'Reason why the application could subscribe.' }),
    pricingPlan: Type.Optional(PricingPlan),
    hosts: Type.Optional(DeclaredHosts),
    limits: UsageLimits,
    usage: UsageToday,
    createdAt: Timestamp,
  },
  {
    $id: 'Subscription',
    description:
      '`pricingPlan` stands in a subscription made in the marketplace: as it was then, which holds until the application subscribes anew.',
  },
);
export type Subscription = Static<typeof Subscription>;

export const SubscribeRequest = Request(
  {
    serviceId: Id,
    version: Type.Optional(Version),
    pricingPlanId: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'The plan of the marketplace to subscribe on.' }),
    ),
  },
  {
    $id: 'SubscribeRequest',
    description: 'Without `version`, the newest published one. In the marketplace, the one that is offered there.',
  },
);
export type SubscribeRequest = Static<typeof SubscribeRequest>;

/** A service as a task for Camunda's desktop modeler. */
export const ElementTemplate = Type.Object(
  {
    $schema: Type.String(),
    name: Type.String(),
    id: Type.String({
      description: 'Names the service, so that a task keeps its template when the service is renamed.',
    }),
    version: Type.Integer({ minimum: 0, description: 'Grows with the version of the service.' }),
    description: Type.Optional(Type.String()),
    appliesTo: Type.Array(Type.String()),
    elementType: Type.Object({ value: Type.String() }),
    groups: Type.Array(Type.Object({ id: Type.String(), label: Type.String() })),
    properties: Type.Array(Type.Unsafe<object>({ type: 'object', additionalProperties: true })),
  },
  { $id: 'ElementTemplate', description: 'An element template of Camunda 8.' },
);
export type ElementTemplate = Static<typeof ElementTemplate>;
