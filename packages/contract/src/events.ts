import { Type, type Static } from 'typebox';
import { Id, Version } from './fields.ts';

/** `reset`: changes may have been missed, so everything that is shown should be read again. */
export const changeKinds = ['execution', 'instance', 'provided-execution', 'build', 'reset'] as const;
export type ChangeKind = (typeof changeKinds)[number];

export const ChangeEvent = Type.Object(
  {
    id: Type.String({ description: 'Position in the stream, for `Last-Event-ID`.' }),
    event: Type.Enum([...changeKinds], {
      description:
        'execution: an execution of the context has begun or changed its status. instance: the same of a workflow, with its incidents. provided-execution: an execution of a service of the context, of any owner. build: of a service version. reset: changes may have been missed; read again what is shown.',
    }),
    organizationId: Type.Optional(Id),
    executionId: Type.Optional(Id),
    serviceId: Type.Optional(Id),
    version: Type.Optional(Version),
  },
  {
    $id: 'ChangeEvent',
    description: 'A hint that something has changed: ids only. Absent `organizationId`: personal.',
  },
);
export type ChangeEvent = Static<typeof ChangeEvent>;
