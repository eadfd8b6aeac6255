import { Type, type Static } from 'typebox';
import { DataPoolReference } from './data-pools.ts';
import { Id, Link, Timestamp, Version, nullable } from './fields.ts';
import { limits } from './limits.ts';
import { worded } from './patterns.ts';
import { executionStatuses, executionTypes, severities } from './statuses.ts';

/** A label that a caller gives to an execution. */
export const Tag = Type.String({
  minLength: 1,
  maxLength: limits.tagLength,
  pattern: worded(String.raw`^[^\u0000-\u001f\u007f-\u009f]+$`, 'must have no control characters'),
  description: 'A word that a caller has marked executions with, without control characters.',
});

/** Origin of an execution: members that never change, in contrast to its status. */
const origin = {
  type: Type.Optional(Type.Enum([...executionTypes], { description: 'Kind of what is executed: code or a workflow.' })),
  serviceId: Type.Optional(Id),
  serviceDefinitionId: Type.Optional(Type.String({ description: 'Id of the version of the service.' })),
  applicationId: Type.Optional(Type.String({ description: 'The application that started it; absent of a job.' })),
  tags: Type.Optional(Type.Array(Tag, { description: 'The tags of `$tags`; absent without any.' })),
};

/** The status object of a service execution. */
export const ServiceExecution = Type.Object(
  {
    id: Id,
    status: Type.Enum([...executionStatuses]),
    createdAt: Timestamp,
    startedAt: Type.Optional(Timestamp),
    endedAt: Type.Optional(Timestamp),
    ...origin,
  },
  { $id: 'ServiceExecution' },
);
export type ServiceExecution = Static<typeof ServiceExecution>;

export const ServiceExecutionEntry = Type.Object(
  {
    id: Id,
    status: Type.Enum([...executionStatuses]),
    createdAt: Timestamp,
    startedAt: Type.Optional(Timestamp),
    endedAt: Type.Optional(Timestamp),
    ...origin,
    _links: Type.Object({ self: Link, status: Link, result: Link }),
  },
  { $id: 'ServiceExecutionEntry', description: 'A status object in a list, with its links.' },
);
export type ServiceExecutionEntry = Static<typeof ServiceExecutionEntry>;

/** The task of a workflow that has started an execution. Absent of another execution. */
export const startedByTask = {
  workflowId: Type.Optional(Type.String({ description: 'Execution of the workflow whose task started it.' })),
  workflowInstanceId: Type.Optional(
    Type.String({ description: 'Instance of this task: the execution, or what a call activity in it has started.' }),
  ),
  workflowElementId: Type.Optional(Type.String({ description: 'The BPMN element whose task started it.' })),
};

export const OwnedExecution = Type.Object(
  {
    id: Id,
    status: Type.Enum([...executionStatuses]),
    createdAt: Timestamp,
    startedAt: Type.Optional(Timestamp),
    endedAt: Type.Optional(Timestamp),
    ...origin,
    serviceName: Type.Optional(Type.String({ description: 'Absent when the service has been deleted.' })),
    version: Type.Optional(Version),
    applicationId: nullable('string', { description: 'The application that started it; null for a job.' }),
    personId: nullable('string', { description: 'The person who started the job; null for an application.' }),
    ...startedByTask,
    _links: Type.Object({ self: Link, status: Link, result: Link }),
  },
  {
    $id: 'OwnedExecution',
    description: 'An execution that was started for the caller, as a job or by an application.',
  },
);
export type OwnedExecution = Static<typeof OwnedExecution>;

export const ProvidedExecution = Type.Object(
  {
    id: Id,
    status: Type.Enum([...executionStatuses]),
    createdAt: Timestamp,
    startedAt: Type.Optional(Timestamp),
    endedAt: Type.Optional(Timestamp),
    version: Type.Optional(Version),
  },
  {
    $id: 'ProvidedExecution',
    description:
      'An execution as the provider of the service sees it: neither who started it nor input, result or log.',
  },
);
export type ProvidedExecution = Static<typeof ProvidedExecution>;

