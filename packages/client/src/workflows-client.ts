import type {
  Service,
  ServiceVersion,
  WorkflowIncident,
  WorkflowInstance,
  WorkflowInstanceDetails,
  WorkflowMessageReceipt,
  WorkflowMessageRequest,
  WorkflowSchedule,
} from '@kethub/contract';
import { path, sendForJson } from './connection.ts';
import type { Call, CallOptions, Connection } from './connection.ts';

export interface NewWorkflow {
  readonly name: string;
  readonly description?: string | undefined;
  /** As which its tasks call services, unless they name another. */
  readonly applicationId?: string | undefined;
  /** The BPMN file. */
  readonly source: Blob;
}

/** Workflow services: their files, their instances, and messages for these. */
export function workflowsAt(connection: Connection) {
  return {
    /** A workflow; its first version is a draft, whose `workflow.problems` say what keeps it from being deployed. */
    createWorkflow: (workflow: NewWorkflow, options?: CallOptions) =>
      sendForJson<Service>(connection, { method: 'POST', path: '/services', body: workflowForm(workflow), ...options }),
    /** Saves the next version of a workflow as a draft. */
    createWorkflowVersion: (id: string, source: Blob, options?: CallOptions) =>
      sendForJson<ServiceVersion>(connection, {
        ...bpmn('POST', path`/services/${id}/versions`, source),
        ...options,
      }),
    /** Saves another file into the draft of a workflow. */
    replaceWorkflow: (id: string, version: string, source: Blob, options?: CallOptions) =>
      sendForJson<ServiceVersion>(connection, {
        ...bpmn('PUT', path`/services/${id}/versions/${version}/source`, source),
        ...options,
      }),
    /** As which application the tasks of a draft call services. */
    setWorkflowApplication: (id: string, version: string, applicationId: string | null, options?: CallOptions) =>
      sendForJson<ServiceVersion>(connection, {
        method: 'PUT',
        path: path`/services/${id}/versions/${version}/workflow/application`,
        json: { applicationId },
        ...options,
      }),
    /** Instances of a workflow service, newest first. */
    workflowInstances: (id: string, { signal, limit }: CallOptions & { limit?: number } = {}) =>
      sendForJson<WorkflowInstance[]>(connection, {
        path: `${path`/services/${id}/workflow-instances`}${limit === undefined ? '' : `?limit=${limit}`}`,
        signal,
      }),
    /** Where an instance is, its open incidents, and its variables. */
    workflowInstance: (id: string, options?: CallOptions) =>
      sendForJson<WorkflowInstanceDetails>(connection, { path: path`/workflow-instances/${id}`, ...options }),
    /** What keeps instances of a workflow service from going on. */
    workflowIncidents: (id: string, options?: CallOptions) =>
      sendForJson<WorkflowIncident[]>(connection, { path: path`/services/${id}/workflow-incidents`, ...options }),
    /** Tries again what failed, with variables that are corrected first. */
    retryIncident: (
      instanceId: string,
      incident: number,
      { variables, ...options }: CallOptions & { variables?: Record<string, unknown> } = {},
    ) =>
      sendForJson<WorkflowInstance>(connection, {
        method: 'PUT',
        path: path`/workflow-instances/${instanceId}/incidents/${String(incident)}/retry`,
        json: variables ? { variables } : {},
        ...options,
      }),
    /** The timer start events of a workflow service, with why they start nothing. */
    workflowSchedules: (id: string, options?: CallOptions) =>
      sendForJson<WorkflowSchedule[]>(connection, { path: path`/services/${id}/workflow-schedules`, ...options }),
    /** Tries a timer start event again that has failed or is stopped. */
    retrySchedule: (id: string, elementId: string, options?: CallOptions) =>
      sendForJson<WorkflowSchedule>(connection, {
        method: 'PUT',
        path: path`/services/${id}/workflow-schedules/${elementId}/retry`,
        ...options,
      }),
    /** For instances that wait for it, or a start event. */
    publishMessage: (
      id: string,
      message: WorkflowMessageRequest,
      { idempotencyKey, ...options }: CallOptions & { readonly idempotencyKey?: string } = {},
    ) =>
      sendForJson<WorkflowMessageReceipt>(connection, {
        method: 'POST',
        path: path`/services/${id}/workflow-messages`,
        json: message,
        ...(idempotencyKey !== undefined && { headers: { 'idempotency-key': idempotencyKey } }),
        ...options,
      }),
  };
}

function bpmn(method: 'POST' | 'PUT', address: string, source: Blob): Call {
  return { method, path: address, body: source, headers: { 'content-type': 'application/xml' } };
}

function workflowForm({ source, ...texts }: NewWorkflow): FormData {
  const form = new FormData();
  form.set('type', 'WORKFLOW');
  for (const [name, text] of Object.entries(texts)) if (text !== undefined) form.set(name, text);
  form.set('source', source, 'workflow.bpmn');
  return form;
}
