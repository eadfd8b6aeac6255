import { Type, type Static } from 'typebox';
import { Id, Owner, Request, Timestamp, Version, nullable, timestampPattern } from './fields.ts';
import { limits } from './limits.ts';
import { DeclaredHosts, ServiceParameter, serviceTypes } from './services.ts';

export const shareStatuses = ['ACTIVE', 'NOT_YET', 'EXPIRED', 'NEVER_ACTIVE'] as const;
export type ShareStatus = (typeof shareStatuses)[number];

const dateAndTime = (description: string) =>
  nullable('string', { pattern: timestampPattern, description: `${description} yyyy-MM-dd HH:mm:ss, UTC.` });
const constraints = {
  startDate: dateAndTime('Not active before. Null: from now on.'),
  endDate: dateAndTime('Not active any more from then on. Null: without end.'),
};

export const accesses = ['JOBS', 'API'] as const;
export type Access = (typeof accesses)[number];

const opens = (description: string) =>
  Type.Array(Type.Enum([...accesses]), {
    description: `${description} JOBS: the recipient runs it in the job interface. API: applications of the recipient can subscribe to it and call it.`,
  });

export const Recipient = Request(
  {
    type: Type.Enum(['USER', 'ORGANIZATION']),
    id: Type.String({ minLength: 1, maxLength: limits.idLength }),
  },
  { $id: 'Recipient', description: 'An approved user, or an organization.' },
);
export type Recipient = Static<typeof Recipient>;

export const Share = Type.Object(
  {
    id: Id,
    serviceId: Id,
    recipient: Recipient,
    ...constraints,
    status: Type.Enum([...shareStatuses], {
      description: 'NEVER_ACTIVE: it ends before it starts.',
    }),
    opens: opens('Rights that the share gives while it is ACTIVE, with the versions that the service has now.'),
    createdAt: Timestamp,
  },
  { $id: 'Share', description: 'Access of a user or an organization to a service, while all constraints hold.' },
);
export type Share = Static<typeof Share>;

const given = { startDate: Type.Optional(constraints.startDate), endDate: Type.Optional(constraints.endDate) };

export const CreateShareRequest = Request({ recipient: Recipient, ...given }, { $id: 'CreateShareRequest' });
export type CreateShareRequest = Static<typeof CreateShareRequest>;

export const ChangeShareRequest = Request(given, {
  $id: 'ChangeShareRequest',
  minProperties: 1,
  description: 'A constraint that is absent stays; null takes it away.',
});
export type ChangeShareRequest = Static<typeof ChangeShareRequest>;

export const SharedServiceVersion = Type.Object(
  {
    version: Version,
    state: Type.Enum(['DRAFT', 'PUBLISHED']),
    publishedAt: Type.Optional(Timestamp),
    opens: opens('Rights of the recipient on the version.'),
    parameters: Type.Optional(Type.Array(ServiceParameter, { description: 'Parameters of run().' })),
    hosts: Type.Optional(DeclaredHosts),
    endpoint: Type.Optional(
      Type.String({ description: 'Address at the gateway, where applications may subscribe: published internally.' }),
    ),
  },
  { $id: 'SharedServiceVersion' },
);
export type SharedServiceVersion = Static<typeof SharedServiceVersion>;

export const SharedService = Type.Object(
  {
    id: Id,
    name: Type.String(),
    slug: Type.String(),
    type: Type.Enum([...serviceTypes]),
    description: Type.String(),
    owner: Owner,
    endDate: dateAndTime('When the access ends. Null: without end.'),
    versions: Type.Array(SharedServiceVersion, {
      description: 'Published ones, newest first. While none can be started, the draft, as soon as it can be run.',
    }),
  },
  { $id: 'SharedService', description: 'A service as a recipient sees it: without source and configuration.' },
);
export type SharedService = Static<typeof SharedService>;
