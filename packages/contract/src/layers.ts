import { Type, type Static } from 'typebox';
import { Timestamp } from './fields.ts';

/**
 * A layer of installed packages on a worker, shared by all versions whose requirements resolve to the same packages.
 */
export const Layer = Type.Object(
  {
    id: Type.String({ description: 'Hash of the packages and of the Python that they were installed for.' }),
    workerId: Type.String({ description: 'The worker that has it. Several may have the same layer.' }),
    python: Type.String({ description: 'Version of Python, for example `3.11`.' }),
    packages: Type.Array(Type.String(), {
      description: '`name==version --hash=sha256:<digest>`, sorted. Empty for one of an older release of the platform.',
    }),
    bytes: Type.Integer({ minimum: 0 }),
    createdAt: Timestamp,
    usedAt: { ...Timestamp, description: 'When a version was last seen that needs it, in UTC.' },
    versions: Type.Integer({ minimum: 0, description: 'Versions of services that need it, published or not.' }),
    wanted: Type.Optional(
      Type.Enum(['PURGE', 'REBUILD'], {
        description: 'A request of an administrator that the worker has not carried out yet.',
      }),
    ),
    problem: Type.Optional(Type.String({ description: 'Reason why it could not be rebuilt; it stays as it was.' })),
  },
  { $id: 'Layer' },
);
export type Layer = Static<typeof Layer>;
