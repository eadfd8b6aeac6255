import type { OwnedExecution, ExecutionRecord, ProvidedExecution, ServiceExecution } from '@kethub/contract';
import { path, query, sendForJson, sendForNothing, type CallOptions, type Connection } from './connection.ts';
import { executionsAt, startCall, type ExecutionInput, type StartOptions } from './executions-client.ts';

export function jobsAt(connection: Connection) {
  return {
    /** Runs a version of a service as a person; without a version the newest published one, or the draft while there is none. */
    startJob: (serviceId: string, version: string | null, input: ExecutionInput, options?: StartOptions) => {
      const address = version === null ? '' : path`/versions/${version}`;
      const service = path`/services/${serviceId}`;
      return sendForJson<ServiceExecution>(connection, startCall(`${service}${address}/executions`, input, options));
    },
    /** What was started for the caller, as jobs or by applications, newest first. */
    ownedExecutions: ({ signal, ...asked }: CallOptions & { limit?: number; serviceId?: string; tag?: string } = {}) =>
      sendForJson<OwnedExecution[]>(connection, { path: `/service-executions${query(asked)}`, signal }),
    /** All executions of an own service, whoever started them, newest first. */
    providedExecutions: (serviceId: string, { signal, ...asked }: CallOptions & { limit?: number } = {}) =>
      sendForJson<ProvidedExecution[]>(connection, {
        path: `${path`/services/${serviceId}/executions`}${query(asked)}`,
        signal,
      }),
    /** What is needed to run an execution of the caller again, and to trust it. */
    executionRecord: (id: string, { signal }: CallOptions = {}) =>
      sendForJson<ExecutionRecord>(connection, { path: path`/service-executions/${id}/record`, signal }),
    /** The same of an execution of an own service, whoever started it: hashes and sizes. */
    providedRecord: (serviceId: string, id: string, { signal }: CallOptions = {}) =>
      sendForJson<ExecutionRecord>(connection, {
        path: path`/services/${serviceId}/executions/${id}/record`,
        signal,
      }),
    /** Ends an execution of anybody, whatever holds it: for administrators. */
    endExecution: (id: string, options?: CallOptions) =>
      sendForJson<ServiceExecution>(connection, {
        method: 'POST',
        path: path`/service-executions/${id}/end`,
        ...options,
      }),
    /** Deletes one that has ended, with result, result files and log; also one that an application of the caller has started. */
    deleteExecution: (id: string, { signal }: CallOptions = {}) =>
      sendForNothing(connection, { method: 'DELETE', path: path`/service-executions/${id}`, signal }),
    /** One of what was started for the caller. */
    executions: executionsAt(connection, '/service-executions'),
  };
}