const counts = Type.Object(
  Object.fromEntries(executionStatuses.map((status) => [status, Type.Optional(Type.Integer())])) as Record<
    (typeof executionStatuses)[number],
    ReturnType<typeof Type.Optional<ReturnType<typeof Type.Integer>>>
  >,
  { description: 'Numbers by status; a status that none has is absent.' },
);

export const ExecutionCounts = Type.Object(
  {
    from: Timestamp,
    to: Timestamp,
    total: counts,
    times: Type.Array(
      Type.Object({
        at: Timestamp,
        counts,
        runSeconds: Type.Integer({ description: 'Seconds for which those that have ended ran.' }),
      }),
      { description: 'Hours or days (UTC) in which executions were created, oldest first. Those without are absent.' },
    ),
  },
  { $id: 'ExecutionCounts' },
);
export type ExecutionCounts = Static<typeof ExecutionCounts>;

export const DownloadTicket = Type.Object(
  { href: Type.String({ description: 'Address of the download. It needs no credential.' }), validUntil: Timestamp },
  { $id: 'DownloadTicket' },
);
export type DownloadTicket = Static<typeof DownloadTicket>;

export const ResultResponse = Type.Object(
  {
    _links: Type.Intersect([Type.Object({ self: Link, status: Link }), Type.Record(Type.String(), Link)], {
      description: 'self, status and one link per result file, named by its file name.',
    }),
    _embedded: Type.Object({ status: ServiceExecution }),
  },
  { $id: 'ResultResponse', additionalProperties: true, description: 'The result at the root, and two HAL members.' },
);

export const InputData = Type.Unsafe<unknown>({ $id: 'InputData', description: 'Problem data: any JSON value.' });
export const InputParams = Type.Unsafe<unknown>({
  $id: 'InputParams',
  description: 'Parameters that influence evaluation: any JSON value.',
});

/** The body of a start. Further members depend on the service, whose OpenAPI document describes them. */
export const ExecutionInput = Type.Object(
  {
    data: Type.Optional(InputData),
    params: Type.Optional(InputParams),
    $secrets: Type.Optional(
      Type.Record(Type.String(), Type.String({ maxLength: limits.secretBytes, writeOnly: true }), {
        maxProperties: limits.secrets,
        description: 'Secrets by the name of the parameter that takes them. Sealed, and never shown.',
      }),
    ),
    $tags: Type.Optional(
      Type.Array(Tag, {
        maxItems: limits.tags,
        description: 'Words to find the execution by. The service does not get them.',
      }),
    ),
  },
  {
    $id: 'ExecutionInput',
    additionalProperties: Type.Unsafe<unknown>({
      description: 'A further parameter: any JSON value, or a reference to a data pool.',
      anyOf: [DataPoolReference, {}],
    }),
    description: 'The input: a JSON object. What a service takes beside `data` and `params`, its own document says.',
  },
);

export const LogEntry = Type.Object(
  {
    timestamp: Type.String({ format: 'date-time' }),
    severity: Type.Enum([...severities]),
    message: Type.String(),
  },
  { $id: 'LogEntry', description: 'One line of a log.' },
);
export type LogEntry = Static<typeof LogEntry>;

/** The token request of RFC 6749 §4.4.2. */
export const TokenRequest = Type.Object(
  { grant_type: Type.Literal('client_credentials') },
  { $id: 'TokenRequest', additionalProperties: true },
);

/** The successful answer of RFC 6749 §5.1. */
export const TokenResponse = Type.Object(
  {
    access_token: Type.String(),
    scope: Type.String(),
    token_type: Type.Literal('Bearer'),
    expires_in: Type.Integer({ description: 'Seconds.' }),
  },
  { $id: 'TokenResponse' },
);
export type TokenResponse = Static<typeof TokenResponse>;

/** The error of RFC 6749 §5.2. */
export const TokenError = Type.Object(
  {
    error: Type.Enum(['invalid_request', 'invalid_client', 'unsupported_grant_type']),
    error_description: Type.String(),
  },
  { $id: 'TokenError' },
);
export type TokenError = Static<typeof TokenError>;
