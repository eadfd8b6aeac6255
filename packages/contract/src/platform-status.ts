import { Type, type Static } from 'typebox';
import { Timestamp } from './fields.ts';

const Count = Type.Integer({ minimum: 0 });

/** A process of the installation, as it has reported itself within the last two minutes. */
export const PlatformProcess = Type.Object(
  {
    id: Type.String({ description: 'Another one after each start.' }),
    host: Type.String({ description: 'Name of its machine.' }),
    roles: Type.Array(Type.Enum(['api', 'gateway', 'worker', 'git'])),
    version: Type.String({ description: 'Version of the platform.' }),
    schema: Type.String({ description: 'The last migration of the database that it knows.' }),
    startedAt: Timestamp,
    seenAt: { ...Timestamp, description: 'Its last report, in UTC. Processes report every 30 seconds.' },
    disk: Type.Optional(
      Type.Object({ bytes: Count, freeBytes: Count }, { description: 'The disk of its data folder.' }),
    ),
    worker: Type.Optional(
      Type.Object(
        {
          id: Type.String({ description: 'The same after each start.' }),
          drivers: Type.Array(Type.Enum(['SANDBOX', 'CONTAINER', 'KUBERNETES', 'SLURM']), {
            description: 'Drivers of user code. CONTAINER is there while its container engine answers.',
          }),
          pythons: Type.Array(Type.String(), { description: 'Versions of Python, such as `3.12`.' }),
          cpus: Type.Optional(Type.Number()),
          memoryBytes: Type.Optional(Count),
          running: { ...Count, description: 'Executions that run there.' },
          problem: Type.Optional(
            Type.String({
              description:
                'A sentence about what keeps it from running user code, or what an operator should mend; absent if there is nothing.',
            }),
          ),
        },
        { description: 'Only for a process with the role `worker`.' },
      ),
    ),
  },
  { $id: 'PlatformProcess' },
);
export type PlatformProcess = Static<typeof PlatformProcess>;

/** The state of the whole installation. Counts end at 100,000. */
export const PlatformStatus = Type.Object(
  {
    database: Type.Object({
      kind: Type.Enum(['SQLITE', 'POSTGRESQL']),
      bytes: Count,
      schema: Type.String({ description: 'The last migration that was executed.' }),
    }),
    files: Type.Enum(['FOLDER', 'S3'], { description: 'The store of files.' }),
    executions: Type.Object({
      pending: Count,
      running: Count,
      oldestPendingAt: Type.Optional({
        ...Timestamp,
        description: 'Time when the one that waits longest was accepted, in UTC.',
      }),
    }),
    builds: Type.Object({ pending: Count, running: Count }),
    mails: Type.Object({ waiting: Count }),
    queues: Type.Array(Type.Object({ ownerId: Type.String(), waiting: Count }), {
      description: 'Owners with the most waiting executions, at most ten.',
    }),
    processes: Type.Array(PlatformProcess, { description: 'At most 2,000.' }),
    lostWorkers: Type.Array(Type.Object({ id: Type.String(), host: Type.String(), lostAt: Timestamp }), {
      description: 'Workers without a sign of life for the lease, the last first, at most 100.',
    }),
  },
  { $id: 'PlatformStatus' },
);
export type PlatformStatus = Static<typeof PlatformStatus>;
