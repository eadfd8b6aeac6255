import { limits } from '@kethub/contract/limits';
import { executionStatuses, executionTypes, severities } from '@kethub/contract/statuses';
import type { JsonObject } from './json.ts';

/** The parts of a document that differ from service to service. */
export interface Description {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  /** Schema of the body of `POST /`. */
  readonly input: JsonObject;
  /** Component schemas, among them InputData, InputParams and ResultResponse. */
  readonly schemas: JsonObject;
  /** Operations beyond those of every service. */
  readonly morePaths?: JsonObject;
}

const ref = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: JsonObject): JsonObject => ({ 'application/json': { schema } });
const answer = (description: string, content: JsonObject): JsonObject => ({ description, content });
const otherwise: JsonObject = {
  default: answer('RFC 9457 problem document.', { 'application/problem+json': { schema: ref('Problem') } }),
};
const text: JsonObject = { schema: { type: 'string' } };
const parameter = (where: string, name: string, schema: JsonObject, description: string): JsonObject => ({
  name,
  in: where,
  required: where === 'path',
  description,
  schema,
});

const uuid: JsonObject = { type: 'string', format: 'uuid' };
const timestamp: JsonObject = { type: 'string', description: 'yyyy-MM-dd HH:mm:ss, UTC.' };
const id = parameter('path', 'id', uuid, 'Id of the execution.');
const file = parameter('path', 'file', { type: 'string' }, 'Name of the file.');
const wait = parameter(
  'header',
  'Prefer',
  { type: 'string' },
  '`wait=N`: answer when it has changed, or after N seconds.',
);
const idempotencyKey = parameter(
  'header',
  'Idempotency-Key',
  { type: 'string' },
  'The same key and body again get the first answer again.',
);
const limit = parameter('query', 'limit', { type: 'integer', minimum: 1 }, 'Length of a page.');
const word: JsonObject = { type: 'string', minLength: 1, maxLength: limits.tagLength };
const tag = parameter('query', 'tag', word, 'Only executions with this tag.');

/** The member `$tags` of the input of every service. */
export const tagsMember: JsonObject = {
  type: 'array',
  description: 'Words to find the execution by. The service does not get them.',
  maxItems: limits.tags,
  items: word,
};
const cursor = parameter('query', 'cursor', uuid, 'Where the page begins; see the header Link.');

/** The operations of every service, which no document may change or extend. */
export function operationsOf(input: JsonObject): Readonly<Record<string, Readonly<Record<string, JsonObject>>>> {
  const status = answer('The status.', json(ref('ServiceExecution')));
  return {
    '/': {
      get: {
        operationId: 'listExecutions',
        summary: 'List executions, newest first',
        parameters: [limit, cursor, tag],
        responses: {
          200: answer('The executions.', json({ type: 'array', items: ref('ServiceExecutionEntry') })),
          ...otherwise,
        },
      },
      post: {
        operationId: 'startExecution',
        summary: 'Start an execution',
        parameters: [wait, idempotencyKey],
        requestBody: { required: true, content: json(input) },
        responses: { 201: answer('Accepted.', json(ref('ServiceExecution'))), ...otherwise },
      },
    },
    '/{id}': {
      get: {
        operationId: 'getExecution',
        summary: 'Read the status of an execution',
        parameters: [id, wait],
        responses: { 200: status, ...otherwise },
      },
    },
    '/{id}/result': {
      get: {
        operationId: 'getResult',
        summary: 'Read the result of an execution, or why there is none',
        parameters: [id],
        responses: { 200: answer('The result.', json(ref('ResultResponse'))), ...otherwise },
      },
    },
    '/{id}/result/{file}': {
      get: {
        operationId: 'getResultFile',
        summary: 'Download a result file',
        parameters: [id, file],
        responses: { 200: answer('The file.', { '*/*': { schema: {} } }), ...otherwise },
      },
    },
    '/{id}/log': {
      get: {
        operationId: 'getLog',
        summary: 'Read or follow the log of an execution',
        parameters: [id],
        responses: {
          200: answer('The log.', {
            ...json({ type: 'array', items: ref('LogEntry') }),
            'text/plain': text,
            'text/event-stream': text,
          }),
          ...otherwise,
        },
      },
    },
    '/{id}/cancel': {
      put: {
        operationId: 'cancelExecution',
        summary: 'Cancel a PENDING or RUNNING execution',
        parameters: [id],
        responses: { 200: status, ...otherwise },
      },
    },
  };
}

/** The members that every result has. */
export const resultMembers: JsonObject = {
  _links: {
    type: 'object',
    description: 'self, status and one link per result file, named by its file name.',
    properties: { self: ref('Link'), status: ref('Link') },
    required: ['self', 'status'],
    additionalProperties: ref('Link'),
  },
  _embedded: { type: 'object', properties: { status: ref('ServiceExecution') }, required: ['status'] },
};

const execution: JsonObject = {
  id: uuid,
  status: { type: 'string', enum: [...executionStatuses] },
  createdAt: timestamp,
  startedAt: timestamp,
  endedAt: timestamp,
  type: { type: 'string', enum: [...executionTypes] },
  serviceId: uuid,
  serviceDefinitionId: { type: 'string', description: 'Id of the version of the service.' },
  applicationId: { type: 'string', description: 'The application that started it.' },
  tags: { type: 'array', description: 'Its tags; absent without any.', items: word },
};
const required = ['id', 'status', 'createdAt'];

/** The schemas of the answers of every service. */
export const commonSchemas: JsonObject = {
  ServiceExecution: { type: 'object', properties: execution, required },
  ServiceExecutionEntry: {
    type: 'object',
    properties: {
      ...execution,
      _links: {
        type: 'object',
        properties: { self: ref('Link'), status: ref('Link'), result: ref('Link') },
        required: ['self', 'status', 'result'],
      },
    },
    required: [...required, '_links'],
  },
  Link: { type: 'object', properties: { href: { type: 'string', format: 'uri' } }, required: ['href'] },
  LogEntry: {
    type: 'object',
    properties: {
      timestamp: { type: 'string', format: 'date-time' },
      severity: { type: 'string', enum: [...severities] },
      message: { type: 'string' },
    },
    required: ['timestamp', 'severity', 'message'],
  },
  Failure: {
    type: 'object',
    description: 'Reason why an execution has no result.',
    properties: { type: { type: 'string' }, title: { type: 'string' }, detail: { type: 'string' } },
    required: ['type', 'title', 'detail'],
  },
  Problem: {
    type: 'object',
    properties: {
      type: { type: 'string', format: 'uri-reference' },
      title: { type: 'string' },
      status: { type: 'integer' },
      detail: { type: 'string' },
      instance: { type: 'string' },
    },
    required: ['type', 'title', 'status'],
  },
};

/** The OpenAPI document of a service, without the members that the installation fills in. */
export function documentOf({ title, version, description, input, schemas, morePaths = {} }: Description): JsonObject {
  return {
    openapi: '3.1.0',
    info: { title, version, ...(description !== '' && { description }) },
    paths: { ...operationsOf(input), ...morePaths },
    components: { schemas: { ...schemas, ...commonSchemas } },
  };
}
