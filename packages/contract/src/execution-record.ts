import { Type, type Static } from 'typebox';
import { startedByTask } from './executions.ts';
import { executionStatuses } from './statuses.ts';
import { Id, Timestamp, Version, nullable } from './fields.ts';
import { worded } from './patterns.ts';
import { SourceOrigin } from './services.ts';

const Digest = Type.String({
  pattern: worded('^[0-9a-f]{64}$', 'must be 64 hexadecimal digits'),
  description: 'SHA-256 in hex.',
});
const bytes = Type.Integer({ minimum: 0 });
const Content = Type.Object({ digest: Digest, bytes });
const orNull = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description });

const PythonEnvironment = Type.Object({
  digest: Digest,
  python: Type.String(),
  platform: Type.String(),
  packages: Type.Array(Type.Object({ name: Type.String(), version: Type.String(), digest: Digest }), {
    description: 'The installed packages, by name. The digest is that of the list of its files with their hashes.',
  }),
});
const ImageEnvironment = Type.Object({
  digest: Digest,
  image: Type.String({ description: 'Id of the image at the engine that built it: `sha256:` and the digest.' }),
  platform: Type.String({ description: 'For example `linux/amd64`.' }),
});

/** The record of an execution, by which it can be reproduced and verified. */
export const ExecutionRecord = Type.Object(
  {
    id: Id,
    status: Type.Enum([...executionStatuses]),
    createdAt: Timestamp,
    startedAt: Type.Optional(Timestamp),
    endedAt: Type.Optional(Timestamp),
    service: Type.Object({
      id: Type.Optional(Id),
      name: Type.Optional(Type.String({ description: 'Absent when the service has been deleted.' })),
      version: Type.Optional(Version),
      versionId: Id,
    }),
    ...startedByTask,
    code: orNull(
      Type.Object({ digest: Digest, origin: Type.Optional(SourceOrigin) }),
      'The ZIP that was uploaded, or taken from the commit that `origin` names. Null when it has not run, or nothing is known of its run.',
    ),
    environment: Type.Union([PythonEnvironment, ImageEnvironment, Type.Null()], {
      description:
        'The software that it ran with: Python and its packages, or an image. The digest is that of all of it.',
    }),
    input: orNull(
      Content,
      'The text of the input object, without `$secrets`. Null of one that was accepted before records.',
    ),
    dataPools: Type.Optional(
      Type.Array(Type.Object({ parameter: Type.String(), id: Type.String() }), {
        description: 'Only for whom it was started.',
      }),
    ),
    limits: orNull(
      Type.Object({
        cpus: Type.Number(),
        memoryBytes: bytes,
        gpus: Type.Integer(),
        gpuType: nullable('string'),
        runTimeMs: Type.Optional(Type.Integer()),
      }),
      'The share of the machine that it was promised, and the time that it might run. Null before it is started.',
    ),
    timings: Type.Object({
      waitedMs: nullable('integer', { description: 'From acceptance until a worker took it.' }),
      ranMs: nullable('integer', { description: 'From handing over the job until every process of it had ended.' }),
    }),
    usage: orNull(
      Type.Object({
        cpuSeconds: nullable('number'),
        peakMemoryBytes: nullable('integer'),
        measuredBy: nullable('string', {
          description:
            'Source of both figures: CGROUPS_V2, CGROUPS_V1 or the ENGINE of containers. On a machine without writable cgroups they are what the operating system reports of its PROCESSES, with the memory of the largest one. Null where nothing was measured.',
        }),
        bytesIn: bytes,
        bytesOut: Type.Integer({ minimum: 0, description: 'The result and all result files.' }),
        logBytes: bytes,
      }),
      'Null when nothing of it ran, or nothing is known.',
    ),
    exit: orNull(
      Type.Object({
        reason: Type.String({
          description: 'SUCCEEDED, or what ended it: a limit, a signal, the type of the exception, a cancellation.',
        }),
        detail: Type.Optional(Type.String({ description: 'Only for whom it was started.' })),
      }),
      'Null before the end.',
    ),
    result: orNull(
      Content,
      'The JSON text of the result, as it stands at the root without the HAL members. Null without one.',
    ),
    files: Type.Array(
      Type.Object({
        name: Type.Optional(Type.String({ description: 'Only for whom it was started.' })),
        digest: Type.Optional(Digest),
        bytes,
      }),
    ),
    runtime: orNull(
      Type.Object({ version: Type.String({ description: 'A hash of the code of the runner.' }) }),
      'The platform and the machine that ran it.',
    ),
  },
  {
    $id: 'ExecutionRecord',
    description:
      'Facts that are needed to run an execution again and to trust it. The provider of the service sees hashes and sizes, neither whose it is nor workflow, input, result, names of files or messages.',
  },
);
export type ExecutionRecord = Static<typeof ExecutionRecord>;
