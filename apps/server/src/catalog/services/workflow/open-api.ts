import {
  WorkflowMessageReceipt,
  WorkflowMessageRequest,
  WorkflowSignalReceipt,
  WorkflowSignalRequest,
} from '@kethub/contract';
import type { Requirements } from '@kethub/workflow';
import { tagsMember, unknownSignature, type JsonObject } from '@kethub/service-api/specification';

/**
 * The description of a workflow service. The body of POST is the Request Schema of the start event. Its result has the
 * fields that end events return, or `errors`.
 */
export function describedWorkflow(needs: Requirements | null): {
  input: JsonObject;
  schemas: JsonObject;
  morePaths: JsonObject;
} {
  const schema = needs?.requestSchema ?? null;
  const { schemas, input } = unknownSignature;
  return {
    input: schema ? ref('Request') : { ...input, properties: { $tags: tagsMember } },
    schemas: {
      ...schemas,
      ...(schema && { Request: withReserved(schema as JsonObject, needs?.secrets ?? []) }),
      ResultResponse: result(schemas['ResultResponse'] as JsonObject, needs),
      WorkflowError: error,
    },
    morePaths: {
      ...(takesMessages(needs) && { '/workflow-messages': { post: publish } }),
      ...(takesSignals(needs) && { '/workflow-signals': { post: broadcast } }),
    },
  };
}

function takesMessages(needs: Requirements | null): boolean {
  return needs !== null && needs.messageStarts.length + needs.messages.length > 0;
}

function takesSignals(needs: Requirements | null): boolean {
  return needs !== null && needs.signalStarts.length + needs.signals.length > 0;
}

const problem: JsonObject = {
  description: 'RFC 9457 problem document.',
  content: { 'application/problem+json': { schema: ref('Problem') } },
};

const publish: JsonObject = {
  operationId: 'publishMessage',
  summary: 'Publish a message for what was started through this subscription, or for a start event',
  requestBody: { required: true, content: { 'application/json': { schema: plain(WorkflowMessageRequest) } } },
  responses: {
    201: { description: 'Published.', content: { 'application/json': { schema: plain(WorkflowMessageReceipt) } } },
    default: problem,
  },
};

const broadcast: JsonObject = {
  operationId: 'broadcastSignal',
  summary: 'Broadcast a signal to what was started through this subscription, and to start events',
  requestBody: { required: true, content: { 'application/json': { schema: plain(WorkflowSignalRequest) } } },
  responses: {
    202: { description: 'Broadcast.', content: { 'application/json': { schema: plain(WorkflowSignalReceipt) } } },
    default: problem,
  },
};

/** The schema as plain JSON, without an `$id`, which would make it a separate document. */
function plain(schema: object): JsonObject {
  const { $id: _id, ...rest } = JSON.parse(JSON.stringify(schema)) as JsonObject;
  return rest;
}

function ref(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

/**
 * Adds `$tags` and `$secrets` to the Request Schema, and moves its inner references, because it becomes a component.
 */
function withReserved(schema: JsonObject, secrets: readonly string[]): JsonObject {
  const moved = JSON.parse(JSON.stringify(schema), (key, value: unknown) =>
    key === '$ref' && typeof value === 'string' && value.startsWith('#')
      ? `#/components/schemas/Request${value.slice(1)}`
      : value,
  ) as JsonObject;
  const properties = { ...(moved['properties'] as JsonObject | undefined), $tags: tagsMember };
  if (secrets.length === 0) return { ...moved, properties };
  const $secrets = {
    type: 'object',
    description: 'Sealed, given to the tasks that ask for them and never shown.',
    properties: Object.fromEntries(secrets.map((name) => [name, { type: 'string', writeOnly: true }])),
    additionalProperties: { type: 'string' },
  };
  return { ...moved, properties: { ...properties, $secrets } };
}

function result(common: JsonObject, needs: Requirements | null): JsonObject {
  const outputs = Object.fromEntries((needs?.outputs ?? []).map(({ name }) => [name, {}]));
  return {
    ...common,
    description:
      'Members that the workflow returned, at the root, or `errors`: it succeeded when there is no `errors`.',
    properties: {
      ...outputs,
      errors: { type: 'array', items: ref('WorkflowError') },
      ...(common['properties'] as JsonObject),
    },
  };
}

const error: JsonObject = {
  type: 'object',
  properties: {
    errorCode: { type: 'string' },
    failedElement: { type: 'string', description: 'BPMN id of the failing element.' },
    message: { type: 'string' },
    serviceId: { type: 'string', format: 'uuid' },
    applicationId: { type: 'string', format: 'uuid' },
    response: { description: 'The answer of the service. With HUB_SERVICE_FAILED.' },
  },
  required: ['errorCode', 'failedElement', 'message'],
};
